import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { command, docker, startEngine } from "../support/engine.ts";
import { IMAGE } from "../support/run-in-image.ts";

const fence = 1;
const TEAM = "deckhand-test-channel";

/** The sandbox image with one file more. */
beforeAll(async () => {
  const script = "echo shop > /etc/team";
  const container = await docker(
    ...[
      "create",
      "--user",
      "0",
      "--network",
      "none",
      "--entrypoint",
      "",
      IMAGE,
      "bash",
      "-c",
      script,
    ],
  );
  await docker("start", "--attach", container);
  const format = "{{json .Config}}";
  const config = JSON.parse(await docker("image", "inspect", "--format", format, IMAGE));
  const changes = [
    `USER ${config.User || "0"}`,
    `ENTRYPOINT ${JSON.stringify(config.Entrypoint ?? [])}`,
    `CMD ${JSON.stringify(config.Cmd ?? [])}`,
  ];
  await docker("commit", ...changes.flatMap((one) => ["--change", one]), container, TEAM);
  await docker("rm", container);
});

afterAll(() => docker("image", "rm", "--force", TEAM));

describe("the image of a channel's profile", () => {
  it("is what its threads' workspaces are made from, past the pool, and no others", async () => {
    const imageOf = (conversation: string) => (conversation === "shop" ? TEAM : undefined);
    await using engine = await startEngine({ settings: { poolSize: 1 }, imageOf });
    const shop = await engine.workspaces.open("shop", { fence });
    expect(await command(shop, "cat /etc/team")).toMatchObject({ output: "shop\n" });
    const other = await engine.workspaces.open("other", { fence });
    expect(await command(other, "cat /etc/team")).toMatchObject({ success: false });
  });

  it("takes the place of the one before when nothing runs, and the files stay", async () => {
    await using engine = await startEngine();
    const before = await engine.workspaces.open("shop", { fence });
    await command(before, "echo kept > kept.txt");
    await engine.workspaces.close();
    const later = await engine.again({ imageOf: () => TEAM });
    const after = await later.open("shop", { fence: fence + 1 });
    expect(await command(after, "cat /etc/team kept.txt")).toMatchObject({
      output: "shop\nkept\n",
    });
  });

  it("says which image is missing", async () => {
    await using engine = await startEngine({ imageOf: () => "deckhand-test-nowhere" });
    await expect(engine.workspaces.open("shop", { fence })).rejects.toThrow(
      'The sandbox image "deckhand-test-nowhere" is missing.',
    );
  });
});
