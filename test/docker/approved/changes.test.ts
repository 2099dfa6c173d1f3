import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ApprovalQuestion } from "../../../src/contract/approval.ts";
import type { OperationResult } from "../../../src/contract/operation.ts";
import type { Workspace } from "../../../src/contract/workspace.ts";
import { command, docker, startEngine, type TestEngine } from "../../support/engine.ts";
import { type Lab, permissionLab } from "../../support/permission-lab.ts";
import { caseCount } from "../../support/thorough.ts";

const RUN = "terminal_operations.run_command";
const CONVERSATION = "a thread whose files change";
const GOOD = "echo good";
const EVIL = "echo evil; touch /tmp/evil-$(id -u)";

/** What the workload does between the card and the click; `/workspace/app` holds what the commands use. */
const CHANGES: Readonly<Record<string, { command: string; change: string; directory?: string }>> = {
  "a script rewritten in place": {
    command: "sudo bash app/deploy.sh",
    change: `echo '${EVIL}' > app/deploy.sh`,
  },
  "a script replaced by another file": {
    command: "sudo ./app/deploy.sh",
    change: `printf '#!/bin/bash\\n${EVIL}\\n' > app/new; chmod 755 app/new; mv app/new app/deploy.sh`,
  },
  "a script replaced by a link": {
    command: "sudo bash app/deploy.sh",
    change: `echo '${EVIL}' > app/other.sh; ln -sf other.sh app/deploy.sh`,
  },
  "a script replaced by a pipe": {
    command: "sudo bash app/deploy.sh",
    change: "rm app/deploy.sh; mkfifo app/deploy.sh",
  },
  "a renamed parent directory": {
    command: "sudo bash app/deploy.sh",
    change: `mv app old; mkdir app; echo '${EVIL}' > app/deploy.sh`,
  },
  "a parent directory replaced by a link": {
    command: "sudo bash app/deploy.sh",
    change: `mv app old; mkdir other; echo '${EVIL}' > other/deploy.sh; ln -s other app`,
  },
  "one byte more": { command: "sudo bash app/deploy.sh", change: "echo >> app/deploy.sh" },
  "another mode": { command: "sudo ./app/deploy.sh", change: "chmod 700 app/deploy.sh" },
  "a deleted script": { command: "sudo bash app/deploy.sh", change: "rm app/deploy.sh" },
  "a script read from the input": {
    command: "sudo bash < app/deploy.sh",
    change: `echo '${EVIL}' > app/deploy.sh`,
  },
  "a sourced script": {
    command: "sudo bash -c '. app/deploy.sh'",
    change: `echo '${EVIL}' > app/deploy.sh`,
  },
  "a script inside a shell's text": {
    command: "sudo sh -c 'cd app && ./deploy.sh'",
    change: `printf '#!/bin/bash\\n${EVIL}\\n' > app/deploy.sh`,
  },
  "a script behind wrappers": {
    command: "sudo env A=1 timeout 20 nice bash app/deploy.sh",
    change: `echo '${EVIL}' > app/deploy.sh`,
  },
  "a Makefile": {
    command: "sudo make install",
    change: `printf 'install:\\n\\t${EVIL.replaceAll("$", "$$$$")}\\n' > Makefile`,
  },
  "a Makefile that comes before the one on the card": {
    command: "sudo make install",
    change: `printf 'install:\\n\\t${EVIL.replaceAll("$", "$$$$")}\\n' > GNUmakefile`,
  },
  "a Python script": {
    command: "sudo python3 app/tool.py",
    change: `echo 'import os; os.system("touch /tmp/evil-0")' > app/tool.py`,
  },
  "a Node script": {
    command: "sudo node app/tool.js",
    change: `echo 'require("fs").writeFileSync("/tmp/evil-0","")' > app/tool.js`,
  },
  "an awk program": {
    command: "sudo awk -f app/tool.awk /etc/hostname",
    change: `echo 'BEGIN { system("touch /tmp/evil-0") }' > app/tool.awk`,
  },
  "a sed program": {
    command: "sudo sed -n -f app/tool.sed /etc/hostname",
    change: `echo 'w /tmp/evil-0' > app/tool.sed`,
  },
  "the arguments of xargs": {
    command: "sudo xargs -a app/list touch",
    change: "echo /tmp/evil-0 > app/list",
  },
  "a file named inside Python code": {
    command: `sudo python3 -c 'exec(open("app/tool.py").read())'`,
    change: `echo 'open("/tmp/evil-0","w")' > app/tool.py`,
  },
  "a script named inside an awk program": {
    command: `sudo awk 'BEGIN { system("sh app/deploy.sh") }'`,
    change: `echo '${EVIL}' > app/deploy.sh`,
  },
  "a file that root would move to its programs": {
    command: "sudo mv app/deploy.sh /usr/local/bin/deploy-moved && sudo deploy-moved",
    change: `echo '${EVIL}' > app/deploy.sh`,
  },
  "a script of the agent": {
    command: "make install && bash app/deploy.sh",
    change: `echo '${EVIL}' > app/deploy.sh`,
  },
  "a package's settings": {
    command: "npm publish --offline",
    change: `echo '{"name":"lab","version":"1.0.0","scripts":{"prepublishOnly":"touch /tmp/evil-1000"}}' > package.json`,
  },
  "settings of npm that appear": {
    command: "npm publish --offline",
    change: "echo 'registry=http://evil.example/' > .npmrc",
  },
  "another address to push to": {
    command: "git push origin main",
    change: "git config remote.origin.pushurl /tmp/evil-1000",
  },
  "a working directory replaced by a link": {
    command: "sudo touch marker",
    directory: "/workspace/app",
    change: "mv app old; ln -s /etc app",
  },
  "a working directory that is gone": {
    command: "sudo touch marker",
    directory: "/workspace/app",
    change: "rm -rf app",
  },
  "a working directory below a link": {
    command: "sudo touch marker",
    directory: "/workspace/app/deep",
    change: "mv app old; mkdir -p other/deep; ln -s other app",
  },
};

const SETUP = `
rm -rf /tmp/evil-*; find /workspace -mindepth 1 -delete; cd /workspace; mkdir -p app/deep
printf '#!/bin/bash\\n${GOOD}\\n' > app/deploy.sh; chmod 755 app/deploy.sh
echo 'print("good")' > app/tool.py; echo 'console.log("good")' > app/tool.js
echo 'BEGIN { print "good" }' > app/tool.awk; echo p > app/tool.sed; echo /tmp/good > app/list
printf 'install:\\n\\t@${GOOD}\\n' > Makefile; echo '{"name":"lab","version":"1.0.0"}' > package.json
git init -q -b main .; git add .; git -c user.name=a -c user.email=a@b commit -qm one
rm -rf /tmp/remote.git; git init -q --bare /tmp/remote.git; git remote add origin /tmp/remote.git
`;

describe("files and directories that change after the card", () => {
  let engine: TestEngine;
  let lab: Lab;
  let workspace: Workspace;
  let container: string;
  beforeAll(async () => {
    engine = await startEngine();
    lab = await permissionLab();
    workspace = await engine.workspaces.open(CONVERSATION, { fence: 1 });
    await command(workspace, "true");
    container = await engine.containerOf(CONVERSATION);
  });
  afterAll(async () => {
    await lab[Symbol.asyncDispose]();
    await engine[Symbol.asyncDispose]();
  });

  const asAgent = (script: string) =>
    docker(
      "exec",
      "-u",
      "1000:1000",
      "-w",
      "/workspace",
      "-e",
      "HOME=/home/agent",
      container,
      "bash",
      "-c",
      script,
    );
  const card = (text: string, directory?: string): Promise<ApprovalQuestion> =>
    lab.question(
      RUN,
      { command: text, ...(directory === undefined ? {} : { working_directory: directory }) },
      { workspace: async () => workspace },
    );
  const click = async ({ call }: ApprovalQuestion): Promise<OperationResult> => {
    if (!call.run) throw new Error("The approval binds no run.");
    return command(workspace, String(call.params.command), { as: call.identity, run: call.run });
  };
  const evils = () =>
    asAgent("ls -d /tmp/evil-* /etc/marker /workspace/*/marker 2>/dev/null || true");

  it.each(Object.entries(CHANGES))(
    "refuses to run after %s",
    async (_title, { command: text, change, directory }) => {
      await asAgent(SETUP);
      const question = await card(text, directory);
      expect(question.effect.workingDirectory).toBe(directory ?? "/workspace");
      await asAgent(change);
      const result = await click(question);
      expect(result).toMatchObject({
        success: false,
        kind: "permissionDenied",
        message: expect.stringMatching(/changed since/),
        changedSinceApproval: true,
      });
      expect(await evils()).toBe("");
    },
  );

  it("shows that a careless server runs the changed script as root", async () => {
    await asAgent(SETUP);
    await asAgent(`echo '${EVIL}' > app/deploy.sh`);
    await docker(
      "exec",
      "-u",
      "0",
      "-w",
      "/workspace",
      container,
      "bash",
      "-c",
      "sudo bash app/deploy.sh",
    );
    expect(await evils()).toBe("/tmp/evil-0");
    await docker("exec", "-u", "0", container, "rm", "/tmp/evil-0");
  });

  it("runs unchanged code in the directory that the card shows, and says that it is the workspace's", async () => {
    await asAgent(SETUP);
    const question = await card("sudo bash deploy.sh; pwd", "/workspace/app");
    expect(question.effect.notes.join("\n")).toMatch(
      /runs code from the workspace: \/workspace\/app\/deploy\.sh/,
    );
    expect(await click(question)).toMatchObject({
      success: true,
      output: "good\n/workspace/app\n",
    });
  });

  it("starts root outside of the workspace where the command needs no directory", async () => {
    await asAgent(`${SETUP} echo 'open("/tmp/evil-0","w")' > pip.py; cp pip.py sitecustomize.py`);
    const question = await card("sudo python3 -m pip --version; sudo id -u");
    expect(question.effect).toMatchObject({ workingDirectory: "/root", runsAs: "root" });
    expect(await click(question)).toMatchObject({
      success: true,
      output: expect.stringMatching(/^pip .*\n0\n$/),
    });
    expect(await evils()).toBe("");
    // The careless control: root in the workspace imports what lies there.
    await docker(
      "exec",
      "-u",
      "0",
      "-w",
      "/workspace",
      container,
      "python3",
      "-m",
      "pip",
      "--version",
    ).catch(() => "");
    expect(await evils()).toBe("/tmp/evil-0");
    await docker("exec", "-u", "0", container, "rm", "/tmp/evil-0");
  });

  it("never runs other bytes as root than those of the digest, however fast they change", async () => {
    await asAgent(SETUP);
    const flip = `cd /workspace; cp app/deploy.sh /tmp/good.sh; printf '#!/bin/bash\\n${EVIL}\\n' > /tmp/evil.sh; chmod 755 /tmp/evil.sh
while [ -e /tmp/racing ]; do cat /tmp/evil.sh > app/deploy.sh; cat /tmp/good.sh > app/deploy.sh; cp /tmp/evil.sh n; mv n app/deploy.sh
mv app gone; mkdir app; cp /tmp/evil.sh app/deploy.sh; rm -r app; mv gone app; cp /tmp/good.sh n; mv n app/deploy.sh; sleep 0.01; done`;
    const question = await card("sudo ./app/deploy.sh");
    await asAgent("touch /tmp/racing");
    const racing = asAgent(flip);
    const outcomes = { good: 0, refused: 0 };
    const races = caseCount({ perChange: 25, all: 1000 });
    for (let race = 0; race < races; race++) {
      const result = await click(question);
      if (result.success) {
        expect(result.output).toBe("good\n");
        outcomes.good += 1;
      } else {
        expect(result).toMatchObject({ changedSinceApproval: true });
        outcomes.refused += 1;
      }
    }
    await asAgent("rm /tmp/racing");
    await racing;
    expect(await evils()).toBe("");
    expect(outcomes.good + outcomes.refused).toBe(races);
  }, 1_200_000);

  const asRoot = (script: string) =>
    docker("exec", "-u", "0", "-w", "/workspace", container, "bash", "-c", script);
  const GOOD_DATA = "yes good data | head -n 100000 > app/app.conf";
  /** Rewrites the file in place, replaces it and swaps its directory, all the time; it is good about half of the time. */
  const FLIP_DATA = `cp app/app.conf /tmp/good.conf; tr g e < /tmp/good.conf > /tmp/evil.conf; touch /tmp/racing
while [ -e /tmp/racing ]; do cat /tmp/evil.conf > app/app.conf; cat /tmp/good.conf > app/app.conf; sleep 0.02
cp /tmp/evil.conf n; mv n app/app.conf; cp /tmp/good.conf n; mv n app/app.conf; sleep 0.02
mv app gone; mkdir app; cp /tmp/evil.conf app/app.conf; rm -r app; mv gone app; sleep 0.02; done`;

  it.each([
    "sudo cp app/app.conf /etc/raced",
    "sudo install -m 644 app/app.conf /etc/raced",
    "sudo tee /etc/raced < app/app.conf > /dev/null",
    "cat app/app.conf | sudo tee /etc/raced > /dev/null",
    "sudo sh -c 'cat app/app.conf > /etc/raced'",
  ])(
    "never writes other data as root than that of the digest, however fast it changes: %s",
    async (text) => {
      await asAgent(`${SETUP} ${GOOD_DATA}`);
      const approved = (await asAgent("sha256sum < app/app.conf")).trim();
      const question = await card(text);
      expect(question.effect.notes.join()).not.toContain("app.conf may change");
      const racing = asAgent(FLIP_DATA);
      const outcomes = { good: 0, refused: 0 };
      const races = caseCount({ perChange: 5, all: 500 });
      const goOn = (race: number) => race < races || (outcomes.good === 0 && race < 20 * races);
      for (let race = 0; goOn(race); race++) {
        await asRoot("rm -f /etc/raced");
        const result = await click(question);
        const written = await asRoot("sha256sum < /etc/raced 2>/dev/null || echo nothing");
        expect(written).toBe(result.success ? approved : "nothing");
        if (!result.success) expect(result).toMatchObject({ changedSinceApproval: true });
        outcomes[result.success ? "good" : "refused"] += 1;
      }
      await asAgent("rm /tmp/racing");
      await racing;
      expect(outcomes.good).toBeGreaterThan(0);
    },
    1_200_000,
  );

  it("shows that a careless root, which checks the file and then reads it, writes other data", async () => {
    await asAgent(`${SETUP} ${GOOD_DATA}`);
    const racing = asAgent(FLIP_DATA);
    const careless = `good=$(sha256sum < /tmp/good.conf); for i in $(seq 3000); do
[ "$(sha256sum < app/app.conf)" = "$good" ] || continue
cp app/app.conf /etc/careless && [ "$(sha256sum < /etc/careless)" = "$good" ] || { echo other data; break; }; done 2>/dev/null`;
    expect(await asRoot(`until [ -e /tmp/racing ]; do sleep 0.01; done; ${careless}`)).toBe(
      "other data",
    );
    await asAgent("rm /tmp/racing");
    await racing;
  }, 300_000);

  it("copies name, mode, owner and time of data as they are", async () => {
    await asAgent(
      `${SETUP} echo data > app/app.conf; chmod 640 app/app.conf; touch -d 2020-02-02 app/app.conf`,
    );
    const look = "stat -c '%n %a %u:%g %Y %s' app.conf";
    const before = await asAgent(`cd app; ${look}`);
    const question = await card("sudo mkdir -p /etc/kept && sudo cp -p app/app.conf /etc/kept/");
    expect(await click(question)).toMatchObject({ success: true });
    expect(await asRoot(`cd /etc/kept; ${look}`)).toBe(before);
    const copies = "find /run/deckhand/code -path '*data-*' 2>/dev/null | grep -c app.conf";
    expect(await asRoot(copies)).not.toBe("0");
    expect(await asAgent(`${copies} || true`)).toBe("0");
  });
});
