import { describe, expect, it } from "vitest";
import { SlackLab } from "./test-lab.ts";

describe("people in front of Slack", () => {
  it.each([
    ["a call in markup", { text: "<!channel>" }],
    [
      "a call in a section",
      { blocks: [{ type: "section", text: { type: "mrkdwn", text: "<@U123>" } }] },
    ],
    [
      "a call by name in markup that is not verbatim",
      { blocks: [{ type: "section", text: { type: "mrkdwn", text: "@here" } }] },
    ],
    [
      "a disguised link",
      { text: "<https://evil.example|your bank>", unfurl_links: false, unfurl_media: false },
    ],
    [
      "a disguised link in Markdown",
      { markdown_text: "[bank](https://evil.example)", unfurl_links: false, unfurl_media: false },
    ],
    ["a link that is fetched", { text: "see https://evil.example/?a=b" }],
    ["an image", { blocks: [{ type: "image", image_url: "https://a.b/c.png", alt_text: "c" }] }],
    ["words turned round", { text: "\u202egpj.exe" }],
  ])("are alarmed by %s", async (_, args) => {
    await using lab = await SlackLab.start();
    await lab.post(args);
    expect(lab.ada.sees(lab.channel)[0]?.alarms).not.toEqual([]);
  });

  it.each([
    ["escaped markup", { text: "&lt;!channel&gt; &lt;@U123&gt;" }],
    ["a name in plain text", { text: "@here @channel" }],
    [
      "a name in verbatim markup",
      { blocks: [{ type: "section", text: { type: "mrkdwn", text: "@here", verbatim: true } }] },
    ],
    [
      "a link that says where it leads and is not fetched",
      { text: "https://a.example", unfurl_links: false, unfurl_media: false },
    ],
    ["a link in code", { markdown_text: "`https://a.example` ```\n<!here>\n```" }],
  ])("are not alarmed by %s", async (_, args) => {
    await using lab = await SlackLab.start();
    await lab.post(args);
    expect(lab.ada.sees(lab.channel)[0]?.alarms).toEqual([]);
  });
});
