import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { describe, expect, it } from "vitest";
import { startModelServer } from "../model-server.ts";
import { post } from "./ask.ts";
import { say } from "./replies.ts";
import type { ModelServer } from "./server.ts";

describe("the script", () => {
  const ask = async (server: ModelServer, content: string) => {
    const { text } = await post(server, "/chat/completions", {
      model: server.model,
      messages: [{ role: "user", content }],
    });
    const { choices, error } = JSON.parse(text);
    return error?.message ?? choices[0].message.content;
  };

  it("answers each conversation by its marker, reply by reply, and says when there is none left", async () => {
    await using server = await startModelServer();
    server.script([say("a1"), say("a2")], { when: "alpha" });
    server.script(({ users }) => say(`echo ${users.at(-1)}`), {
      when: ({ users }) => users.length > 0 && !users[0]?.includes("a"),
    });
    expect(await ask(server, "alpha")).toBe("a1");
    expect(await ask(server, "bb")).toBe("echo bb");
    expect(await ask(server, "alpha")).toBe("a2");
    expect(await ask(server, "alpha")).toMatch(/The script has no reply for request 4/);
    expect(server.problems).toHaveLength(1);
    expect(server.requests.map(({ users }) => users[0])).toEqual(["alpha", "bb", "alpha", "alpha"]);
  });

  it("runs in a process of its own, where it outlives whoever asks it", async () => {
    const folder = await mkdtemp(join(tmpdir(), "model-server-"));
    const file = join(folder, "script.json");
    await writeFile(
      file,
      JSON.stringify([
        { when: "ahoy", replies: [say("from the file")] },
        { replies: [say("to others")] },
      ]),
    );
    const program = join(import.meta.dirname, "..", "model-server.ts");
    const child = spawn(process.execPath, [program, "--script", file, "--model", "m1"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      const [line] = await once(createInterface(child.stdout), "line");
      const { OPENAI_BASE_URL: url, OPENAI_API_KEY: key, MODEL: model } = JSON.parse(line);
      const remote = { url, key, model } as ModelServer;
      expect(await ask(remote, "hello")).toBe("to others");
      expect(await ask(remote, "ahoy")).toBe("from the file");
      await fetch(url.replace("/v1", "/_script"), {
        method: "POST",
        body: JSON.stringify({ replies: [say("added later")] }),
      });
      expect(await ask(remote, "ahoy")).toBe("added later");
      const seen = await (await fetch(url.replace("/v1", "/_requests"))).text();
      expect(JSON.parse(seen).requests.map(({ users }: { users: string[] }) => users[0])).toEqual([
        "hello",
        "ahoy",
        "ahoy",
      ]);
    } finally {
      child.kill();
      await rm(folder, { recursive: true });
    }
  });
});
