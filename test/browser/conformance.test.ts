import { afterAll, beforeAll } from "vitest";
import { buildPage, type Page } from "../../adapters/web/page.ts";
import { decodeThread, encodeThread } from "../../adapters/web/thread.ts";
import { adapterContract } from "../contracts/adapter.ts";
import { launchBrowser } from "./rig.ts";
import { openWebRig } from "./web-people.ts";

const shared = {} as { browser: Awaited<ReturnType<typeof launchBrowser>>; page: Page };

beforeAll(async () => {
  shared.browser = await launchBrowser();
  shared.page = await buildPage();
});
afterAll(() => shared.browser.close());

adapterContract({
  name: "web",
  // It is its own platform, and has no connection to one that could be lost.
  lacks: ["reconnects"],
  threadNames: {
    places: ["000000000000000000000000", "0123456789abcdef01234567", "ffffffffffffffffffffffff"],
    encode: encodeThread,
    decode: decodeThread,
  },
  open: () => openWebRig(shared.browser, shared.page),
});
