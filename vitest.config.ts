import { delimiter, dirname, join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { configDefaults, defineConfig } from "vitest/config";

const env = {
  // The image has ripgrep; where tests run the server's code on this machine, this one stands in.
  PATH: [process.env.PATH, dirname(rgPath)].join(delimiter),
  // Programs that tests start need half the processor time to load.
  NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules/.cache/compiled"),
};

// What needs the Docker engine has time to start containers.
const dockerTests = [
  "test/docker/**/*.test.ts",
  "test/chaos/**/*.test.ts",
  "test/scripts/*.test.ts",
];

// Kills by the hundred: of the whole bot at every point, around calls into a workspace, and around the record of calls.
const crashTests = [
  "test/chaos/turn/**/*.test.ts",
  "test/chaos/kill.test.ts",
  "test/chaos/audit.test.ts",
];

// Minutes of bad weather between a platform and the bot, kills by the dozen, and what measures time; by themselves.
const longTests = [
  "test/chaos/weather/**/*.test.ts",
  "test/chaos/checkpoints.test.ts",
  "test/adapters/slack/kill.test.ts",
  "test/adapters/discord/kill.test.ts",
  "test/adapters/discord/rough-weather.test.ts",
  "test/browser/layout-bombs.test.ts",
];

// What needs a browser keeps a whole Chromium busy.
const browserTests = ["test/browser/**/*.test.ts"];

// What leaves nothing behind in its process shares one with others of its kind: loading the modules for each file anew took
// a third of the processor time of these. Platforms' clients keep connections and settings for the whole process.
const sharedTests = ["test/src/**/*.test.ts", "test/sandbox-image/**/*.test.ts"];

// What is polled is mostly another process, a socket or a container: on a busy machine that takes its time, and only a
// fault takes this long.
const patient = { expect: { poll: { timeout: 30_000 } } };

const setupFiles = ["test/support/property-seed.ts"];

// Most tests wait for processes and sockets: more of them at a time than there are cores. What keeps a core busy by itself
// comes after them.
const light = { maxWorkers: 4, sequence: { groupOrder: 0 }, setupFiles, ...patient };
const heavy = { maxWorkers: 2, sequence: { groupOrder: 1 }, setupFiles, ...patient };

export default defineConfig({
  test: {
    // `--changed` follows imports; what tests read or build in another way makes it run everything.
    forceRerunTriggers: [
      ...configDefaults.forceRerunTriggers,
      "**/prompts/**",
      "**/sandbox-image/**",
      "**/test/**/*.json",
    ],
    projects: [
      {
        test: {
          name: "unit",
          env,
          include: sharedTests,
          isolate: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          ...light,
        },
      },
      {
        test: {
          name: "unit-alone",
          env,
          include: ["test/**/*.test.ts"],
          exclude: [...sharedTests, ...dockerTests, ...browserTests, ...longTests],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          ...light,
        },
      },
      {
        test: {
          name: "docker",
          include: dockerTests,
          exclude: [...crashTests, ...longTests],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          ...light,
        },
      },
      {
        test: {
          name: "crashes",
          include: crashTests,
          testTimeout: 900_000,
          hookTimeout: 120_000,
          ...heavy,
        },
      },
      {
        test: {
          name: "long",
          include: longTests,
          testTimeout: 900_000,
          hookTimeout: 60_000,
          ...heavy,
        },
      },
      {
        test: {
          name: "browser",
          include: browserTests,
          exclude: longTests,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          ...heavy,
        },
      },
    ],
  },
});
