import { execFileSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { approvedEnvironment } from "../../../sandbox-image/server/approved/environment.ts";
import { isFixedVariable } from "../../../src/authorization/shell/fixed-environment.ts";
import { type Lab, permissionLab } from "../../support/permission-lab.ts";

const RUN = "terminal_operations.run_command";

describe("the environment of an approved command", () => {
  let lab: Lab;
  beforeEach(async () => {
    lab = await permissionLab();
  });
  afterEach(() => lab[Symbol.asyncDispose]());

  it("has no variable that a command may change, but for those that lead nowhere", () => {
    const others = Object.keys(approvedEnvironment("root", [["a.b", "c"]])).filter(
      (name) => !isFixedVariable(name),
    );
    expect(others.sort()).toEqual(["LANG", "LOGNAME", "TERM", "USER"]);
  });

  it.each([
    "env -i git push",
    "env - git push",
    "env -iv git push",
    "env --ignore-environment git push",
    "env --ig git push",
    "env -u GIT_CONFIG_COUNT git push",
    "env -uGIT_CONFIG_COUNT git push",
    "env -vu GIT_CONFIG_COUNT git push",
    "env --unset=GIT_CONFIG_GLOBAL git push",
    "env --unset GIT_CONFIG_GLOBAL git push",
    "env -u FOO -u GIT_SSH_COMMAND git push",
    "env -S '-i git push'",
    "env GIT_CONFIG_COUNT=0 git push",
    "env $X git push",
    "unset GIT_CONFIG_COUNT; git push",
    "unset -v GIT_CONFIG_COUNT && git push",
    'unset "GIT_CONFIG"_COUNT; git push',
    "unset ${!GIT_*}; git push",
    "unset GIT_*; git push",
    "GIT_CONFIG_COUNT=0 git push",
    "GIT_CONFIG_COUNT=0; git push",
    "export GIT_CONFIG_COUNT=0; git push",
    "declare -x GIT_CONFIG_COUNT=0; git push",
    "GIT_CONFIG_COUNT+=x git push",
    "GIT_CONFIG_PARAMETERS=\"'core.pager=cat'\" git push",
    "GIT_SSH_COMMAND=ssh git push",
    "GIT_EDITOR='vim -u x' git push",
    "read GIT_CONFIG_COUNT <<< 0; git push",
    "printf -v GIT_CONFIG_COUNT 0; git push",
    "(( GIT_CONFIG_COUNT = 0 )); git push",
    "let GIT_CONFIG_COUNT=0; git push",
    ': "${GIT_CONFIG_COUNT:=0}"; git push',
    "for GIT_CONFIG_COUNT in 0; do git push; done",
    "declare -n other=GIT_CONFIG_COUNT; other=0; git push",
    "export -n GIT_CONFIG_COUNT; git push",
    "declare +x GIT_CONFIG_COUNT; git push",
    "typeset +x PATH; git push",
    "f() { local GIT_CONFIG_COUNT; git push; }; f",
    "exec -c git push",
    "exec -cl git push",
    "exec -a -bash bash -c 'git push'",
    "bash -lc 'git push'",
    "bash -ic 'git push'",
    "bash -l -c 'git push'",
    "bash --login -c 'git push'",
    "bash --rcfile x -c 'git push'",
    "sh -lc 'git push'",
    "bash -c 'unset GIT_CONFIG_COUNT; git push'",
    "eval 'unset GIT_CONFIG_COUNT'; git push",
    "timeout 5 env -i git push",
    "echo x | xargs env -i git push",
    "/usr/bin/ssh host.example id",
    "env -i ssh host.example id",
    "command -p ssh host.example id",
    "rsync -e /usr/bin/ssh a host.example:",
    "hash -p /usr/bin/ssh ssh; ssh host.example id",
    "PATH=/usr/bin:$PATH ssh host.example id",
    "PATH=/usr/bin ssh host.example id",
    "HOME=/workspace git push",
    "tmux new-session -d 'git push'",
    "sudo env -i python3 -m pip --version",
    "unset PYTHONSAFEPATH; sudo python3 -m pip --version",
    "sudo PYTHONSAFEPATH= python3 -m pip --version",
    "sudo -i",
    "sudo -i id",
    "sudo --login id",
    "sudo su -",
    "sudo su - agent -c id",
    "sudo su -l agent -c id",
    "sudo runuser -l agent -c id",
    "sudo bash -lc id",
    "sudo setpriv --reset-env id",
    "git --exec-path=/workspace push",
    "X=1 git --config-env=core.sshCommand=X push",
  ])("is not left by its text: %s", async (command) => {
    expect(await lab.check(RUN, { command })).toMatchObject({
      outcome: "denied",
      reason: expect.stringMatching(/^An approved command must keep .*Ask again without that\.$/),
    });
  });

  it.each([
    "env FOO=1 git push origin main",
    "env -u FOO git push origin main",
    "FOO=1 git push origin main",
    "unset FOO; git push origin main",
    "GIT_EDITOR=true git push origin main",
    "GIT_TERMINAL_PROMPT=0 git push origin main",
    "GIT_COMMITTER_NAME=x git push origin main",
    "PAGER=cat git push origin main",
    'export PATH="$PATH:/usr/local/go/bin"; git push origin main',
    "LANG=C sudo apt-get update",
    "sudo DEBIAN_FRONTEND=noninteractive apt-get install -y nginx",
    "bash -c 'git push origin main'",
    "bash -ec 'git push origin main'",
    "exec git push origin main",
    "command git push origin main",
    "ssh host.example id",
    "sudo ls -l /usr/bin/ssh",
    "sudo su agent -c id",
    "sudo -u agent id",
    "sudo git clone https://host.example/x /opt/x",
    'echo "$PATH"; git push origin main',
    "git commit -m 'unset GIT_CONFIG_COUNT' && git push origin main",
  ])("stays where no variable of it changes: %s", async (command) => {
    expect(await lab.check(RUN, { command })).toMatchObject({ outcome: "ask" });
  });
});

describe("the repository that an approved git uses", () => {
  let lab: Lab;
  const git = (...args: string[]) => execFileSync("git", args, { cwd: lab.files.path(".") });
  beforeEach(async () => {
    lab = await permissionLab();
    for (const name of ["r", "e", "r/sub/deep"]) lab.files.write(`${name}/f`, "x");
    for (const name of ["r", "e"]) git("init", "-q", name);
    git("-C", "e", "config", "remote.origin.receivepack", "touch /tmp/x");
  });
  afterEach(() => lab[Symbol.asyncDispose]());

  it.each([
    "git -C e push",
    "git -C r -C /workspace/e push",
    "git -C r -C sub -C ../../e push",
    "git -C r/sub/deep -C .. -C ../../e push",
    "git -c a.b=1 -c a.c=2 -c a.d=3 -C /workspace/e push",
    "git --no-pager -c a.b=1 -C e push",
    "git --git-dir=/workspace/e/.git push",
    "git --git-dir e/.git push",
    "git -C r --git-dir=../e/.git push",
    "git --git-dir=../e/.git -C r push",
    "git --work-tree r --git-dir=e/.git push",
    "cd e && git push",
    "pushd e && git push",
    "D=e; git -C $D push",
    "for d in r e; do git -C $d push; done",
    "git -C {r,/workspace/e} push",
  ])("is the one whose settings are looked at: %s", async (command) => {
    const { outcome, reason } = await lab.check(RUN, { command });
    expect({ outcome, reason }).toMatchObject({
      outcome: "denied",
      reason: expect.stringContaining("remote.origin.receivepack"),
    });
  });

  it.each([
    "GIT_DIR=/workspace/e/.git git push",
    "export GIT_DIR=/workspace/e/.git; git push",
    "env GIT_DIR=e/.git git push",
    "GIT_COMMON_DIR=/workspace/e/.git git push",
    "env -C /workspace/e git push",
    "env --chdir=e git push",
    "sudo -D /workspace/e git push",
    "git --git-dir=/workspace/other push",
    "git --bare push",
    'git -C "$(cat x)" push',
    "git $OPTIONS push",
    'cd "$(cat x)" && git push',
    "for d in a b c d f; do git -C $d push; done",
  ])("is refused where it cannot be followed: %s", async (command) => {
    expect(await lab.check(RUN, { command })).toMatchObject({
      outcome: "denied",
      reason: expect.stringMatching(/^An approved command must keep|The repository that git uses/),
    });
  });

  const digest = async (directory: string) => {
    const { call } = await lab.question(RUN, { command: `git -C ${directory} push origin main` });
    expect(call.run?.repositories).toMatchObject([{ directory: `/workspace/${directory}` }]);
    return call.run?.repositories[0]?.sha256;
  };

  it.each([
    ["a nearer one", "git init -q r/sub"],
    [
      "another place of its settings",
      "mkdir r/x && cp -r r/.git/* r/x && echo ../x > r/.git/commondir",
    ],
    ["a setting", "git -C r config a.b c"],
    [
      "settings of the working tree",
      "git -C r config extensions.worktreeConfig true && git -C r config --worktree a.b c",
    ],
    ["a file that names it", "mv r/.git g && echo 'gitdir: ../g' > r/.git"],
    ["a link", "mv r/.git g && ln -s ../g r/.git"],
  ])("is another one after %s", async (_what, change) => {
    const before = await digest("r/sub");
    execFileSync("bash", ["-ec", change], { cwd: lab.files.path(".") });
    expect(await digest("r/sub")).not.toBe(before);
  });

  it("is the one that git itself finds, whatever only looks like one", async () => {
    const before = await digest("r/sub");
    lab.files.write("r/sub/.git/HEAD", "ref: refs/heads/main\n");
    lab.files.write("r/sub/.git/config", '[remote "origin"]\n\turl = https://decoy.example/\n');
    expect(await digest("r/sub")).toBe(before);
  });

  it.each(["HEAD", "objects", "."])(
    "is refused where the agent cannot read %s of it",
    async (name) => {
      chmodSync(lab.files.path(`r/.git/${name}`), 0);
      const asked = lab.check(RUN, { command: "git -C r push origin main" });
      await expect(asked).rejects.toThrow(/not readable by its owner/);
    },
  );
});

describe("code of the workspace that root loads without naming it", () => {
  let lab: Lab;
  beforeEach(async () => {
    lab = await permissionLab();
    for (const name of ["pkg/setup.py", "lib/X.pm", "t.py"]) lab.files.write(name, "1;\n");
  });
  afterEach(() => lab[Symbol.asyncDispose]());

  const says = async (command: string) => {
    const { effect } = await lab.question(RUN, { command });
    return effect.notes.find((note) => /runs? code from the workspace/.test(note)) ?? "";
  };

  it.each([
    `cd pkg && sudo node -e 'require("lab")'`,
    "cd pkg && sudo python3 -E -c 'import lab'",
    "sudo pip install ./pkg",
    "sudo pip install /workspace/pkg",
    "cd pkg && sudo pip install .",
    "sudo pip install -e ./pkg",
    "sudo python3 -m pip install ./pkg",
  ])("is on the card: %s", async (command) => {
    expect(await says(command)).toContain("/workspace");
  });

  it.each([
    `sudo node -e 'require("lab")'`,
    `sudo node -p 'require("lab")'`,
    `sudo node --eval 'require("lab")'`,
    "sudo python3 -E -c 'import lab'",
    "sudo python3 -Es -c 'import lab'",
    "sudo perl -Ilib -MX -e 1",
    "sudo perl -Mlib=lib -MX -e 1",
    "sudo ruby -Ilib -e 'require \"x\"'",
  ])("cannot be found from where root starts: %s", async (command) => {
    const { call } = await lab.question(RUN, { command });
    expect(call.run?.directory).toBe("/");
    expect(await says(command)).toBe("");
  });

  it.each([
    "sudo pip install requests",
    "sudo python3 -m pip install requests",
    "sudo python3 -c 'print(1)'",
    "sudo node --version",
    "sudo perl -e 'print 1'",
  ])("is not claimed where there is none: %s", async (command) => {
    expect(await says(command)).toBe("");
  });
});
