import { afterEach, beforeEach, expect, it } from "vitest";
import type { Item } from "../../../adapters/web/protocol.ts";
import { until } from "../../support/until.ts";
import { MATE_TOKEN, THREAD, type Watcher, WebLab } from "../../support/web-lab.ts";
import { approvalView, reply } from "../../support/web-views.ts";

let lab: WebLab;
beforeEach(async () => {
  lab = await WebLab.start({ env: { WEB_PEOPLE: `mate:member:${MATE_TOKEN}` } });
  await lab.thread();
});
afterEach(() => lab[Symbol.asyncDispose]());

/** What a page has of the thread after all it was told, as the page itself puts it together. */
function known(...watchers: Watcher[]): Map<string, Item> {
  const items = new Map<string, Item>();
  for (const message of watchers.flatMap(({ heard }) => heard)) {
    const news = message.type === "items" ? message.items : [];
    for (const item of message.type === "item" ? [message.item] : news) items.set(item.id, item);
  }
  return items;
}

function texts(items: Map<string, Item>): string[] {
  return [...items.values()]
    .sort((a, b) => a.seq - b.seq)
    .map(({ content }) => {
      if (content.kind === "message") return content.text;
      return content.kind === "view" && content.view.kind === "reply" ? content.view.text : "";
    });
}

const lastRevision = (watcher: Watcher) =>
  Math.max(
    0,
    ...[...known(watcher).values()].map(({ rev }) => rev),
    watcher.of("items")[0]?.upTo ?? 0,
  );

async function opened(since = 0, token?: string): Promise<Watcher> {
  const watcher = await lab.connect(token);
  watcher.tell({ type: "open", thread: THREAD, since });
  await until(() => watcher.of("items").length === 1, "the thread");
  return watcher;
}

it("a page that comes back is given what it has missed, and nothing twice", async () => {
  using first = await opened();
  for (const key of ["1", "2", "3"]) await lab.adapter.post(THREAD, reply(key), key);
  await until(() => known(first).size === 3, "three posts");
  const since = lastRevision(first);
  first.socket.terminate();

  const post = await lab.adapter.post(THREAD, reply("4"), "4");
  await lab.adapter.edit(THREAD, post, reply("four"));
  await lab.adapter.post(THREAD, reply("5"), "5");
  using second = await opened(since);
  expect(second.of("items")[0]?.items).toHaveLength(2);
  expect(texts(known(first, second))).toEqual(["1", "2", "3", "four", "5"]);
});

it("cut off at every place of a busy minute, a page ends with the same as one that never left", async () => {
  using steady = await opened();
  let watcher = await opened();
  const cut: Watcher[] = [watcher];
  const posts: string[] = [];
  for (let turn = 0; turn < 60; turn += 1) {
    if (turn % 3 === 0)
      posts.push(await lab.adapter.post(THREAD, reply(`new ${turn}`), `k${turn}`));
    else await lab.adapter.edit(THREAD, posts.at(-1) ?? "", reply(`edited ${turn}`));
    if (turn % 30 === 29) await lab.adapter.remove(THREAD, posts[0] ?? "");
    if (turn % 4 !== 1) continue;
    watcher.socket.terminate();
    const since = Math.max(0, ...[...known(...cut).values()].map(({ rev }) => rev));
    watcher = await opened(since);
    cut.push(watcher);
  }
  const wanted = async () => JSON.stringify([...known(steady)].sort());
  await until(
    async () => JSON.stringify([...known(...cut)].sort()) === (await wanted()),
    "the same",
  );
  expect(known(steady).size).toBe(posts.length);
  watcher.socket.terminate();
});

it("several tabs see the same, in the same order", async () => {
  using one = await opened();
  using other = await opened();
  await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      lab.adapter.post(THREAD, reply(`${index}`), `k${index}`),
    ),
  );
  await until(() => known(one).size === 30 && known(other).size === 30, "all posts");
  const order = (watcher: Watcher) => watcher.of("item").map(({ item }) => item.rev);
  expect(order(one)).toEqual(order(one).toSorted((a, b) => a - b));
  expect(order(other)).toEqual(order(one));
});

it("what one tab says, the other sees; sent three times, it is there once and told as the same", async () => {
  using other = await opened();
  const id = crypto.randomUUID();
  for (let turn = 0; turn < 3; turn += 1) await lab.say("only once", { id });
  await until(() => known(other).size === 1, "the message");
  expect(texts(known(other))).toEqual(["only once"]);
  expect(new Set(lab.incoming.map((incoming) => JSON.stringify(incoming))).size).toBe(1);
});

it("P-D everything is there after a restart, and pages go on where they were", async () => {
  using first = await opened();
  await lab.say("before");
  const post = await lab.adapter.post(THREAD, approvalView(), "ask");
  await until(() => known(first).size === 2, "both");
  const since = lastRevision(first);
  await lab.restart();

  using second = await opened(since);
  expect(second.of("items")[0]).toMatchObject({ items: [], isWhole: false });
  expect(second.of("welcome")[0]?.threads).toMatchObject([
    { id: THREAD, title: "before", waiting: [{ item: post, kind: "approval" }] },
  ]);
  expect(await lab.adapter.post(THREAD, approvalView(), "ask")).toBe(post);
  expect(await lab.adapter.edit(THREAD, post, reply("decided"))).toBe("edited");
  await until(() => second.of("item").length > 0, "the edit");
  expect(second.of("item").every(({ item }) => item.rev > since)).toBe(true);
  using whole = await opened();
  expect(texts(known(whole))).toEqual(["before", "decided"]);
});

it("a long thread comes in pages, the newest first", async () => {
  for (let turn = 0; turn < 80; turn += 1)
    await lab.adapter.post(THREAD, reply(`${turn}`), `${turn}`);
  using watcher = await opened();
  const [first] = watcher.of("items");
  expect(first?.hasEarlier).toBe(true);
  expect(texts(known(watcher))).toHaveLength(50);
  const before = first?.items[0]?.seq;
  const page = await lab.request("GET", `/api/threads/${THREAD}/items?before=${before}`);
  const { items, hasEarlier } = (await page.json()) as { items: Item[]; hasEarlier: boolean };
  expect({ count: items.length, hasEarlier }).toEqual({ count: 30, hasEarlier: false });
});

it("whispers reach their person in all their tabs, and nobody else, now or later", async () => {
  using mine = await opened();
  using theirs = await opened(0, MATE_TOKEN);
  await lab.adapter.whisper(THREAD, "owner", reply("between us"));
  await lab.adapter.post(THREAD, reply("for all"), "k");
  await until(() => known(mine).size === 2 && known(theirs).size === 1, "what is theirs");
  using later = await opened(0, MATE_TOKEN);
  expect(texts(known(later))).toEqual(["for all"]);
  const items = await lab.request("GET", `/api/threads/${THREAD}/items`, { token: MATE_TOKEN });
  expect(await items.text()).not.toContain("between us");
});
