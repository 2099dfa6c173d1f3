import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { isRoot, makeLab, portrait } from "./lab.ts";

const ATTACK_MS = 6000;
const LEAST_SWAPS = 1000;
const LEAST_ROUNDS = 6;
const SECRET = "the secret that lies outside of the workspace";

// Directories and files become links to a place outside and back, as fast as it goes.
const ATTACK = `
  const fs = require("fs");
  const [root, outside, tally] = process.argv.slice(1);
  const quietly = (act) => { try { act(); } catch {} };
  let swaps = 0;
  setInterval(() => {
    for (let i = 0; i < 300; i++) {
      const dir = root + "/d" + (i % 5), file = root + "/e/f" + (i % 5);
      quietly(() => { fs.renameSync(dir, dir + ".away"); fs.symlinkSync(outside, dir); swaps++; });
      quietly(() => { fs.renameSync(file, file + ".away"); fs.symlinkSync(outside + "/f0", file); swaps++; });
      quietly(() => { fs.unlinkSync(dir); fs.renameSync(dir + ".away", dir); });
      quietly(() => { fs.unlinkSync(file); fs.renameSync(file + ".away", file); });
      for (const name of fs.readdirSync(root)) {
        if (!name.startsWith(".deckhand")) continue;
        quietly(() => { fs.renameSync(root + "/" + name, root + "/stolen" + swaps); fs.symlinkSync(outside, root + "/" + name); });
      }
    }
    fs.writeFileSync(tally, String(swaps));
  }, 0);
`;

it("neither reads nor writes outside while somebody swaps directories for links", async () => {
  using lab = makeLab({ limits: { maxCheckpoints: 100_000 } });
  const outside = join(lab.top, "outside");
  mkdirSync(outside);
  for (let i = 0; i < 5; i++) {
    writeFileSync(join(outside, `f${i}`), `${SECRET} ${i}`);
    for (let j = 0; j < 5; j++) lab.write(`d${i}/f${j}`, `inside ${i} ${j}`);
    lab.write(`e/f${i}`, `inside ${i}`);
  }
  const kept = await lab.checkpoints.create();
  const canary = portrait(outside);
  using attack = startAttack(lab.root, outside, join(lab.top, "tally"));
  await expectToWork(lab.path("d3/f4"));
  const swapped = () => Number(readFileSync(join(lab.top, "tally"), "utf8"));
  const end = Date.now() + ATTACK_MS;
  const isEnough = (rounds: number) =>
    Date.now() > end && rounds >= LEAST_ROUNDS && swapped() > LEAST_SWAPS;
  for (let rounds = 0; !isEnough(rounds); rounds++) {
    lab.write(`more/${rounds % 9}`, String(rounds));
    await lab.checkpoints.create();
    await untilStopped(lab.checkpoints.restore(kept.checkpoint));
    expect(portrait(outside)).toEqual(canary);
  }
  await attack.stop();
  for (let i = 0; i < 5; i++) expect(isKept(lab.store, `${SECRET} ${i}`)).toBe(false);

  expect(await lab.checkpoints.restore(kept.checkpoint)).toMatchObject({ complete: true });
  expect(lab.read("d3/f4")).toBe("inside 3 4");
});

it.runIf(isRoot)(
  "does not hand root's directory to the workload because it was moved",
  async () => {
    using lab = makeLab();
    mkdirSync(lab.path("public"));
    chownSync(lab.path("public"), 1000, 1000);
    const kept = await lab.checkpoints.create();
    chmodSync(lab.path("public"), 0o700);
    const owners: number[] = [];
    const swap = onlyOnce(() => {
      lab.write("private/secret", "root's");
      renameSync(lab.path("public"), lab.path("public.away"));
      renameSync(lab.path("private"), lab.path("public"));
    });
    const watching = lab.open({
      onStep: (label) => {
        if (label === "finish public") swap();
        if (label === "remove public/secret") owners.push(statSync(lab.path("public")).uid);
      },
    });
    expect(await watching.restore(kept.checkpoint)).toMatchObject({ complete: true });
    expect(owners).toEqual([0]);
    expect(existsSync(lab.path("public/secret"))).toBe(false);
  },
);

function onlyOnce(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) act();
    isDone = true;
  };
}

interface Attack extends Disposable {
  stop(): Promise<void>;
}

function startAttack(root: string, outside: string, tally: string): Attack {
  const child: ChildProcess = spawn(process.execPath, ["-e", ATTACK, root, outside, tally]);
  return {
    stop: async () => {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
    [Symbol.dispose]: () => child.kill("SIGKILL"),
  };
}

/** Somebody who just reads a path of the workspace does fall for it. */
async function expectToWork(path: string): Promise<void> {
  await vi.waitUntil(() => readIfThere(path).startsWith(SECRET), { timeout: 180_000, interval: 0 });
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // just being swapped
  }
}

/** The attacker may well keep a restore from finishing, but only with a sentence that says so. */
async function untilStopped(restore: Promise<unknown>): Promise<void> {
  try {
    await restore;
  } catch (error) {
    expect(String(error)).toContain("interferes with the restore");
  }
}

function isKept(store: string, content: string): boolean {
  const { hash } = process.getBuiltinModule("node:crypto");
  const name = hash("sha256", content);
  return existsSync(join(store, "blobs", name.slice(0, 2), name));
}
