import { chmodSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { command, docker, startEngine, type TestEngine } from "../support/engine.ts";
import { eventually } from "../support/until.ts";

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

async function imagesOf(engine: TestEngine): Promise<string[]> {
  const templates = readdirSync(engine.dataDir).filter((name) => name.endsWith(".ext4"));
  const volumes = (await engine.volumes()).filter((name) => /-(files|state)$/.test(name));
  const data = volumes.map((name) =>
    docker("volume", "inspect", "--format", "{{.Mountpoint}}", name),
  );
  return [
    ...templates.map((name) => join(engine.dataDir, name)),
    ...(await Promise.all(data)).map((path) => path.replace(/_data$/, "disk.ext4")),
  ];
}

describe("disk images", () => {
  it("are readable by the bot's user alone, and repaired at the next start", async () => {
    await using engine = await startEngine();
    await command(await engine.workspaces.open("images", { fence: 1 }), "true");
    const images = await imagesOf(engine);
    expect(images).toHaveLength(4);
    expect(images.map(modeOf)).toEqual(["600", "600", "600", "600"]);
    expect(modeOf(engine.dataDir)).toBe("700");
    for (const image of images) chmodSync(image, 0o644);
    chmodSync(engine.dataDir, 0o755);
    await engine.workspaces.close();
    await engine.again();
    await eventually(async () => {
      expect([...images, engine.dataDir].map(modeOf)).toEqual(["600", "600", "600", "600", "700"]);
    });
  });
});
