import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readableText } from "../../../../src/tools/web/readable.ts";
import { processorMs } from "../../../support/longest-work.ts";

describe("the readable text of a page", () => {
  it("has its title, paragraphs and lists, and nothing that only a browser wants", () => {
    const html = `<!doctype html><html><head><title> News </title><style>p { color: red }</style>
      <script>if (a < b) document.write("<p>no</p>")</script></head>
      <body><!-- <p>no</p> --><h1>Big   <b>news</b></h1><ul><li>one<li>two</ul>
      <svg><text>no</text></svg><p>5 &lt; 6 &#65;&#x42; &unknown; 1 < 2</p></body></html>`;
    expect(readableText(html)).toBe(
      ["News", "", "Big news", "", "- one", "- two", "", "5 < 6 AB &unknown; 1 < 2"].join("\n"),
    );
  });

  it.each(["<script>", "<", "<!--", "<p ", "<title>", "&#0;", "</", "<svg><script>", "\n \n"])(
    "comes quickly from a megabyte of %j",
    (piece) => {
      const began = processorMs();
      readableText(piece.repeat(1_000_000 / piece.length));
      expect(processorMs() - began).toBeLessThan(5000);
    },
  );

  it("comes from any text whatsoever", () => {
    const markup = fc.constantFrom(
      "<p>",
      "</p>",
      "<script>",
      "</script>",
      "<!--",
      "-->",
      "<",
      ">",
      "&#55296;",
      "&lt;",
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(markup, fc.string({ unit: "grapheme" }))), (pieces) => {
        expect(readableText(pieces.join(""))).toBeTypeOf("string");
      }),
    );
  });
});
