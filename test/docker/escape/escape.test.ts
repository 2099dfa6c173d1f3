import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Workspace } from "../../../src/contract/workspace/workspace.ts";
import { docker, startEngine, type TestEngine } from "../../support/engine.ts";
import { type Arena, type Attempt, type AttemptClass, succeeds } from "../../support/escape.ts";
import { type Control, startControl, workspaceArena } from "../../support/escape-arenas.ts";
import { CONTROL_LIMITS, LIMITS } from "../../support/escape-measure.ts";
import { type Outside, startOutside } from "../../support/escape-outside.ts";
import { listenToWork } from "../../support/longest-work.ts";
import { slowestAnswer } from "../../support/slowest-answer.ts";
import { sampleOf } from "../../support/thorough.ts";
import { eventually } from "../../support/until.ts";
import { engineSocket } from "./engine-socket.ts";
import { git } from "./git.ts";
import { links } from "./links.ts";
import { neighbours } from "./neighbour.ts";
import { network } from "./network.ts";
import { patches } from "./patches.ts";
import { paths } from "./paths.ts";
import { privileges } from "./privileges.ts";
import { proc } from "./proc.ts";
import { forks, openHandles } from "./processes.ts";
import { servers } from "./server.ts";
import { disks, memories } from "./storage.ts";

const MAX_ANSWER_MS = 5_000;
const MAX_WORK_MS = 1_000;

const outside: Outside = await startOutside();
afterAll(() => outside[Symbol.asyncDispose]());

const UNCONFINED = [
  "--security-opt",
  "seccomp=unconfined",
  "--security-opt",
  "systempaths=unconfined",
];
const CAPABILITIES = [
  "SYS_ADMIN",
  "SYS_PTRACE",
  "DAC_READ_SEARCH",
  "NET_ADMIN",
  "SYSLOG",
  "SYS_NICE",
];
const OFFLINE = ["--network", "none"];

/** Each lacks just what its attempts are about; none can reach more of the host than `outside`. */
const CONTROLS: Record<string, () => Promise<Control>> = {
  bare: () => startControl(OFFLINE),
  powerful: () =>
    startControl([
      ...OFFLINE,
      ...UNCONFINED,
      ...CAPABILITIES.flatMap((name) => ["--cap-add", name]),
    ]),
  bridge: () =>
    startControl([
      ...["--dns", outside.values.EAR4 ?? ""],
      ...["--add-host", `host.docker.internal:${outside.values.GATEWAY}`],
      ...["--sysctl", "net.ipv6.conf.all.disable_ipv6=0"],
    ]),
  shared: () => startControl(["--network", `container:${outside.ear}`]),
  engine: () =>
    startControl([
      ...["--volume", `${outside.directory}:/outside`],
      ...["--volume", `${outside.directory}:${outside.directory}`],
      ...["--env", "DOCKER_HOST=unix:///outside/docker.sock"],
      ...["--device", "/dev/null:/dev/deckhand-canary"],
    ]),
  roomy: () => startControl([...OFFLINE, ...CONTROL_LIMITS]),
  common: () => startControl(OFFLINE, { user: 1000, server: ["/opt/deckhand/init"] }),
};

const ALL_CLASSES: readonly AttemptClass[] = [
  links,
  paths,
  patches,
  git,
  proc,
  privileges,
  network(outside),
  engineSocket(outside),
  forks,
  memories,
  disks,
  openHandles,
  neighbours,
  servers,
];

/** With every change some attempts of each class, fewer where they use something up for seconds; in `test:all` every one. */
const PER_CHANGE = 8;
const EXHAUSTING_PER_CHANGE = 3;
const CLASSES = ALL_CLASSES.map(({ attempts, ...rest }) => ({
  ...rest,
  attempts: sampleOf(attempts, rest.exhausts ? EXHAUSTING_PER_CHANGE : PER_CHANGE),
}));

/** That an attempt succeeds in the control depends on this table and on the engine alone: with every change some show it. */
const CONTROLLED_PER_CHANGE = 2;
const CONTROLLED = new Set(
  CLASSES.flatMap(({ attempts }) => sampleOf(attempts, CONTROLLED_PER_CHANGE)),
);

describe("attempts to get out of a workspace", () => {
  const controls = new Map<string, Promise<Control>>();
  const control = (name: string) => {
    const started = controls.get(name) ?? CONTROLS[name]?.();
    if (!started) throw new Error(`no control ${name}`);
    controls.set(name, started);
    return started;
  };
  let engine: TestEngine;
  let victim: Workspace;
  let arena: Arena;
  let spec = "";
  const real = new Set<Attempt>();
  const got: string[] = [];

  const specOf = async (container: string) =>
    docker("inspect", "-f", "{{json .Config}} {{json .HostConfig}}", container);

  beforeAll(async () => {
    engine = await startEngine({ settings: LIMITS });
    const attacker = await engine.workspaces.open("attacker", { fence: 1 });
    victim = await engine.workspaces.open("victim", { fence: 1 });
    const neighbour = await workspaceArena(victim, await engine.containerOf("victim"));
    const own = await engine.containerOf("attacker");
    arena = await workspaceArena(attacker, own, neighbour);
    spec = await specOf(own);
  });
  afterAll(async () => {
    for (const one of [arena, arena.neighbour]) one?.close?.();
    await Promise.all(
      [...controls.values()].map(async (one) => (await one)[Symbol.asyncDispose]()),
    );
    await engine[Symbol.asyncDispose]();
  });

  /** A race that is lost on a busy machine can be won the next time. */
  async function isReal(attempt: Attempt, place: Arena): Promise<boolean> {
    for (let turn = 0; turn < 5; turn += 1)
      if (await succeeds(attempt, place, outside.values)) return true;
    return false;
  }

  /** Also during the attack the other workspace answers, and nothing holds the bot up. */
  async function whileOthersWork(attack: Promise<boolean>): Promise<boolean> {
    const beat = listenToWork();
    const slowest = await slowestAnswer(() => victim.state(), attack);
    beat.stop();
    expect(slowest).toBeLessThan(MAX_ANSWER_MS);
    expect(beat.longestMs).toBeLessThan(MAX_WORK_MS);
    return attack;
  }

  describe.each(CLASSES)("$name", ({ name, control: usual, attempts, exhausts }) => {
    it.each(attempts)("$title", async (attempt) => {
      if (CONTROLLED.has(attempt)) {
        const place = await control(attempt.control ?? usual);
        expect(await isReal(attempt, place.arena), "in the control").toBe(true);
        real.add(attempt);
      }
      const attack = succeeds(attempt, arena, outside.values);
      const succeeded = await (exhausts ? whileOthersWork(attack) : attack);
      if (succeeded) got.push(`${name}: ${attempt.title}`);
      expect(succeeded, "in the workspace").toBe(false);
      if (exhausts)
        await eventually(async () => expect(await arena.run("echo usable")).toContain("usable"));
    });
  });

  it("P-S8 leaves the container's settings as they were made", async () => {
    expect(await specOf(await engine.containerOf("attacker"))).toBe(spec);
  });

  it("knows at least 100 attempts, at least 8 of each class, and none of those that it made succeeded", () => {
    const count = (classes: readonly AttemptClass[]) =>
      classes.reduce((sum, { attempts }) => sum + attempts.length, 0);
    process.stdout.write(
      `${count(CLASSES)} of ${count(ALL_CLASSES)} attempts, ${real.size} tried against the control and real, ${got.length} succeeded\n`,
    );
    expect(got).toEqual([]);
    expect(real).toEqual(CONTROLLED);
    expect(count(ALL_CLASSES)).toBeGreaterThanOrEqual(100);
    for (const { name, attempts } of ALL_CLASSES)
      expect(attempts.length, name).toBeGreaterThanOrEqual(8);
  });
});
