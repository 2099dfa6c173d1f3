import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { repositoryAt } from "../../../sandbox-image/server/approved/git/repository.ts";
import { superviseProgram } from "../../support/supervise.ts";

/** Outside of the workload's usual directories, as /opt is in a workspace. */
const ELSEWHERE = join(homedir(), ".cache/deckhand-tests");

describe("the repository that an approved git uses", () => {
  const made: string[] = [];
  afterEach(() => {
    for (const directory of made.splice(0)) rmSync(directory, { recursive: true, force: true });
  });

  const newIn = (parent: string) => {
    mkdirSync(parent, { recursive: true });
    const directory = realpathSync(mkdtempSync(join(parent, "repository-")));
    made.push(directory);
    mkdirSync(join(directory, "sub"));
    return directory;
  };
  const init = (directory: string, ...more: string[]) =>
    execFileSync("git", ["init", "-q", "--template=", ...more, directory]);
  const at = (directory: string) => repositoryAt({ supervise: superviseProgram() }, directory);

  it.each(["/tmp", "/dev/shm", ELSEWHERE])("is found from below it: in %s", async (parent) => {
    const directory = newIn(parent);
    init(directory);
    for (const place of [directory, join(directory, "sub")])
      expect(await at(place)).toMatchObject({ gitDir: join(directory, ".git") });
  });

  it("is none where there is none", async () => {
    expect(await at(join(newIn("/tmp"), "sub"))).toBe(undefined);
  });

  it("is refused where a file leads to one that only the agent's git may read", async () => {
    const [directory, other] = [newIn("/tmp"), newIn(ELSEWHERE)];
    init(other);
    writeFileSync(join(directory, ".git"), `gitdir: ${other}/.git\n`);
    await expect(at(join(directory, "sub"))).rejects.toThrow(/Git cannot read the repository/);
  });

  it("is refused below a bare one that only the agent's git may read", async () => {
    const directory = newIn(ELSEWHERE);
    init(directory, "--bare");
    await expect(at(join(directory, "refs"))).rejects.toThrow(/Git cannot read the repository/);
  });
});
