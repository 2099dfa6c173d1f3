import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openChannelProfiles } from "../../../src/app/channel-profiles.ts";
import { readConfig } from "../../../src/config.ts";
import { childConversation } from "../../../src/contract/conversation/subagent.ts";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "profiles-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function open(text: string) {
  const file = join(directory, "channels.yaml");
  writeFileSync(file, text);
  return openChannelProfiles(readConfig({ CHANNELS_FILE: file }).channelsFile);
}

const SHOP = `
version: 1
channels:
  chat:T1:C1:
    repository: https://git.example/shop.git
    image: deckhand-shop
    instructions: |
      The tests need the database of the compose file.
    approvers: [group:chat:T1:S9]
  chat:T1:
    image: deckhand-team
  web: {}
`;

describe("channel profiles", () => {
  it("hold for the threads of their channel, the most exact one alone", async () => {
    const { imageOf, notesOf, approvers } = open(SHOP);
    expect(imageOf("chat:T1:C1:1.2")).toBe("deckhand-shop");
    expect(imageOf("chat:T1:C2:1.2")).toBe("deckhand-team");
    // The id of another channel may begin with the same letters.
    expect(imageOf("chat:T1:C11:1.2")).toBe("deckhand-team");
    expect(imageOf("chat:T2:C1:1.2")).toBeUndefined();
    expect(imageOf("web:0123")).toBeUndefined();
    expect(await notesOf("chat:T1:C1:1.2")).toBe(
      "The repository of this channel: https://git.example/shop.git\n\n" +
        "The tests need the database of the compose file.",
    );
    expect(await notesOf(childConversation("chat:T1:C1:1.2", "call"))).toContain("shop.git");
    expect(await notesOf("chat:T1:C2:1.2")).toBeUndefined();
    expect(approvers).toEqual({ "chat:T1:C1": ["group:chat:T1:S9"] });
  });

  it("without a file there are none", async () => {
    const { imageOf, notesOf, approvers } = openChannelProfiles(readConfig({}).channelsFile);
    expect([imageOf("web:1"), await notesOf("web:1"), approvers]).toEqual([
      undefined,
      undefined,
      {},
    ]);
  });

  it.each([
    ["channels: {}", "version: write version: 1"],
    ["version: 1\nchannels:\n  '#general': {}", "must be written as platform:team:channel"],
    [
      "version: 1\nchannels:\n  web:\n    approvers: []",
      "(line 4): must name at least one person; omit it otherwise",
    ],
    ["version: 1\nchannels:\n  web:\n    approvers: [Alice]", "(line 4): must be an id such as"],
    ["version: 1\nchannels:\n  web:\n    image: '-v /:/host'", "must be the name of an image"],
    ["version: 1\nchannels:\n  web:\n    privileged: true", "privileged"],
    ["version: 1\nchannels:\n  web: {\n", "is invalid"],
  ])("%j is refused with what to write", (text, message) => {
    expect(() => open(text)).toThrow(message);
    expect(() => open(text)).toThrow("Correct the file and start again.");
  });
});
