import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openForPeople } from "../../../src/app/people.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { makeDataDirectory } from "../../support/data-directory.ts";
import { LocalWorkspaces } from "../../support/local-workspaces.ts";

const THREAD = "chat:C1:1";
let directory: string;
beforeEach(() => {
  directory = makeDataDirectory("people");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe("the workspace of a thread, for somebody who asks what is in it", () => {
  afterEach(() => void vi.restoreAllMocks());

  it("is waited for only so long where all places are taken, and the way is free afterwards", async () => {
    await using store = await openStore({
      kind: "sqlite",
      file: join(directory, "deckhand.sqlite"),
    });
    using local = new LocalWorkspaces();
    const full = {
      ...local.port,
      open: (_: string, { signal }: { signal?: AbortSignal }) =>
        new Promise<never>((_resolve, reject) => {
          if (signal?.aborted) reject(signal.reason);
        }),
    };
    vi.spyOn(AbortSignal, "timeout").mockImplementationOnce(() => AbortSignal.abort());
    const opening = { store, workspaces: full, holder: "one", fence: undefined };
    await expect(openForPeople(opening, THREAD)).rejects.toThrow("all workspaces may be in use");
    expect(await store.lease(THREAD, "another", 1_000)).toBeDefined();
  });
});
