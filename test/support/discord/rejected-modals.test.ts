import { describe } from "vitest";
import { itRejects, opening } from "./rejections.ts";
import { button, field, fields, label, modal, select, text } from "./sample-components.ts";

const REFERENCE = "components/reference";
const MODAL = "interactions/receiving-and-responding#interaction-response-object-modal";

describe("windows that Discord refuses", () => {
  itRejects([
    {
      what: "a title of 46 characters",
      page: MODAL,
      code: 50035,
      at: "data.title",
      refused: opening(modal({ title: text(46) })),
      taken: opening(modal({ title: text(45) })),
    },
    {
      what: "a window's custom_id of 101 characters",
      page: MODAL,
      code: 50035,
      at: "data.custom_id",
      refused: opening(modal({ custom_id: text(101) })),
    },
    {
      what: "six parts",
      page: MODAL,
      code: 50035,
      at: "data.components",
      refused: opening(modal({ components: fields(6) })),
      taken: opening(modal({ components: fields(5) })),
    },
    {
      what: "no part at all",
      page: MODAL,
      code: 50035,
      at: "data.components",
      refused: opening(modal({ components: [] })),
    },
    {
      what: "a label of 46 characters",
      page: `${REFERENCE}#label`,
      code: 50035,
      at: "data.components.0.label",
      refused: opening(modal({ components: [label(field(), { label: text(46) })] })),
      taken: opening(modal({ components: [label(field(), { label: text(45) })] })),
    },
    {
      what: "a label's description of 101 characters",
      page: `${REFERENCE}#label`,
      code: 50035,
      at: "data.components.0.description",
      refused: opening(modal({ components: [label(field(), { description: text(101) })] })),
    },
    {
      what: "a field that takes 4,001 characters",
      page: `${REFERENCE}#text-input`,
      code: 50035,
      at: "data.components.0.component.max_length",
      refused: opening(modal({ components: [label(field({ max_length: 4_001 }))] })),
      taken: opening(modal({ components: [label(field({ max_length: 4_000 }))] })),
    },
    {
      what: "a field's placeholder of 101 characters",
      page: `${REFERENCE}#text-input`,
      code: 50035,
      at: "data.components.0.component.placeholder",
      refused: opening(modal({ components: [label(field({ placeholder: text(101) }))] })),
    },
    {
      what: "a button in a window",
      page: `${REFERENCE}#button`,
      code: 50035,
      at: "data.components.0.component.type",
      refused: opening(modal({ components: [label(button())] })),
    },
    {
      what: "a list that is switched off, in a window",
      page: `${REFERENCE}#string-select`,
      code: 50035,
      at: "data.components.0.component.disabled",
      refused: opening(modal({ components: [label(select({ disabled: true }))] })),
      taken: opening(modal({ components: [label(select())] })),
    },
  ]);
});
