import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const sources = globSync("{adapters,sandbox-image,scripts,src,test}/**/*.{ts,tsx,mjs}", {
  exclude: ["**/node_modules/**"],
}).map((file) => ({ file, text: readFileSync(file, "utf8") }));

const places = (pattern: RegExp) =>
  sources.flatMap(({ file, text }) =>
    Array.from(text.matchAll(pattern), ([found]) => `${file}: ${found}`),
  );

it("every class of errors has a name that ends in Error", () => {
  const classes = places(/\bclass \w+ extends \w*Error\b/g);
  expect(classes.length).toBeGreaterThan(20);
  expect(classes.filter((one) => !/class \w*Error extends/.test(one))).toEqual([]);
});

it("no source tells our own errors apart by their names", () => {
  const own = places(/\bclass \w+Error extends/g).map((one) => one.split(" ").at(-2));
  const names = new RegExp(
    String.raw`(?:name [!=]==|case|includes\() *"(?:${own.join("|")})"`,
    "g",
  );
  expect(places(names).filter((one) => !one.startsWith("test/"))).toEqual([]);
});
