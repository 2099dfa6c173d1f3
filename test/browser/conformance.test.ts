import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import type { Page } from "../../adapters/web/page.ts";
import { decodeThread, encodeThread } from "../../adapters/web/thread.ts";
import { adapterContract } from "../contracts/adapter.ts";
import { pageOnce } from "./rig.ts";
import { connectBrowser } from "./shared-browser.ts";
import { openWebRig, Tabs } from "./web-people.ts";

const shared = {} as { browser: Browser; tabs: Tabs; page: Page };

beforeAll(async () => {
  shared.browser = await connectBrowser();
  shared.tabs = new Tabs(shared.browser);
  shared.page = await pageOnce();
});
afterAll(() => shared.browser.close());

adapterContract({
  name: "web",
  // It is its own platform, and has no connection to one that could be lost.
  lacks: ["reconnects", "a server elsewhere"],
  threadNames: {
    places: ["000000000000000000000000", "0123456789abcdef01234567", "ffffffffffffffffffffffff"],
    encode: encodeThread,
    decode: decodeThread,
  },
  open: () => openWebRig(shared.tabs, shared.page),
});
