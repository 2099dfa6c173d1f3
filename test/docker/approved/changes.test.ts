import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApprovedRuns, openApprovedRuns } from "../../support/approved-runs.ts";
import { command } from "../../support/engine.ts";
import { sampleOf } from "../../support/thorough.ts";

const GOOD = "echo good";
const EVIL = "echo evil; touch /home/agent/evil-$(id -u)";

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
    change: `echo 'import os; os.system("touch /home/agent/evil-0")' > app/tool.py`,
  },
  "a Node script": {
    command: "sudo node app/tool.js",
    change: `echo 'require("fs").writeFileSync("/home/agent/evil-0","")' > app/tool.js`,
  },
  "an awk program": {
    command: "sudo awk -f app/tool.awk /etc/hostname",
    change: `echo 'BEGIN { system("touch /home/agent/evil-0") }' > app/tool.awk`,
  },
  "a sed program": {
    command: "sudo sed -n -f app/tool.sed /etc/hostname",
    change: `echo 'w /home/agent/evil-0' > app/tool.sed`,
  },
  "the arguments of xargs": {
    command: "sudo xargs -a app/list touch",
    change: "echo /home/agent/evil-0 > app/list",
  },
  "a script that a program gets which the guard does not know": {
    command: "sudo setpriv ./app/deploy.sh",
    change: `printf '#!/bin/bash\n${EVIL}\n' > app/deploy.sh`,
  },
  "a file that root would add to its programs": {
    command: "sudo install -m 755 app/deploy.sh /usr/local/bin/deploy-added && sudo deploy-added",
    change: `echo '${EVIL}' > app/deploy.sh`,
  },
  "a script of the agent": {
    command: "make install && bash app/deploy.sh",
    change: `echo '${EVIL}' > app/deploy.sh`,
  },
  "a package's settings": {
    command: "npm publish --offline",
    change: `echo '{"name":"lab","version":"1.0.0","scripts":{"prepublishOnly":"touch /home/agent/evil-1000"}}' > package.json`,
  },
  "settings of npm that appear": {
    command: "npm publish --offline",
    change: "echo 'registry=http://evil.example/' > .npmrc",
  },
  "another address to push to": {
    command: "git push origin main",
    change: "git config remote.origin.pushurl /home/agent/evil-1000",
  },
  "another interpreter of a script of the agent": {
    command: "./app/interpreted && git push origin side",
    change: `printf '#!/bin/bash\n${EVIL}\n' > app/interpreter`,
  },
  "settings of npm that appear in a directory above": {
    command: "npm publish --offline",
    directory: "/workspace/app/deep",
    change: "echo 'registry=http://evil.example/' > app/.npmrc",
  },
  "settings in the home directory that appear": {
    command: "kubectl delete ns test",
    change: "mkdir ~/.kube; echo 'current-context: prod' > ~/.kube/config",
  },
  "settings in the home directory that change": {
    command: "cargo publish",
    change: "echo '[registry]' >> ~/.cargo/config.toml",
  },
  "new commits on the branch that is pushed": {
    command: "git push origin main",
    change: "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m evil",
  },
  "another current branch": {
    command: "git push origin HEAD",
    change: "git switch -qc other",
  },
  "a branch in the place of a missing one": {
    command: "git push origin later",
    change: "git branch later",
  },
  "a branch that leads to another": {
    command: "git push origin side",
    change: "git symbolic-ref refs/heads/side refs/heads/main",
  },
  "an old file that names the remote": {
    command: "git push backup main",
    change: "mkdir -p .git/remotes; echo 'URL: /home/agent/evil-1000' > .git/remotes/backup",
  },
  "an upstream that is a protected branch": {
    command: "git push",
    change: "git config push.default upstream; git config branch.main.merge refs/heads/master",
  },
  "a working directory replaced by a link": {
    command: "sudo stat -c %i .",
    directory: "/workspace/app",
    change: "mv app old; ln -s /etc app",
  },
  "a directory that the command names replaced by a link": {
    command: "sudo ls -l app/deep",
    change: "rm -r app/deep; ln -s /root app/deep",
  },
  "a directory that the command enters replaced by a link": {
    command: "cd app && sudo stat -c %i .",
    change: "mv app old; ln -s /etc app",
  },
  "data that appears as a link": {
    command: "sudo cp --parents later.json /root/",
    change: "ln -s /etc/shadow later.json",
  },
  "a working directory that is gone": {
    command: "sudo stat -c %i .",
    directory: "/workspace/app",
    change: "rm -rf app",
  },
  "a working directory below a link": {
    command: "sudo stat -c %i .",
    directory: "/workspace/app/deep",
    change: "mv app old; mkdir -p other/deep; ln -s other app",
  },
};

const TEMPLATE = `
mkdir /tmp/template; cd /tmp/template; mkdir -p app/deep
printf '#!/bin/bash\\n${GOOD}\\n' > app/deploy.sh; chmod 755 app/deploy.sh
printf '#!/bin/bash\n${GOOD}\n' > app/interpreter; echo '#!/workspace/app/interpreter' > app/interpreted
cp /bin/echo app/program; chmod 755 app/interpreter app/interpreted app/program
echo 'print("good")' > app/tool.py; echo 'console.log("good")' > app/tool.js
echo 'BEGIN { print "good" }' > app/tool.awk; echo p > app/tool.sed; echo /tmp/good > app/list
printf 'install:\\n\\t@${GOOD}\\n' > Makefile; echo '{"name":"lab","version":"1.0.0"}' > package.json
git init -q -b main .; git add .; git -c user.name=a -c user.email=a@b commit -qm one
git branch side; git init -q --bare /tmp/remote.git; git remote add origin /tmp/remote.git
`;
const SETUP = `
rm -rf /home/agent/evil-* /home/agent/.kube; mkdir -p /home/agent/.cargo; echo '[net]' > /home/agent/.cargo/config.toml
find /workspace -mindepth 1 -delete; cp -a /tmp/template/. /workspace; cd /workspace
`;

describe("files and directories that change after the card", () => {
  let lab: ApprovedRuns;
  beforeAll(async () => {
    lab = await openApprovedRuns("a thread whose files change");
    await lab.asAgent(TEMPLATE);
  });
  afterAll(() => lab[Symbol.asyncDispose]());

  const evils = () =>
    lab.asAgent("ls -d /home/agent/evil-* /etc/marker /workspace/*/marker 2>/dev/null || true");

  it.each(sampleOf(Object.entries(CHANGES), 18))(
    "refuses to run after %s",
    async (_title, { command: text, change, directory }) => {
      await lab.asAgent(SETUP);
      const question = await lab.card(text, directory);
      expect(question.effect.workingDirectory).toBe(directory ?? "/workspace");
      await lab.asAgent(change);
      const result = await lab.click(question);
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
    await lab.asAgent(SETUP);
    await lab.asAgent(`echo '${EVIL}' > app/deploy.sh`);
    await lab.asRoot("sudo bash app/deploy.sh");
    expect(await evils()).toBe("/home/agent/evil-0");
    await lab.asRoot("rm /home/agent/evil-0");
  });

  it("shows that a careless server follows a working directory that became a link", async () => {
    await lab.asAgent(SETUP);
    await lab.asAgent("mv app old; ln -s /etc app");
    await lab.asRoot("cd /workspace/app && touch marker");
    expect(await evils()).toBe("/etc/marker\n/workspace/app/marker");
    await lab.asRoot("rm /etc/marker");
  });

  it("runs unchanged code in the directory that the card shows, and says that it is the workspace's", async () => {
    await lab.asAgent(SETUP);
    const question = await lab.card("sudo bash deploy.sh; pwd", "/workspace/app");
    expect(question.effect.notes.join("\n")).toMatch(
      /runs code from the workspace: \/workspace\/app\/deploy\.sh/,
    );
    expect(await lab.click(question)).toMatchObject({
      success: true,
      output: "good\n/workspace/app\n",
    });
  });

  it("starts a program that is no script as root, and no script of an interpreter that the workload can replace", async () => {
    await lab.asAgent(SETUP);
    const question = await lab.card("sudo ./app/program good");
    expect(await lab.click(question)).toMatchObject({ success: true, output: "good\n" });
    await expect(lab.card("sudo ./app/interpreted")).rejects.toThrow(
      /run by \/workspace\/app\/interpreter, which the workload can replace/,
    );
  });

  it("pushes the commit that the card names", async () => {
    await lab.asAgent(SETUP);
    await lab.asAgent("git switch -q side; git config push.default current");
    const question = await lab.card("git push");
    const id = await lab.asAgent("git rev-parse side");
    expect(question.effect.notes[0]).toBe(
      `Pushes side (${id.slice(0, 7)}) to side of /tmp/remote.git.`,
    );
    expect(await lab.click(question)).toMatchObject({ success: true });
    expect(await lab.asAgent("git -C /tmp/remote.git rev-parse side")).toBe(id);
  });

  it("runs in the terminal's directory that the card shows, although the terminal leaves it afterwards", async () => {
    await lab.asAgent(SETUP);
    await command(lab.workspace, "cd /workspace/app");
    const question = await lab.card("sudo stat -c %n:%i . && pwd");
    const inode = await lab.asAgent("stat -c %i app");
    expect(question.effect.workingDirectory).toBe("/workspace/app");
    await command(lab.workspace, "cd /workspace");
    const result = await lab.click(question);
    expect(result).toMatchObject({ success: true, output: `.:${inode}\n/workspace/app\n` });
    // The careless control: root that starts in the workspace's own directory, whatever the card shows.
    expect(await lab.asRoot("stat -c %i .")).not.toBe(inode);
  });

  it("says that the server's own copies and checkpoints are code of the workspace, too", async () => {
    await lab.asAgent(SETUP);
    expect(await lab.click(await lab.card("sudo cat app/deploy.sh"))).toMatchObject({
      success: true,
    });
    await lab.asRoot("mkdir -p /var/lib/deckhand/held; cp app/deploy.sh /var/lib/deckhand/held/");
    const kept = await lab.asRoot(
      "ls /run/deckhand/code/data-*/deploy.sh /var/lib/deckhand/held/deploy.sh /usr/bin/env",
    );
    const notes = async (path: string) => (await lab.card(`sudo bash ${path}`)).effect.notes.join();
    for (const path of kept.split("\n"))
      expect(await notes(path)).toEqual(
        path.includes("deckhand")
          ? expect.stringContaining(`This runs code from the workspace: ${path}`)
          : "",
      );
  });

  it("shows no one the copy of a script that only root can read", async () => {
    await lab.asAgent(`${SETUP} rm -f app/secret.sh; echo 'echo seen' > app/seen.sh`);
    await lab.asRoot("cd /workspace/app; printf 'echo secret\\n' > secret.sh; chmod 600 secret.sh");
    for (const name of ["secret", "seen"])
      expect(await lab.click(await lab.card(`sudo bash app/${name}.sh`))).toMatchObject({
        success: true,
        output: `${name}\n`,
      });
    const copies = "cat /run/deckhand/code/*/s*.sh";
    expect(await lab.asRoot(copies)).toContain("echo secret");
    expect(await lab.asAgent(`${copies} || true`)).toBe("echo seen");
  });

  it("moves what a file holds by then, which keeps its owner, where no guard refuses it (control)", async () => {
    await lab.asAgent(`${SETUP} echo evil > app/moved`);
    const args = { operation: "rename_file", oldPath: "app/moved", newPath: "/root/moved" };
    await lab.workspace.call({ id: randomUUID(), tool: "file_operations", args, as: "root" });
    expect(await lab.asRoot("cat /root/moved; stat -c %U /root/moved; rm /root/moved")).toBe(
      "evil\nagent",
    );
  });

  it("starts root outside of the workspace where the command needs no directory", async () => {
    await lab.asAgent(
      `${SETUP} echo 'open("/home/agent/evil-0","w")' > pip.py; cp pip.py sitecustomize.py`,
    );
    const question = await lab.card("sudo python3 -m pip --version; sudo id -u");
    expect(question.effect).toMatchObject({ workingDirectory: "/", runsAs: "root" });
    expect(await lab.click(question)).toMatchObject({
      success: true,
      output: expect.stringMatching(/^pip .*\n0\n$/),
    });
    expect(await evils()).toBe("");
    // The careless control: root in the workspace imports what lies there.
    await lab.asRoot("python3 -m pip --version || true");
    expect(await evils()).toBe("/home/agent/evil-0");
    await lab.asRoot("rm /home/agent/evil-0");
  });
});
