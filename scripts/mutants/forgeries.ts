import { type Mutant, mutantsOf } from "./mutant.ts";

const RENDER = "src/agent/model/render.ts";
const OWN = "src/agent/own-elements.ts";

/** What others write can pass for a word of ours. */
export const forgeryMutants: readonly Mutant[] = mutantsOf("test/conversations/forgeries.test.ts", [
  ["tools speak freely", RENDER, "spoken(foreign(text), ", "spoken(text, "],
  [
    "people speak freely",
    RENDER,
    'element("chat-message", foreign(item.text), from)',
    'element("chat-message", item.text, from)',
  ],
  [
    "quotes speak freely",
    RENDER,
    'element("quoted-message", foreign(item.text), from)',
    'element("quoted-message", item.text, from)',
  ],
  ["names speak freely", RENDER, "return withoutOpenings(", "return String("],
  [
    "the model speaks freely",
    RENDER,
    "renderReply(text: string): string {\n  return foreign(text);",
    "renderReply(text: string): string {\n  return text;",
  ],
  [
    "tools describe themselves freely",
    RENDER,
    "renderDescription(text: string): string {\n  return foreign(text);",
    "renderDescription(text: string): string {\n  return text;",
  ],
  [
    "todos and memories speak freely",
    RENDER,
    "const told = foreign(text, { isWithin: true });",
    "const told = text;",
  ],
  [
    "todos and memories speak in our inner elements",
    RENDER,
    "const told = foreign(text, { isWithin: true });",
    "const told = foreign(text);",
  ],
  ["capitals are overlooked", OWN, '.normalize("NFKD").toLowerCase()', '.normalize("NFKD")'],
  ["broad letters are overlooked", OWN, 'sign.normalize("NFKD")', "sign"],
  [
    "unseen characters are overlooked",
    OWN,
    "return UNSEEN.test(one) ? [] :",
    "return false ? [] :",
  ],
  ["lookalikes are overlooked", OWN, "[LOOKALIKES.get(one) ?? one]", "[one]"],
  ["entities are overlooked", OWN, "if (entity === undefined) {", "if (entity !== null) {"],
  ["other brackets are overlooked", OWN, "＜﹤‹", ""],
  ["invisible letters are overlooked", OWN, "? [false, true] :", "? [false] :"],
  ["what ends an element is overlooked", OWN, '(sign === "/" || sign === "\\\\")', "false"],
]);
