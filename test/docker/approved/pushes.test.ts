import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApprovedRuns, openApprovedRuns } from "../../support/approved-runs.ts";
import { caseCount, coverOf, sampleOf } from "../../support/thorough.ts";

/** A repository with a remote, and a second one that a push must not reach unless its card says so. Made once and copied. */
const TEMPLATE = `
set -e; mkdir -p /workspace/r/sub; cd /workspace/r; git init -q -b main .; git config user.name a; git config user.email a@b
echo one > f; git add .; git commit -qm one; git branch feature; git branch other
git init -q --bare /tmp/remote.git; git init -q --bare /tmp/evil.git; git remote add origin /tmp/remote.git
git push -q origin main feature; echo two > f; git commit -qam two; git branch -f feature main; git tag v1 main
git fetch -q; mkdir /tmp/.deckhand-template; cp -a /workspace/r /tmp/remote.git /tmp/evil.git /tmp/.deckhand-template`;
const SETUP = `
set -e; cd /; find /workspace /tmp -mindepth 1 -maxdepth 1 ! -name '.deckhand*' ! -name racing -exec rm -rf {} +
cp -a /tmp/.deckhand-template/r /workspace; cp -a /tmp/.deckhand-template/*.git /tmp`;
const EVIL = `git config remote.origin.url /tmp/evil.git; git commit -q --allow-empty -m EVIL; git branch -f feature`;

interface Attack {
  readonly before: string;
  readonly push: string;
  readonly directory?: string;
}

const R = "/workspace/r";
/** What the workload has prepared, so that git and a reader of its files may disagree. */
const ATTACKS: Readonly<Record<string, Attack>> = {
  "a nearer repository without objects": {
    before: `cp -r .git /workspace/good; ${EVIL}; mkdir sub/.git; cp /workspace/good/HEAD /workspace/good/config sub/.git/; cp -r /workspace/good/refs sub/.git/`,
    push: "git push origin feature",
    directory: `${R}/sub`,
  },
  "a nearer repository whose HEAD is a dangling link": {
    before: `cp -r .git sub/.git; cd sub; ${EVIL}; git pack-refs --all; rm .git/HEAD; ln -s refs/heads/main .git/HEAD`,
    push: "git push origin feature",
    directory: `${R}/sub`,
  },
  "a nearer repository without refs": {
    before: `cp -r .git sub/.git; ${EVIL}; rm -r sub/.git/refs`,
    push: "git push origin feature",
    directory: `${R}/sub`,
  },
  "a nearer file .git that is empty": {
    before: `${EVIL}; mkdir -p sub/.git`,
    push: "git push origin feature",
    directory: `${R}/sub`,
  },
  "a path of the repository with a line feed": {
    before: `cp -r .git /workspace/gd; ${EVIL}; mv .git $'/workspace/gd\\nx'; printf 'gitdir: /workspace/gd\\nx' > .git`,
    push: "git push origin feature",
  },
  "a path of the repository with a blank at its end": {
    before: `cp -r .git /workspace/gd; ${EVIL}; mv .git '/workspace/gd '; printf 'gitdir: /workspace/gd \\n' > .git`,
    push: "git push origin feature",
  },
  "a common directory with a leading blank": {
    before: `cp -r .git /workspace/common; ${EVIL}; mkdir /workspace/gd; cp .git/HEAD .git/index /workspace/gd/; mkdir -p '/workspace/gd/ /workspace'; cp -r .git '/workspace/gd/ /workspace/common'; rm -rf .git; printf ' /workspace/common\\n' > /workspace/gd/commondir; printf 'gitdir: /workspace/gd\\n' > .git`,
    push: "git push origin feature",
  },
  "a link to another repository": {
    before: `cp -r . /workspace/e; cd /workspace/e; ${EVIL}; cd ../r; rm -rf .git; ln -s ../e/.git .git`,
    push: "git push origin feature",
  },
  "a linked working tree": {
    before: `git worktree add -q /workspace/w other; cd /workspace/w; git commit -q --allow-empty -m EVIL`,
    push: "git push origin HEAD",
    directory: "/workspace/w",
  },
  "junk behind the id of a ref": {
    before: `git update-ref refs/feature main; git commit -q --allow-empty -m EVIL; echo "$(git rev-parse HEAD) junk" > .git/refs/heads/feature`,
    push: "git push origin feature",
  },
  "a tab behind the id of a ref": {
    before: `git commit -q --allow-empty -m EVIL; printf '%s\\tmore\\n' $(git rev-parse HEAD) > .git/refs/heads/feature`,
    push: "git push origin feature",
  },
  "an id in capitals": {
    before: `git commit -q --allow-empty -m EVIL; git rev-parse HEAD | tr a-f A-F > .git/refs/heads/feature`,
    push: "git push origin feature",
  },
  "packed refs with a broken name in front": {
    before: `good=$(git rev-parse main); git commit -q --allow-empty -m EVIL; git branch -f feature; git pack-refs --all; { head -1 .git/packed-refs | sed 's/ sorted//'; echo "$good refs/a refs/heads/feature"; tail -n +2 .git/packed-refs; } > n; mv n .git/packed-refs`,
    push: "git push origin feature",
  },
  "a ref both loose and packed": {
    before: `git pack-refs --all; git commit -q --allow-empty -m EVIL; git update-ref refs/heads/feature HEAD`,
    push: "git push origin feature",
  },
  "a tag of the same name": {
    before: `git commit -q --allow-empty -m EVIL; git tag feature HEAD`,
    push: "git push origin feature",
  },
  "a ref above of the same name": {
    before: `git commit -q --allow-empty -m EVIL; git update-ref refs/feature HEAD; git branch -D feature -q`,
    push: "git push origin feature:refs/heads/feature",
  },
  "a remote's branch of the same name": {
    before: `git commit -q --allow-empty -m EVIL; git update-ref refs/remotes/wip HEAD`,
    push: "git push origin wip:refs/heads/feature",
  },
  "a file of the git directory as a ref": {
    before: "git rev-parse main > .git/XX",
    push: "git push origin XX:refs/heads/feature",
  },
  "a branch whose name is an id": {
    before: `git commit -q --allow-empty -m EVIL; git branch $(git rev-parse --short=7 main~1) HEAD`,
    push: "git push origin $SHORT:refs/heads/feature",
  },
  "a graft": {
    before: `git commit-tree -m EVIL HEAD^{tree} > /tmp/e; mkdir -p .git/info; echo "$(git rev-parse HEAD) $(cat /tmp/e)" > .git/info/grafts`,
    push: "git push origin HEAD~1:refs/heads/feature",
  },
  "a replaced commit": {
    before: `e=$(git commit-tree -m EVIL HEAD^{tree}); git replace HEAD~1 $e`,
    push: "git push origin HEAD~1:refs/heads/wip",
  },
  "a tag that a setting maps to main": {
    before: "git config remote.origin.push refs/tags/v1:refs/heads/main",
    push: "git push origin v1",
  },
  "a pattern that a setting maps": {
    before: "git config remote.origin.push 'refs/heads/*:refs/heads/x/*'",
    push: "git push origin feature",
  },
  "settings of the working tree that switch themselves on": {
    before: `git switch -q feature; git config push.default upstream; git config branch.feature.remote origin; git config branch.feature.merge refs/heads/main; printf '[extensions]\\n\\tworktreeConfig = true\\n[push]\\n\\tdefault = current\\n' > .git/config.worktree`,
    push: "git push",
  },
  "settings of the working tree that are off in hexadecimal": {
    before: `git switch -q feature; git config push.default upstream; git config branch.feature.remote origin; git config branch.feature.merge refs/heads/main; git config extensions.worktreeConfig 0x0; printf '[push]\\n\\tdefault = current\\n' > .git/config.worktree`,
    push: "git push",
  },
  "settings of the working tree that are on in words": {
    before: `git switch -q feature; git config push.default current; git config extensions.worktreeConfig yes; printf '[push]\\n\\tdefault = upstream\\n[branch "feature"]\\n\\tremote = origin\\n\\tmerge = refs/heads/main\\n' > .git/config.worktree`,
    push: "git push",
  },
  "settings with odd letters": {
    before: `git switch -q feature; printf '[PUSH]\\n\\tDeFault = current\\n[remote "origin"]\\n\\tURL = /tmp/evil.git\\n' >> .git/config`,
    push: "git push",
  },
  "a value over two lines": {
    before: `git switch -q feature; git config --unset remote.origin.url; printf '[remote "origin"]\\n\\turl = /tmp/\\\\\\nevil.git\\n[push] default = current\\n' >> .git/config`,
    push: "git push",
  },
  "a remote with the name of a path": {
    before: "git config remote./tmp/remote.git.url /tmp/evil.git",
    push: "git push /tmp/remote.git feature",
  },
  "an address that a setting replaces": {
    before: "git config url./tmp/evil.insteadOf /tmp/remote",
    push: "git push origin feature",
  },
  "an address that a setting replaces for pushes alone": {
    before: "git config url./tmp/evil.pushInsteadOf /tmp/remote",
    push: "git push origin feature",
  },
  "a second address": {
    before: "git config --add remote.origin.url /tmp/evil.git",
    push: "git push origin feature",
  },
  "another remote for pushes": {
    before:
      "git switch -q feature; git remote add p /tmp/evil.git; git config remote.pushDefault p",
    push: "git push",
  },
  "an alias of an alias": {
    before: "git config alias.a b; git config alias.b 'push origin main'",
    push: "git a",
  },
  "an alias with settings": {
    before:
      "git switch -q feature; git config alias.a '-c remote.origin.pushurl=/tmp/evil.git push origin'",
    push: "git a feature",
  },
  "an alias in capitals": {
    before: "git config alias.sync 'push origin feature:main'",
    push: "git Sync",
  },
  "an alias with quotes": {
    before: `git config alias.a "push origin 'feature':ma\\"i\\"n"`,
    push: "git a",
  },
  "a branch with a strange name": {
    before: `git branch 'a&b' main; git symbolic-ref HEAD 'refs/heads/a&b'; git config push.default upstream; git config 'branch.a&b.remote' origin; git config 'branch.a&b.merge' refs/heads/main`,
    push: "git push",
  },
  "a branch that leads to main": {
    before: "git symbolic-ref refs/heads/alias refs/heads/main",
    push: "git push origin alias",
  },
  "a short destination that the remote has as a branch": {
    before: "git tag t main",
    push: "git push origin t:feature",
  },
  "a destination with heads/": {
    before: "true",
    push: "git push origin feature:heads/main",
  },
  "tags that follow": {
    before: "git tag -a -m x annotated; git config push.followTags true",
    push: "git push origin main",
  },
};

/** Everyday pushes: none asks for more than a click. Each second one resembles the one before it. */
const EVERYDAY: readonly (readonly [prepared: string, push: string])[] = [
  ["git switch -q feature; git branch -q -u origin/feature", "git push"],
  ["git switch -q feature; git branch -q -u origin/feature", "git push origin"],
  ["git switch -q feature", "git push -u origin HEAD"],
  ["git switch -q feature", "git push origin HEAD"],
  ["git switch -q feature; git config push.autoSetupRemote true", "git push"],
  ["git switch -q feature; git config push.default current", "git push"],
  ["true", "git push origin feature"],
  ["true", "git push -q origin feature"],
  ["true", "git push --no-verify origin feature"],
  ["true", "git push --verbose origin feature"],
  ["true", "git push --set-upstream origin other"],
  ["true", "git push -u origin other"],
  ["true", "git push origin HEAD~1:refs/heads/wip"],
  ["true", "git push origin HEAD:wip"],
  ["true", "git push --atomic origin feature other"],
  ["true", "git push origin feature other"],
  ["true", "git push origin v1"],
  ["true", "git push origin tag v1"],
  ["true", "git push origin --tags"],
  ["true", "git push --progress origin feature"],
  ["true", "git push ../../../tmp/remote.git feature"],
  ["true", "git push /tmp/remote.git feature"],
  ["git config alias.up 'push origin'", "git up feature"],
  ["true", "git -c push.default=current push origin feature"],
  ["git worktree add -q /workspace/w -b tree", "git -C /workspace/w push -u origin tree"],
  ["true", "git -C /workspace/r push origin feature"],
  [
    "git clone -q -b main --depth 1 file:///tmp/remote.git /workspace/s; cd /workspace/s; git switch -qc deep",
    "git -C /workspace/s push origin deep",
  ],
  ["true", "git push origin feature:wip"],
];

/** What becomes of the attacks that do not simply push what their card says. */
const OTHER_OUTCOMES: Readonly<Record<string, "refused" | "open" | "nothing sent">> = {
  "a path of the repository with a line feed": "refused",
  "a tag of the same name": "open",
  "a file of the git directory as a ref": "open",
  "an alias with settings": "open",
  "a graft": "nothing sent",
};

const CASES = Object.entries(ATTACKS);
/** With every change some attacks, among them one of each outcome. */
const TRIED = new Set([
  ...sampleOf(CASES, 12),
  ...coverOf(CASES, ([title]) => [OTHER_OUTCOMES[title] ?? "sent"]),
]);

const STATE = `for r in remote evil; do git -C /tmp/$r.git for-each-ref --format="/tmp/$r.git %(refname) %(objectname)"; done`;

describe("a push in a workspace", () => {
  let lab: ApprovedRuns;
  beforeAll(async () => {
    lab = await openApprovedRuns("a thread that pushes");
    await lab.asAgent(TEMPLATE);
  });
  afterAll(() => lab[Symbol.asyncDispose]());

  const state = async () => new Set((await lab.asAgent(STATE)).split("\n").filter(Boolean));
  const prepare = async (script: string) => {
    await lab.asAgent(SETUP);
    await lab.asAgent(`cd ${R}; ${script}`);
  };
  /** The refs that are new at the remotes, as a card would say them. */
  const sent = (before: ReadonlySet<string>, after: ReadonlySet<string>) =>
    [...after.difference(before)].map((line) => {
      const [remote = "", ref = "", id = ""] = line.split(" ");
      const name = ref.replace(/^refs\/(?:heads\/)?/, "");
      return { id: id.slice(0, 7), name, remote };
    });
  const isOnCard = (notes: readonly string[], one: { id: string; name: string; remote: string }) =>
    notes.some(
      (note) =>
        note.includes(`(${one.id})`) &&
        note.includes(` to ${one.name} of `) &&
        note.includes(one.remote.replace(/\.git$/, "")),
    );

  it.each([...TRIED])(
    "does what its card says or nothing: %s",
    async (title, { before, push, directory = R }) => {
      const expected = OTHER_OUTCOMES[title] ?? "sent";
      await prepare(before);
      const short = await lab.asAgent(`cd ${R} && git rev-parse --short=7 main~1 || true`);
      const earlier = await state();
      const asked = lab.card(push.replace("$SHORT", short), directory);
      const question = await asked.catch((error: unknown) => error);
      if (question instanceof Error) {
        expect(question.message).toMatch(/denied|Git cannot read/);
        expect("refused").toBe(expected);
        return;
      }
      const { effect, risk } = await asked;
      await lab.click(await asked);
      const reached = sent(earlier, await state());
      const isOpen = effect.reasons.some((reason) => /known only at run time/.test(reason));
      if (isOpen) expect(risk).toBe("phrase");
      const outcome = reached.length > 0 ? "sent" : "nothing sent";
      expect(isOpen ? "open" : outcome).toBe(expected);
      for (const one of reached)
        expect({
          one,
          is: isOpen || isOnCard(effect.notes, one),
          notes: effect.notes,
        }).toMatchObject({ is: true });
      if (reached.some(({ name }) => name === "main")) expect(risk).toBe("phrase");
    },
  );

  it.each(sampleOf(EVERYDAY, 7))("works for a click: after %s, %s", async (prepared, push) => {
    await prepare(prepared);
    await lab.asAgent(
      `rm -rf /tmp/plain; cp -r /workspace/r /tmp/plain; cp -r /tmp/remote.git /tmp/kept.git`,
    );
    const earlier = await state();
    const question = await lab.card(push, R);
    expect({ risk: question.risk, notes: question.effect.notes }).toMatchObject({ risk: "click" });
    expect(await lab.click(question)).toMatchObject({ success: true });
    const reached = sent(earlier, await state());
    const isAllTags = question.effect.notes.some((note) => note.startsWith("Pushes all tags"));
    for (const one of reached) expect(isAllTags || isOnCard(question.effect.notes, one)).toBe(true);
    // The repository is left as git itself would leave it.
    const look =
      "git for-each-ref; git config --get-regexp '^branch' | sort; git status -sb | head -1";
    const ours = await lab.asAgent(`cd ${R}; ${look}`);
    const plain = await lab.asAgent(
      `rm -rf /workspace/r /tmp/remote.git; mv /tmp/kept.git /tmp/remote.git; mv /tmp/plain /workspace/r; cd ${R}; ${push} > /dev/null 2>&1; ${look}`,
    );
    expect(ours).toBe(plain);
  });

  const TURNS = caseCount({ perChange: 2, all: 12 });
  const FLIPS: Readonly<Record<string, readonly [there: string, back: string]>> = {
    "a ref": ["git update-ref refs/heads/feature EVIL", "git update-ref refs/heads/feature GOOD"],
    HEAD: ["git symbolic-ref HEAD refs/heads/evil", "git symbolic-ref HEAD refs/heads/feature"],
    "the address": [
      "git config remote.origin.url /tmp/evil.git",
      "git config remote.origin.url /tmp/remote.git",
    ],
    "the whole repository": ["mv .git .good; mv .bad .git", "mv .git .bad; mv .good .git"],
  };
  it.each(sampleOf(Object.entries(FLIPS), 2))(
    "sends nothing else while the workload flips %s",
    async (_what, flip) => {
      await prepare(`git switch -q feature; git config push.default current; git switch -qc evil; git commit -q --allow-empty -m EVIL
      git switch -q feature; cp -r .git .bad; git -C /workspace/r --git-dir=.bad update-ref refs/heads/feature evil; git --git-dir=.bad config remote.origin.url /tmp/evil.git`);
      const [good = "", evil = ""] = (
        await lab.asAgent(`cd ${R}; git rev-parse feature evil`)
      ).split("\n");
      const question = await lab.card("git push", R);
      expect(question.effect.notes[0]).toContain(
        `Pushes feature (${good.slice(0, 7)}) to feature of /tmp/remote.git`,
      );
      const [there, back] = flip.map((one) => one.replace("EVIL", evil).replace("GOOD", good));
      const flips = `${there}; ${back}`;
      const script = `cd ${R}; while [ -e /tmp/racing ]; do ${flips}; sleep 0.01; done 2>/dev/null`;
      const wrong = `git -C /tmp/evil.git for-each-ref; git -C /tmp/remote.git branch --contains ${evil} 2>/dev/null`;
      const clean =
        "for r in remote evil; do for b in feature evil; do git -C /tmp/$r.git update-ref -d refs/heads/$b; done; done";
      // A push that was not approved sends something else where it meets the flip half done.
      const careless = `cd ${R}; ${there}; git push -q 2>/dev/null; ${wrong}; ${back}; ${clean}`;
      expect(await lab.asAgent(careless)).not.toBe("");
      await lab.during(script, async () => {
        for (let turn = 0; turn < TURNS; turn++) {
          await lab.asAgent("git -C /tmp/remote.git update-ref -d refs/heads/feature");
          await lab.click(question);
          const [at = ""] = (
            await lab.asAgent(
              "git -C /tmp/remote.git rev-parse -q --verify refs/heads/feature || true",
            )
          ).split("\n");
          expect(["", good]).toContain(at);
          expect(await lab.asAgent(`${wrong} || true`)).toBe("");
        }
      });
      const whole = "if [ -e .good ]; then [ ! -e .git ] || mv .git .bad; mv .good .git; fi";
      const calm = `cd ${R}; ${whole}; ${flips}`;
      await lab.asAgent(
        `${calm} 2>/dev/null; git -C /tmp/remote.git update-ref -d refs/heads/feature`,
      );
      expect(await lab.click(question)).toMatchObject({ success: true });
      expect(await lab.asAgent("git -C /tmp/remote.git rev-parse feature")).toBe(good);
    },
  );
});
