import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type AuditLab, auditLab, sampleEntry } from "../../support/audit.ts";

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function audit(lab: AuditLab, ...args: readonly string[]): Promise<Ran> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, DECKHAND_DATA_DIR: lab.directory };
  return new Promise((resolve) => {
    execFile(process.execPath, ["scripts/audit.ts", ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

describe("npm run audit", () => {
  it("16.7 verifies, exports and verifies the export without the store", async () => {
    await using lab = await auditLab();
    for (let index = 0; index < 12; index += 1) await lab.audit.record(sampleEntry(index));
    const verified = await audit(lab, "verify");
    expect(verified).toMatchObject({ code: 0, stdout: expect.stringContaining("12 records") });
    const file = join(lab.directory, "export.jsonl");
    const { stdout } = await audit(lab, "export");
    await writeFile(file, stdout);
    const offline = { ...lab, directory: join(lab.directory, "elsewhere") };
    expect(await audit(offline, "verify", "--file", file)).toMatchObject({ code: 0 });
    await writeFile(file, (await readFile(file, "utf8")).replace("thread-1", "thread-2"));
    expect(await audit(offline, "verify", "--file", file)).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/broken[\s\S]*record \d+: the record was changed/),
    });
  });

  it("shows a table for people, of one conversation and since a time, and nothing that steers the terminal", async () => {
    await using lab = await auditLab();
    for (let index = 0; index < 5; index += 1) await lab.audit.record(sampleEntry(index));
    await lab.audit.record({
      kind: "security.notice",
      actor: "bot",
      message: "\x1b]0;owned\x07\u202ehello\nworld",
    });
    const { stdout } = await audit(lab, "show");
    const lines = stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(7);
    expect(lines[0]).toMatch(/^# +time +who +conversation +what +result$/);
    expect(lines[1]).toMatch(
      /^1 +\d\d \w+ \d{4} \d\d:\d\d:\d\d UTC +web:user-0 +web:thread-0 +Creating file: .*approved by web:owner/,
    );
    for (const steering of ["\x1b", "\x07", "\u202e"]) expect(stdout).not.toContain(steering);
    const own = await audit(lab, "show", "--conversation", "web:thread-0", "--json");
    expect(
      own.stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line).entry.conversation),
    ).toEqual(["web:thread-0", "web:thread-0"]);
    expect((await audit(lab, "show", "--since", "2999-01-01")).stdout).toBe(
      "There are no records.\n",
    );
  });

  it("erases a person while the bot runs, so that not even the database's file has their words", async () => {
    await using lab = await auditLab();
    const person = "slack:T1:ADA";
    for (let index = 0; index < 60; index += 1) {
      const request = `my door is number ${index} ${"x".repeat((index * 97) % 3_000)}`;
      const common = { kind: "call", operation: "a.b", states: ["Queued"] } as const;
      await lab.audit.record({ ...common, actor: person, request });
    }
    expect((await audit(lab, "erase", "--person", "slack:T1:NOONE")).stdout).toContain("No record");
    const { code, stdout } = await audit(lab, "erase", "--person", person);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining("was erased from 60 records"),
    });
    const kept = [lab.file, `${lab.file}-wal`].map((file) => readFileSync(file, "latin1"));
    expect(kept.join("")).not.toMatch(/my door|T1:ADA/);
    expect(await audit(lab, "verify")).toMatchObject({ code: 0 });
  });

  it("says how it is used, and what is wrong with a time", async () => {
    await using lab = await auditLab();
    expect(await audit(lab, "destroy")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("npm run audit -- verify"),
    });
    expect(await audit(lab, "show", "--since", "yesterday")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("yesterday"),
    });
    expect(await audit(lab, "verify", "--file", "/nowhere")).toMatchObject({ code: 2 });
  });
});
