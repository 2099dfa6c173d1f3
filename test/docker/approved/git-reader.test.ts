import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApprovedRuns, openApprovedRuns } from "../../support/approved-runs.ts";

/** Settings that make git run a program, which then leaves a mark. */
const HOSTILE = `
set -e; find /workspace -mindepth 1 -delete; cd /workspace; git init -q -b main .
git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one
printf '#!/bin/sh\\ntouch /tmp/ran /workspace/ran\\n' > evil; chmod 755 evil; cp evil .git/hooks/post-index-change
git config core.fsmonitor /workspace/evil; git config core.pager /workspace/evil; git config diff.external /workspace/evil
git config alias.x '!/workspace/evil'; git config core.hooksPath .git/hooks; git config filter.f.clean /workspace/evil
git config core.sshCommand /workspace/evil; git config credential.helper /workspace/evil
echo '* filter=f diff=f' > .gitattributes; git config diff.f.textconv /workspace/evil; echo a > a
git config remote.evil.url ssh://localhost/x; git config remote.http.url http://127.0.0.1:9/x
chmod 700 /workspace`;

const ENVIRONMENT =
  "HOME=/nowhere PATH=/usr/bin:/bin GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0='*'";
const confined = (args: string) =>
  `env -i ${ENVIRONMENT} /opt/deckhand/supervise --git --in 4 --open 5 /usr/bin/git ${args} 4</workspace 5</workspace 2>&1`;
/** The same git without the boundary. */
const careless = (args: string) =>
  `cd /workspace && env -i ${ENVIRONMENT} timeout 20 /usr/bin/git ${args} 2>&1 < /dev/null`;

const RUNS_PROGRAMS = [
  "status",
  "diff --no-index /etc/hostname a",
  "x",
  "diff --ext-diff",
  "add a",
  "fetch evil",
  "ls-remote evil",
  "archive --remote=ssh://localhost/x main",
  "-c core.editor=/workspace/evil commit --allow-empty",
  "-c gpg.program=/workspace/evil commit -S -m two --allow-empty",
];
const WRITES = [
  "update-ref refs/heads/two HEAD",
  "config a.b c",
  "hash-object -w /etc/hostname",
  "tag one",
  "config --file /etc/evil a.b c",
  "init /opt/evil",
  "bundle create /root/evil.bundle HEAD",
];

describe("git as a reader of a hostile repository", () => {
  let lab: ApprovedRuns;
  beforeAll(async () => {
    lab = await openApprovedRuns("a thread with a hostile repository");
    await lab.asAgent(HOSTILE);
  });
  afterAll(() => lab[Symbol.asyncDispose]());

  const run = (script: string) => lab.asRoot(`${script}; true`);
  const state = () =>
    run(
      "cd /workspace && find . /etc /opt/evil /root -newer /opt/deckhand/supervise -type f 2>/dev/null | sort | xargs -d '\\n' sha256sum; ls /tmp/ran 2>&1",
    );

  it("answers as the plain git does", async () => {
    for (const question of [
      "rev-parse --absolute-git-dir --git-common-dir --show-toplevel HEAD",
      "-c core.fsmonitor=false config --list --show-origin --show-scope",
      "for-each-ref",
      "symbolic-ref HEAD",
    ]) {
      expect(await run(confined(question))).toBe(await run(careless(question)));
    }
  });

  it.each(RUNS_PROGRAMS)(
    "starts no program, as git would without the boundary: %s",
    async (args) => {
      await lab.asRoot("rm -f /tmp/ran /workspace/ran");
      await run(confined(args));
      expect(await lab.asRoot("ls /tmp/ran /workspace/ran 2>&1 || true")).not.toMatch(/^\//m);
      await run(careless(args));
      expect(await lab.asRoot("ls /tmp/ran 2>&1")).toBe("/tmp/ran");
    },
  );

  it.each(WRITES)("writes nothing: %s", async (args) => {
    const before = await state();
    expect(await run(confined(args))).toMatch(/[Pp]ermission|cannot|unable|could not|not lock/);
    expect(await state()).toBe(before);
  });

  it("reads only what is named", async () => {
    const elsewhere = `env -i ${ENVIRONMENT} /opt/deckhand/supervise --git --in 4 /usr/bin/git config --file /workspace/.git/config --list 4</ 2>&1`;
    expect(await run(elsewhere)).toMatch(/Permission denied|unable to (?:read|access)/);
    expect(await run(confined("config --file /root/.bashrc --list"))).toMatch(/denied|unable/);
  });
});
