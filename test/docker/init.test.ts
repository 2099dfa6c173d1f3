import { text } from "node:stream/consumers";
import Docker from "dockerode";
import { afterEach, describe, expect, it } from "vitest";
import { IMAGE } from "../support/run-in-image.ts";

const docker = new Docker();
let container: Docker.Container;

afterEach(() => container.remove({ force: true, v: true }));

/** A container whose server runs. */
async function started(CapAdd: string[] = []): Promise<Docker.Container> {
  container = await docker.createContainer({
    Image: IMAGE,
    OpenStdin: true,
    HostConfig: { NetworkMode: "none", CapAdd },
  });
  await container.start();
  return container;
}

async function exec(command: string[], user: string): Promise<string> {
  const running = await container.exec({
    Cmd: command,
    User: user,
    Tty: true,
    AttachStdout: true,
    AttachStderr: true,
  });
  const stream = await running.start({ Tty: true });
  return (await text(stream)).replaceAll("\r", "");
}

const NONE = "0".repeat(16);
/** CAP_KILL; plain containers lack CAP_DAC_READ_SEARCH, which workspaces add. */
const KILL = "0000000000000020";
const KILL_AND_READ = "0000000000000024";

describe("the container's init", () => {
  it.each([
    ["plain", [], KILL],
    ["a workspace's", ["DAC_READ_SEARCH"], KILL_AND_READ],
  ])(
    "starts the supervisor as a user of its own with two capabilities: %s",
    async (_kind, added, held) => {
      await started(added);
      const status = await exec(["cat", "/proc/1/status"], "0");
      expect(status).toMatch(/^Uid:\t998\t998\t998\t998$/m);
      expect(status).toMatch(/^Groups:\t\s*$/m);
      expect(status).toMatch(/^NoNewPrivs:\t1$/m);
      for (const set of ["Inh", "Prm", "Eff", "Bnd", "Amb"]) {
        expect(status).toContain(`Cap${set}:\t${held}\n`);
      }
    },
  );

  it("starts the worker as uid 1000 without any capability or a way to get one", async () => {
    await started();
    const find = "until P=$(pgrep -xf '.*server worker'); do sleep 0.1; done";
    const status = await exec(
      ["sh", "-c", `${find}; cat /proc/$P/status /proc/$P/oom_score_adj`],
      "0",
    );
    expect(status).toMatch(/^Uid:\t1000\t1000\t1000\t1000$/m);
    expect(status).toMatch(/^Groups:\t\s*$/m);
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    for (const set of ["Inh", "Prm", "Eff", "Bnd", "Amb"]) {
      expect(status).toContain(`Cap${set}:\t${NONE}\n`);
    }
    expect(status).toMatch(/^600$/m);
  });

  it("hands the server a ledger that nobody else can open", async () => {
    await started();
    const files = ["/var/lib/deckhand/ledger.a", "/var/lib/deckhand/ledger.b"];
    expect(await exec(["stat", "-c", "%a %u", ...files], "0")).toBe("600 0\n600 0\n");
    expect(await exec(["cat", "/var/lib/deckhand/ledger.a"], "1000")).toContain(
      "Permission denied",
    );
  });

  it("keeps what the server starts from looking into it", async () => {
    await started();
    for (const file of ["mem", "environ", "fd", "maps"]) {
      expect(await exec(["ls", "-l", `/proc/1/${file}/`, "--"], "1000")).toMatch(
        /denied|Not a dir/,
      );
      expect(await exec(["head", "-c1", `/proc/1/${file}`], "1000")).toMatch(
        /denied|Is a directory/,
      );
    }
  });
});
