import { execFileSync } from "node:child_process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Lab, permissionLab } from "../../../support/permission-lab.ts";

const RUN = "terminal_operations.run_command";
const command = "git push origin feature";

describe("settings of a repository that an approved git would obey", () => {
  let lab: Lab;
  const git = (...args: string[]) => execFileSync("git", args, { cwd: lab.files.path(".") });
  beforeEach(async () => {
    lab = await permissionLab();
    git("init", "-q", "-b", "feature", ".");
    git("remote", "add", "origin", "https://git.example/app.git");
  });
  afterEach(() => lab[Symbol.asyncDispose]());

  const notes = async (text = command) =>
    (await lab.question(RUN, { command: text })).effect.notes.join("\n");

  it.each([
    ["http.proxy", "http://evil.example:1"],
    ["http.https://git.example.proxy", "http://evil.example:1"],
    ["http.curloptResolve", "git.example:443:10.0.0.1"],
    ["http.sslCAInfo", "/workspace/ca.pem"],
    ["http.sslCAPath", "/workspace/ca"],
    ["http.sslVerify", "false"],
    ["http.https://git.example.sslVerify", "false"],
    ["http.sslCert", "/workspace/c"],
    ["http.sslKey", "/workspace/k"],
    ["http.pinnedPubkey", "sha256//x"],
    ["http.proxySSLCAInfo", "/workspace/ca.pem"],
    ["http.extraHeader", "X-To: evil"],
    ["http.cookieFile", "/workspace/cookies"],
    ["http.saveCookies", "true"],
    ["http.followRedirects", "true"],
    ["http.emptyAuth", "true"],
    ["url.https://evil.example/.insteadOf", "https://git.example/"],
    ["url.https://evil.example/.pushInsteadOf", "https://git.example/"],
    ["remote.origin.pushurl", "https://evil.example/x"],
    ["remote.origin.push", "refs/heads/feature:refs/heads/wip"],
    ["remote.origin.proxy", "http://evil.example:1"],
    ["remote.origin.proxyAuthMethod", "basic"],
    ["remote.origin.fetch", "+refs/heads/*:refs/heads/*"],
    ["remote.pushDefault", "other"],
    ["remotes.all", "origin other"],
    ["branch.feature.pushRemote", "other"],
    ["branch.feature.remote", "https://evil.example/x"],
    ["push.default", "current"],
    ["push.followTags", "true"],
    ["push.pushOption", "ci.skip"],
    ["push.gpgSign", "true"],
    ["credential.username", "evil"],
    ["credential.https://git.example.username", "evil"],
    ["ssh.variant", "plink"],
    ["protocol.file.allow", "always"],
    ["submodule.x.url", "https://evil.example/x"],
    ["lfs.url", "https://evil.example/lfs"],
    ["core.worktree", "/tmp"],
    ["extensions.partialClone", "origin"],
  ])("are on the card where they direct it: %s", async (key, value) => {
    git("config", "--add", key, value);
    const shown = `${key.replace(/^[^.]+|[^.]+$/g, (part) => part.toLowerCase())}=${value}`;
    expect(await notes()).toContain(shown);
  });

  it.each([
    ["user.name", "a"],
    ["color.ui", "auto"],
    ["core.autocrlf", "input"],
    ["branch.feature.remote", "origin"],
    ["branch.feature.merge", "refs/heads/feature"],
    ["http.postBuffer", "1"],
    ["push.autoSetupRemote", "true"],
    ["gitflow.branch.master", "main"],
    ["alias.st", "status"],
  ])("stay off the card where they direct nothing: %s", async (key, value) => {
    git("config", key, value);
    expect(await notes()).toMatch(/settings of the repository: remote\.origin\.url=[^,]*\.$/);
  });

  it.each([
    ["gpg.ssh.defaultKeyCommand", "touch /tmp/x", "false"],
    ["interactive.diffFilter", "touch /tmp/x", "cat"],
    ["imap.tunnel", "touch /tmp/x", "false"],
    ["lfs.customtransfer.x.path", "/workspace/x", "false"],
    ["push.recurseSubmodules", "on-demand", "check"],
    ["filter.x.clean", "touch /tmp/x", ""],
    ["credential.https://git.example.helper", "!touch /tmp/x", ""],
  ])("name no program in the approved run: %s", async (key, value, instead) => {
    git("config", key, value);
    const { call } = await lab.question(RUN, { command });
    const wanted = key.replace(/^[^.]+|[^.]+$/g, (part) => part.toLowerCase());
    expect(call.run?.git).toContainEqual([wanted, instead]);
  });

  it("shows the alias that a command uses, and no other one", async () => {
    git("config", "alias.up", "fetch");
    git("config", "alias.st", "status");
    const text = await notes("git up");
    expect(text).toContain("alias.up=fetch");
    expect(text).not.toContain("alias.st");
  });

  it.each([
    [
      "too many",
      () => {
        for (let index = 0; index < 30; index++) git("config", `remote.r${index}.url`, "x");
      },
      /31 settings that direct where git connects/,
    ],
    [
      "too long",
      () => git("config", `url.https://${"a".repeat(400)}.insteadOf`, "https://git.example/"),
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
      git("config", key, "x");
      const reason = expect.stringContaining("makes git run something that no approval shows");
      expect(await lab.check(RUN, { command })).toMatchObject({ outcome: "denied", reason });
    },
  );
});
