import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ApprovedRun } from "../../../src/contract/workspace/approved-run.ts";
import { type ApprovedRuns, openApprovedRuns } from "../../support/approved-runs.ts";
import { command } from "../../support/engine.ts";
import { sampleOf } from "../../support/thorough.ts";
import {
  type Attack,
  CURRENT_DIRECTORY,
  IN_SYSTEM_DIRECTORIES,
  LAUNCHERS,
  LOADERS,
  SETTINGS,
  SYSTEM_LINKS,
  THROUGH_PROC,
  WORKLOAD_CODE,
} from "./workload-code.ts";

describe("the boundary around an approved command of root", () => {
  let lab: ApprovedRuns;
  beforeAll(async () => {
    lab = await openApprovedRuns("a thread with code for root");
    await lab.asAgent(WORKLOAD_CODE);
    await lab.asRoot(SYSTEM_LINKS);
  });
  afterAll(() => lab[Symbol.asyncDispose]());

  /** What the server does with a run, whatever the guard would have said about its text. */
  const runAsRoot = (
    text: string,
    { confined = true, readable = [], directory = "/root" }: Partial<ApprovedRun> = {},
  ) =>
    command(lab.workspace, text, {
      as: "root",
      run: {
        ...{ directory, command: text, readable, confined },
        ...{ files: [], missing: [], system: [], data: [], git: [], changed: [], directories: [] },
        ...{ repositories: [], pushes: [] },
      },
    });

  /** The names of the attacks after which the mark of the workload's code is there. */
  async function bites(attacks: readonly Attack[], confined: boolean): Promise<string[]> {
    const lines = attacks.map(
      ({ name, command: text, directory = "/root" }) =>
        `( cd ${directory}; eval ${quoted(text)}; ) > /dev/null 2>&1 < /dev/null; [ ! -e /root/pwned ] || echo ${quoted(name)}; rm -f /root/pwned`,
    );
    const { output } = await runAsRoot([...lines, "true"].join("\n"), { confined });
    return String(output)
      .split("\n")
      .filter((line) => line !== "");
  }

  it.each([
    ["launch", LAUNCHERS],
    ["load", LOADERS],
    ["obey as settings", SETTINGS],
    ["find in the current directory", CURRENT_DIRECTORY],
    ["find in directories of the system", IN_SYSTEM_DIRECTORIES],
    ["reach through /proc", THROUGH_PROC],
  ])(
    "keeps root from code of the workload that programs %s, which a careless root executes",
    async (_, attacks) => {
      expect(await bites(attacks, true)).toEqual([]);
      // That root would execute it depends on the table and the image alone.
      const tried = sampleOf(attacks, 4);
      expect(await bites(tried, false)).toEqual(tried.map(({ name }) => name));
    },
    120_000,
  );

  it("lets root read and execute what the run names, and change nothing of it", async () => {
    const text = "/workspace/bin/evil; cat /workspace/x.py; ls /workspace/bin; rm -f /root/pwned";
    expect(
      await runAsRoot(text, { readable: ["/workspace/bin", "/workspace/x.py"] }),
    ).toMatchObject({
      success: true,
      output: 'open("/root/pwned","w")\nevil\n',
    });
    for (const change of [
      "touch bin/new",
      "echo >> x.py",
      "rm bin/evil",
      "mv bin/evil /root/",
      "ln x.py bin/l",
      "mkdir d",
      "truncate -s 0 x.py",
      "ln -s / s",
      "mkfifo f",
    ]) {
      const changed = await runAsRoot(change, {
        readable: ["/workspace/bin", "/workspace/x.py"],
        directory: "/workspace",
      });
      expect(changed).toMatchObject({
        success: false,
        output: expect.stringContaining("ermission denied"),
      });
    }
  });

  it.each(["/workspace/new", "/tmp/new", "/dev/shm/new", "/new", "/dev/new"])(
    "creates nothing where the workload does, nor beside the top directories: %s",
    async (path) => {
      expect(await runAsRoot(`touch ${path}`)).toMatchObject({ success: false });
      expect(await runAsRoot(`mkdir ${path}`)).toMatchObject({ success: false });
      expect(await runAsRoot(`mkdir ${path} && rmdir ${path}`, { confined: false })).toMatchObject({
        success: true,
      });
    },
  );

  it("refuses a path that was replaced by a link or is gone, and runs nothing", async () => {
    await lab.asAgent("mkdir -p real/d; ln -sfn real link");
    for (const path of ["/workspace/link", "/workspace/link/d", "/workspace/gone"]) {
      expect(await runAsRoot("touch /root/ran", { readable: [path] })).toMatchObject({
        success: false,
        changedSinceApproval: true,
      });
    }
    expect(await lab.asRoot("ls /root/ran 2>&1 || true")).toContain("No such file");
  });

  it("hands root no descriptor and no socket of the workload", async () => {
    const own = await runAsRoot("ls -l /proc/self/fd | grep -o '[0-9]* -> [a-z/]*'", {
      readable: ["/workspace/x"],
    });
    expect(own.output).toMatch(/^0 -> \/dev\/null\n1 -> pipe\n2 -> socket\n3 -> \/proc\//);
    const listener = `python3 -c '
import os, socket
s = socket.socket(socket.AF_UNIX); s.bind("\\0evil"); s.listen(1)
while os.path.exists("/tmp/racing"):
    s.settimeout(0.2)
    try: s.accept()[0].send(b"evil")
    except OSError: pass
'`;
    const connects = `for i in $(seq 50); do python3 -c '
import socket
s = socket.socket(socket.AF_UNIX); s.connect("\\0evil"); print(s.recv(9))' 2>&1 | grep -v refused && break; sleep 0.1; done`;
    const [careless, confined] = await lab.during(listener, async () => [
      await runAsRoot(connects, { confined: false }),
      await runAsRoot(connects),
    ]);
    expect(careless?.output).toContain("b'evil'");
    expect(confined?.output).toMatch(/Operation not permitted/);
  });

  it("keeps root from terminals, also from those that the workload opens later", async () => {
    const close = { operation: "close_session", session_id: "a thread with code for root" };
    await lab.workspace.call({ id: randomUUID(), tool: "terminal_operations", args: close });
    expect(await lab.asRoot("ls /dev/pts")).toBe("ptmx");
    const opens = `python3 -c '
import os, pty, subprocess, time
while subprocess.run(["pgrep", "-u", "0", "-x", "sleep"], stdout=subprocess.DEVNULL).returncode: pass
terminal, _ = pty.openpty()
while os.path.exists("/tmp/racing"): os.write(terminal, b"evil\\n"); time.sleep(0.05)
'`;
    const reads =
      "until ls /dev/pts/[0-9]* > /dev/null 2>&1; do sleep 0.2; done; head -n 1 /dev/pts/[0-9]*";
    const read = async (confined: boolean) =>
      (await lab.during(opens, () => runAsRoot(reads, { confined }))).output;
    expect(await read(false)).toBe("evil\n");
    expect(await read(true)).toMatch(/ermission denied/);
  });

  it("lets root open no terminal of its own, and says so", async () => {
    const opens = "script -qc 'echo opened' /dev/null";
    expect(await runAsRoot(opens)).toMatchObject({
      success: false,
      output: expect.stringContaining("ermission denied"),
      notice: expect.stringContaining("cannot open a terminal"),
    });
    expect(await runAsRoot(opens, { confined: false })).toMatchObject({ output: "opened\n" });
  });

  it("gives root a directory for temporary files, and removes it afterwards", async () => {
    const made = await runAsRoot('f=$(mktemp); stat -c "%n %a %U" "$f" "$TMPDIR"');
    const place = /^(\/run\/deckhand\/tmp\/run-\w+)\/tmp\.\w+ 600 root\n\1 700 root\n$/.exec(
      String(made.output),
    );
    expect(place).not.toBeNull();
    expect(await lab.asRoot("ls /run/deckhand/tmp")).toBe("");
  });

  it("keeps that directory while a process uses it, and removes it a day later", async () => {
    await runAsRoot('echo kept > "$TMPDIR/file"; setsid sleep 1000 > /dev/null 2>&1 &');
    expect(await lab.asRoot("cat /run/deckhand/tmp/run-*/file")).toBe("kept");
    await lab.asRoot("pkill -x sleep; touch -d '2 days ago' /run/deckhand/tmp/run-*");
    await runAsRoot("true");
    expect(await lab.asRoot("ls /run/deckhand/tmp")).toBe("");
  });

  it("explains a failure that the boundary may have caused, and no other", async () => {
    const denied = await runAsRoot("cat /workspace/x");
    expect(denied.notice).toMatch(/^Root sees only the workspace files that the card names/);
    expect(denied.notice).toMatch(/workspace's user can write these: \/.* \d more\. /);
    expect((await runAsRoot("cat /nowhere")).notice).toBeUndefined();
    expect((await runAsRoot("echo Permission denied")).notice).toBeUndefined();
    expect((await runAsRoot("cat /workspace/x", { confined: false })).notice).toBeUndefined();
  });
});

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
