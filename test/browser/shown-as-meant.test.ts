import fc from "fast-check";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { View } from "../../src/contract/platform/view.ts";
import { HOSTILE, viewsWith } from "../contracts/adapter/views.ts";
import { DISGUISING_SEEDS } from "../support/property-seed.ts";
import { caseCount } from "../support/thorough.ts";
import { THREAD } from "../support/web-lab.ts";
import { launchBrowser, Rig } from "./rig.ts";

let browser: Browser;
let rig: Rig;
let page: Page;
beforeAll(async () => {
  browser = await launchBrowser();
  rig = await Rig.start(browser);
  await rig.lab.thread();
  page = await rig.open();
  await page.goto(`${rig.lab.origin}/#thread=${THREAD}`);
});
afterAll(async () => {
  await rig[Symbol.asyncDispose]();
  await browser.close();
});

/** What the browser makes of one message. */
interface Drawn {
  /** Where each link leads, and its words. */
  readonly links: readonly (readonly [string, string])[];
  /** What loads or runs something. */
  readonly active: number;
  /** Bold words, headings, quotes and the like, outside of what is Markdown. */
  readonly marked: readonly string[];
  readonly text: string;
}

const READ = (id: string) => `(() => {
  const item = document.getElementById("item-${id}");
  const all = (selector) => [...item.querySelectorAll(selector)];
  const outside = all("em, strong, s, blockquote, h1, h2, h4, h5, h6, hr, table, a[href]");
  return {
    links: all(".markdown a[href]").map((a) => [a.href, a.textContent]),
    active: all("script, img, iframe, object, embed, video, audio, form, style, link").length,
    marked: outside.filter((one) => !one.closest(".markdown")).map((one) => one.outerHTML),
    text: (item.querySelector(".markdown") ?? item).textContent,
  };
})()`;

let shown = 0;

/** All of them at once: a mark behind them tells that they are there as they are by now. */
async function draw(views: readonly View[]): Promise<Drawn[]> {
  const mark = `mark-${++shown}`;
  const post = (view: View, key: string | number) =>
    rig.lab.adapter.post(THREAD, view, `${mark}-${key}`);
  const posts: string[] = [];
  for (const [index, view] of views.entries()) posts.push(await post(view, index));
  const end = await post({ kind: "notice", level: "info", text: mark }, "end");
  await page.locator(".item", { hasText: mark }).last().waitFor();
  const drawn = await Promise.all(posts.map((id) => page.evaluate<Drawn>(READ(id))));
  // A long thread takes the page longer to draw.
  for (const id of [...posts, end]) await rig.lab.adapter.remove(THREAD, id);
  await page.locator(".item", { hasText: mark }).waitFor({ state: "detached" });
  return drawn;
}

const reply = (text: string): View => ({ kind: "reply", text, isFinal: true });

describe("P-C9 links on the page", () => {
  it.each([
    [
      "https://a.example/x",
      [["https://a.example/x", "https://a.example/x"]],
      "https://a.example/x",
    ],
    [
      "<https://a.example/x>",
      [["https://a.example/x", "https://a.example/x"]],
      "https://a.example/x",
    ],
    [
      "[https://a.example/x](https://a.example/x)",
      [["https://a.example/x", "https://a.example/x"]],
      "https://a.example/x",
    ],
    [
      "[your bank](https://a.example/x)",
      [["https://a.example/x", "https://a.example/x"]],
      "your bank https://a.example/x",
    ],
    [
      "[https://bank.example](https://a.example/x)",
      [["https://a.example/x", "https://a.example/x"]],
      "https://bank.example https://a.example/x",
    ],
    ["[x](javascript:alert(1))", [], "[x](javascript:alert(1))"],
    ["`https://a.example/x`", [], "https://a.example/x"],
  ])("%s", async (text, links, words) => {
    const [drawn] = await draw([reply(text)]);
    expect(drawn?.links).toEqual(links);
    expect(drawn?.text.trim()).toBe(words);
  });
});

describe("P-C9 whatever a text has in it, the page shows it as text", () => {
  const pieces = [
    ...[
      "@everyone",
      "<@U1>",
      "<!channel>",
      "<#C1>",
      "https://e.example/?a",
      "[x](https://e.example)",
    ],
    ...[
      "![x](https://e.example/p.png)",
      "[x](javascript:alert(1))",
      "<b>",
      "</div>",
      "<img src=x>",
    ],
    ...[
      "```",
      "`",
      "\\",
      "\n",
      " ",
      "word",
      "# ",
      "> ",
      "**",
      "__",
      "~~",
      "- ",
      "1. ",
      "|",
      "---\n",
    ],
    ...["&amp;", "<script>", "](", "[", "[a]: https://e.example\n", "\u202e", "\u200b"],
  ];
  const hostile = fc
    .array(fc.constantFrom(...pieces), { maxLength: 20 })
    .map((parts) => parts.join(""))
    .filter((text) => /\w/.test(text));
  const drawn = (seed: number, numRuns: number) => fc.sample(hostile, { seed, numRuns });
  const texts = [
    ...Object.values(HOSTILE),
    ...drawn(18, caseCount({ perChange: 6, all: 300 })),
    ...DISGUISING_SEEDS.flatMap((seed) => drawn(seed, caseCount({ perChange: 3, all: 100 }))),
  ];

  const drawEach = async (text: string) => {
    const views = Object.values(viewsWith(text));
    return (await draw(views)).map((one, index) => ({ kind: views[index]?.kind ?? "", ...one }));
  };

  const plain = new Map<string, { readonly active: number; readonly marked: number }>();
  beforeAll(async () => {
    for (const { kind, active, marked } of await drawEach("plain words"))
      plain.set(kind, { active, marked: marked.length });
  });

  it.each(texts)("%j", async (text) => {
    for (const { kind, links, active, marked } of await drawEach(text)) {
      expect({ kind, active, marked: marked.length }).toEqual({ kind, ...plain.get(kind) });
      // People click on what it says, but for the form in which a browser writes it.
      for (const [href, words] of links) expect(new URL(words).href).toBe(href);
    }
    expect(rig.complaints).toEqual([]);
  });
});
