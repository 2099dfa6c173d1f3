import { execFileSync } from "node:child_process";
import { appendFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Lab, permissionLab } from "../../../support/permission-lab.ts";

const RUN = "terminal_operations.run_command";
const command = "git push origin feature";

type Setting = readonly [key: string, value: string];

const lowercase = (key: string) => key.replace(/^[^.]+|[^.]+$/g, (part) => part.toLowerCase());
const shown = ([key, value]: Setting) => `${lowercase(key)}=${value}`;

describe("settings of a repository that an approved git would obey", () => {
  let lab: Lab;
  const git = (...args: string[]) => execFileSync("git", args, { cwd: lab.files.path(".") });
  beforeEach(async () => {
    lab = await permissionLab();
    git("init", "-q", "--template=", "-b", "feature", ".");
    git("remote", "add", "origin", "https://git.example/app.git");
  });
  afterEach(() => lab[Symbol.asyncDispose]());

  const notes = async (text = command) =>
    (await lab.question(RUN, { command: text })).effect.notes.join("\n");

  /** Written as git would: a process for each setting would take most of the time here. */
  const configure = (settings: readonly Setting[]) => {
    const text = settings.map(([key, value]) => {
      const [, section, name, variable] = /^([^.]+)(?:\.(.+))?\.([^.]+)$/s.exec(key) ?? [];
      const head = name === undefined ? section : `${section} "${name}"`;
      return `[${head}]\n\t${variable} = "${value}"\n`;
    });
    appendFileSync(lab.files.path(".git/config"), text.join(""));
  };

  it.each(
    Object.entries({
      "of HTTP": [
        ["http.proxy", "http://evil.example:1"],
        ["http.https://git.example.proxy", "http://evil.example:1"],
        ["http.curloptResolve", "git.example:443:10.0.0.1"],
        ["http.sslCAInfo", "/workspace/ca.pem"],
        ["http.sslCAPath", "/workspace/ca"],
        ["http.sslVerify", "false"],
        ["http.https://git.example.sslVerify", "false"],
        ["http.sslCert", "/workspace/c"],
        ["http.sslKey", "/workspace/k"],
      ],
      "of HTTP, and more": [
        ["http.pinnedPubkey", "sha256//x"],
        ["http.proxySSLCAInfo", "/workspace/ca.pem"],
        ["http.extraHeader", "X-To: evil"],
        ["http.cookieFile", "/workspace/cookies"],
        ["http.saveCookies", "true"],
        ["http.followRedirects", "true"],
        ["http.emptyAuth", "true"],
      ],
      "of addresses and remotes": [
        ["url.https://evil.example/.insteadOf", "https://git.example/"],
        ["url.https://evil.example/.pushInsteadOf", "https://git.example/"],
        ["remote.origin.pushurl", "https://evil.example/x"],
        ["remote.origin.push", "refs/heads/feature:refs/heads/wip"],
        ["remote.origin.proxy", "http://evil.example:1"],
        ["remote.origin.proxyAuthMethod", "basic"],
        ["remote.origin.fetch", "+refs/heads/*:refs/heads/*"],
        ["remote.pushDefault", "other"],
        ["remotes.all", "origin other"],
      ],
      "of branches and pushes": [
        ["branch.feature.pushRemote", "other"],
        ["branch.feature.remote", "https://evil.example/x"],
        ["push.default", "current"],
        ["push.followTags", "true"],
        ["push.pushOption", "ci.skip"],
        ["push.gpgSign", "true"],
      ],
      "of who connects and how": [
        ["credential.username", "evil"],
        ["credential.https://git.example.username", "evil"],
        ["ssh.variant", "plink"],
        ["protocol.file.allow", "always"],
        ["submodule.x.url", "https://evil.example/x"],
        ["lfs.url", "https://evil.example/lfs"],
      ],
      "of another working tree": [["core.worktree", "/tmp"]],
      "of objects elsewhere": [["extensions.partialClone", "origin"]],
    } satisfies Record<string, readonly Setting[]>),
  )("are on the card where they direct it: %s", async (_, settings) => {
    configure(settings);
    const text = await notes();
    expect(settings.map(shown).filter((one) => !text.includes(one))).toEqual([]);
  });

  it("stay off the card where they direct nothing", async () => {
    configure([
      ["user.name", "a"],
      ["color.ui", "auto"],
      ["core.autocrlf", "input"],
      ["branch.feature.remote", "origin"],
      ["branch.feature.merge", "refs/heads/feature"],
      ["http.postBuffer", "1"],
      ["push.autoSetupRemote", "true"],
      ["gitflow.branch.master", "main"],
      ["alias.st", "status"],
    ]);
    expect(await notes()).toMatch(/settings of the repository: remote\.origin\.url=[^,]*\.$/);
  });

  it("name no program in the approved run", async () => {
    const replaced = [
      ["gpg.ssh.defaultKeyCommand", "touch /tmp/x", "false"],
      ["interactive.diffFilter", "touch /tmp/x", "cat"],
      ["imap.tunnel", "touch /tmp/x", "false"],
      ["lfs.customtransfer.x.path", "/workspace/x", "false"],
      ["push.recurseSubmodules", "on-demand", "check"],
      ["filter.x.clean", "touch /tmp/x", ""],
      ["credential.https://git.example.helper", "!touch /tmp/x", ""],
    ] as const;
    configure(replaced.map(([key, value]) => [key, value]));
    const { call } = await lab.question(RUN, { command });
    for (const [key, , instead] of replaced)
      expect(call.run?.git).toContainEqual([lowercase(key), instead]);
  });

  it("shows the alias that a command uses, and no other one", async () => {
    configure([
      ["alias.up", "fetch"],
      ["alias.st", "status"],
    ]);
    const text = await notes("git up");
    expect(text).toContain("alias.up=fetch");
    expect(text).not.toContain("alias.st");
  });

  it.each([
    [
      "too many",
      () => {
        configure(Array.from({ length: 30 }, (_, index) => [`remote.r${index}.url`, "x"]));
      },
      /31 settings that control where git connects/,
    ],
    [
      "too long",
      () => configure([[`url.https://${"a".repeat(400)}.insteadOf`, "https://git.example/"]]),
      /too long for a card/,
    ],
  ])("refuse an approval where a card cannot show them: %s", async (_, prepare, why) => {
    prepare();
    const reason = expect.stringMatching(why);
    expect(await lab.check(RUN, { command })).toMatchObject({ outcome: "denied", reason });
  });

  it.each(["remote.origin.receivepack", "remote.origin.vcs", "core.gitProxy", "include.path"])(
    "are refused where nothing can take their place: %s",
    async (key) => {
      configure([[key, "x"]]);
      const reason = expect.stringContaining("makes git run a program that the card cannot show");
      expect(await lab.check(RUN, { command })).toMatchObject({ outcome: "denied", reason });
    },
  );
});
