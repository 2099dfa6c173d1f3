import { describe } from "vitest";
import { itRejects, showing } from "./rejections.ts";
import { button, option, options, row, select, text } from "./sample-components.ts";

const REFERENCE = "components/reference";

describe("buttons and lists that Discord refuses", () => {
  itRejects([
    {
      what: "the same custom_id twice",
      page: `${REFERENCE}#anatomy-of-a-component`,
      code: 50035,
      at: "components.0.components.1.custom_id",
      refused: showing(row(button(), button())),
    },
    {
      what: "a custom_id of 101 characters",
      page: `${REFERENCE}#anatomy-of-a-component`,
      code: 50035,
      at: "components.0.components.0.custom_id",
      refused: showing(row(button({ custom_id: text(101) }))),
      taken: showing(row(button({ custom_id: text(100) }))),
    },
    {
      what: "a button's label of 81 characters",
      page: `${REFERENCE}#button`,
      code: 50035,
      at: "components.0.components.0.label",
      refused: showing(row(button({ label: text(81) }))),
      taken: showing(row(button({ label: text(80) }))),
    },
    {
      what: "a button without a custom_id",
      page: `${REFERENCE}#button`,
      code: 50035,
      at: "components.0.components.0.custom_id",
      refused: showing(row({ type: 2, style: 1, label: "x" })),
    },
    {
      what: "a button with nothing on it",
      page: `${REFERENCE}#button`,
      code: 50035,
      at: "components.0.components.0",
      refused: showing(row({ type: 2, style: 1, custom_id: "x" })),
      taken: showing(row({ type: 2, style: 1, custom_id: "x", emoji: { name: "👀" } })),
    },
    {
      what: "a button with an address",
      page: `${REFERENCE}#button`,
      code: 50035,
      at: "components.0.components.0.url",
      refused: showing(row(button({ url: "https://a.b" }))),
    },
    {
      what: "a link with a custom_id",
      page: `${REFERENCE}#button`,
      code: 50035,
      at: "components.0.components.0.custom_id",
      refused: showing(row(button({ style: 5, url: "https://a.b" }))),
      taken: showing(row({ type: 2, style: 5, label: "x", url: "https://a.b" })),
    },
    {
      what: "a link of 513 characters",
      page: `${REFERENCE}#button`,
      code: 50035,
      at: "components.0.components.0.url",
      refused: showing(row({ type: 2, style: 5, label: "x", url: `https://${text(505)}` })),
    },
    {
      what: "a style that does not exist",
      page: `${REFERENCE}#button`,
      code: 50035,
      at: "components.0.components.0.style",
      refused: showing(row(button({ style: 7 }))),
    },
    {
      what: "26 options",
      page: `${REFERENCE}#string-select`,
      code: 50035,
      at: "components.0.components.0.options",
      refused: showing(row(select({ options: options(26) }))),
      taken: showing(row(select({ options: options(25) }))),
    },
    {
      what: "an option's label of 101 characters",
      page: `${REFERENCE}#string-select`,
      code: 50035,
      at: "components.0.components.0.options.0.label",
      refused: showing(row(select({ options: [{ label: text(101), value: "1" }] }))),
    },
    {
      what: "an option's value of 101 characters",
      page: `${REFERENCE}#string-select`,
      code: 50035,
      at: "components.0.components.0.options.0.value",
      refused: showing(row(select({ options: [{ label: "1", value: text(101) }] }))),
    },
    {
      what: "an option's description of 101 characters",
      page: `${REFERENCE}#string-select`,
      code: 50035,
      at: "components.0.components.0.options.0.description",
      refused: showing(row(select({ options: [{ ...option("1"), description: text(101) }] }))),
    },
    {
      what: "a list's placeholder of 151 characters",
      page: `${REFERENCE}#string-select`,
      code: 50035,
      at: "components.0.components.0.placeholder",
      refused: showing(row(select({ placeholder: text(151) }))),
    },
  ]);
});
