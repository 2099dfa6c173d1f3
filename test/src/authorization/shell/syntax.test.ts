import { describe, expect, it } from "vitest";
import { failingSafe, openSyntax } from "../../../../src/authorization/shell/syntax.ts";

describe("the parser of commands", () => {
  it("is one for all who open it", async () => {
    expect(await openSyntax()).toBe(await openSyntax());
  });

  it("that has broken once is believed nothing any more, so that everything needs an approval", async () => {
    const parse = await openSyntax();
    const breaking = failingSafe((text) => {
      if (text === "boom") throw new Error("memory access out of bounds");
      return parse(text);
    });
    expect(breaking("ls")).toHaveProperty("root");
    expect(breaking("boom")).toHaveProperty("unparsed");
    expect(breaking("ls")).toEqual({ unparsed: expect.stringContaining("restart") });
    expect(parse("ls")).toHaveProperty("root");
  });

  it.each(['"$(', "${x:-", '"${x:-$(', "`", "$((", "((", "@(", '$"', "[ \\( ", "{fd}>"])(
    "survives 20,000 times %s",
    async (piece) => {
      const parse = await openSyntax();
      expect(parse(`echo ${piece.repeat(20_000)}`)).toHaveProperty("unparsed");
      expect(parse("ls")).toHaveProperty("root");
    },
  );
});
