import Docker from "dockerode";
import { describe, expect, it } from "vitest";
import { IMAGE, runInImage } from "../support/run-in-image.ts";
import { isThorough } from "../support/thorough.ts";

const PROGRAMS =
  "bash cc curl gcc git htop jq less make nano node npm patch pip3 ps python3 rg setpriv ssh sudo doas top unzip vim xz";

const MAKES_AND_TESTS = `
set -e
cd /workspace
git init -q project && cd project
git config user.email agent@example.com && git config user.name agent
echo 'int main(void) { return 0; }' > main.c && make -s main && ./main
git add main.c && git commit -qm first && git --no-pager log --format=%s
python3 -c 'import threading; t = threading.Thread(target=print, args=("thread",)); t.start(); t.join()'
node -e 'new (require("node:worker_threads").Worker)("console.log(\\"worker\\")", { eval: true })'
npm init -y > /dev/null && npm ls > /dev/null
python3 -m venv ${isThorough ? "env && env/bin/pip" : "--without-pip env && pip3"} --version > /dev/null
apt list --installed 2> /dev/null | grep -c git
`;

const ASKS_THE_KERNEL = `
import ctypes, errno, platform, socket
libc = ctypes.CDLL(None, use_errno=True)
arm = platform.machine() == "aarch64"
calls = {
    "io_uring_setup": (425, 425), "userfaultfd": (323, 282), "keyctl": (250, 219),
    "add_key": (248, 217), "request_key": (249, 218), "bpf": (321, 280),
    "perf_event_open": (298, 241), "unshare": (272, 97), "mount": (165, 40), "setns": (308, 268),
    "open_by_handle_at": (304, 265), "pivot_root": (155, 41), "init_module": (175, 105),
}
for name, numbers in calls.items():
    ctypes.set_errno(0)
    libc.syscall(numbers[arm], 0x10000000 if name == "unshare" else 0, 0, 0, 0, 0)
    print(name, errno.errorcode.get(ctypes.get_errno(), "allowed"))
ctypes.set_errno(0)
libc.syscall(435, 0, 0)
print("clone3", errno.errorcode.get(ctypes.get_errno(), "allowed"))
for name in ("AF_VSOCK", "AF_ALG", "AF_PACKET"):
    try:
        socket.socket(getattr(socket, name), socket.SOCK_SEQPACKET if name == "AF_ALG" else socket.SOCK_STREAM)
        print(name, "allowed")
    except OSError as error:
        print(name, errno.errorcode[error.errno])
`;

const FINDS_PRIVILEGE = `
import os, stat
seen = 0
for top in ("/usr", "/opt", "/etc", "/home", "/var"):
    for folder, _, names in os.walk(top):
        for path in (os.path.join(folder, name) for name in names):
            mode = os.lstat(path).st_mode
            seen += 1
            if stat.S_ISREG(mode) and mode & (stat.S_ISUID | stat.S_ISGID):
                print("setuid", path)
            if "security.capability" in os.listxattr(path, follow_symlinks=False):
                print("capability", path)
if seen > 1000:
    print("looked")
`;

describe("the sandbox image", () => {
  it("runs a plain command, because its server is no entry point", async () => {
    const [{ StatusCode }, container] = await new Docker().run(IMAGE, ["true"], process.stderr, {
      HostConfig: { NetworkMode: "none" },
    });
    await container.remove();
    expect(StatusCode).toBe(0);
  });

  it("has the programs that people expect", async () => {
    const { output } = await runInImage(
      `for name in ${PROGRAMS}; do command -v $name > /dev/null || echo $name; done`,
    );
    expect(output).toBe("");
  });

  it("works in en_US.UTF-8 as user agent in /workspace", async () => {
    const { output } = await runInImage("id -un; id -u; id -G; pwd; echo $LANG; locale charmap");
    expect(output.split("\n")).toEqual([
      "agent",
      "1000",
      "1000",
      "/workspace",
      "en_US.UTF-8",
      "UTF-8",
    ]);
  });

  it("lets the agent write in its workspace, its home and temporary files only", async () => {
    const { output } = await runInImage(
      "find / -xdev -writable ! -type l ! -path '/proc/*' ! -path '/dev/*' -prune 2> /dev/null | sort",
    );
    expect(output.split("\n")).toEqual(["/home/agent", "/tmp", "/workspace"]);
  });

  it("hides the server's program and ledger from the agent", async () => {
    const { output } = await runInImage(
      "stat -c '%a %U' /opt/deckhand/node /var/lib/deckhand; cat /opt/deckhand/node; ls /var/lib/deckhand",
    );
    expect(output.split("\n").slice(0, 2)).toEqual(["711 root", "700 root"]);
    expect(output.match(/Permission denied/g)).toHaveLength(2);
  });

  it("has no program that gives its user more rights", async () => {
    const { code, output } = await runInImage(`python3 - <<'END'\n${FINDS_PRIVILEGE}\nEND`, {
      user: "0",
    });
    expect({ code, output }).toEqual({ code: 0, output: "looked" });
  });

  it.each(["sudo", "doas"])("explains how to ask when the agent calls %s", async (name) => {
    const { code, output } = await runInImage(`${name} id`);
    expect(code).toBe(1);
    expect(output).toMatch(new RegExp(`^${name}: not root\\. .*${name} as its first word`));
  });

  it("runs what follows sudo when it is root, as another user if told", async () => {
    const root = { user: "0", hardened: true };
    expect((await runInImage("sudo id -u", root)).output).toBe("0");
    expect((await runInImage("sudo -E A=1 sh -c 'echo $A'", root)).output).toBe("1");
    expect((await runInImage("sudo -u agent id -u", root)).output).toBe("1000");
    expect((await runInImage("sudo --shell", root)).code).toBe(1);
  });

  it("does ordinary work under the seccomp profile", async () => {
    const { code, output } = await runInImage(MAKES_AND_TESTS, { hardened: true });
    expect(output.split("\n").slice(0, 3)).toEqual(["first", "thread", "worker"]);
    expect(code).toBe(0);
  });

  it("is refused by the kernel what a workspace has no use for", async () => {
    const { output } = await runInImage(`python3 - <<'END'\n${ASKS_THE_KERNEL}\nEND`, {
      user: "0",
      hardened: true,
    });
    const answers = Object.fromEntries(output.split("\n").map((line) => line.split(" ")));
    const { clone3, ...others } = answers;
    expect(clone3).toBe("ENOSYS");
    expect(Object.keys(others)).toHaveLength(16);
    expect(new Set(Object.values(others))).toEqual(new Set(["EPERM"]));
  });

  it("makes no new namespaces", async () => {
    const { code, output } = await runInImage("unshare --user true", { hardened: true });
    expect(code).not.toBe(0);
    expect(output).toContain("Operation not permitted");
  });
});
