import { delimiter, dirname, join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { configDefaults, defineConfig } from "vitest/config";

const env = {
  // The image has ripgrep; where tests run the server's code on this machine, this one stands in.
  PATH: [process.env.PATH, dirname(rgPath)].join(delimiter),
  // A bash whose input is a socket, as that of a child of Node is, reads the person's ~/.bashrc unless a shell started it.
  SHLVL: "1",
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

const browserTests = ["test/browser/**/*.test.ts"];

// The real discord.js and ours bring an undici each, which share one dispatcher for the whole process. And clients of the
// platforms try again long after their test: the next file's server may have their server's port by then.
const aloneTests = ["test/support/discord/discord-js*.test.ts", "test/adapters/**/*.test.ts"];

// To start a program costs twenty times as much in a process that has grown large, as the whole bot has. These start
// hundreds each, and load little.
const programTests = ["test/sandbox-image/**/*.test.ts", "test/src/authorization/**/*.test.ts"];

// Only a fault takes this long, also on a busy machine: what is waited for is mostly another process, a socket, a container
// or a browser.
const patient = {
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 120_000 } },
};

// Files of a project share processes: loading the modules for each file anew took a third of the processor time.
const shared = {
  env,
  isolate: false,
  setupFiles: [
    "test/support/property-seed.ts",
    "test/support/processor-time.ts",
    "test/support/report-waits.ts",
  ],
  ...patient,
};

// Most tests wait for processes, sockets and containers: more of them at a time than there are cores. What keeps a core
// busy by itself, and what measures, comes after them. scripts/test.ts divides the workers between its lanes.
const light = {
  ...shared,
  maxWorkers: Number(process.env.TEST_WORKERS ?? 4),
  sequence: { groupOrder: 0 },
};
const heavy = {
  ...shared,
  maxWorkers: 2,
  sequence: { groupOrder: 1 },
};
// What takes minutes has a process of its own.
const alone = { ...heavy, isolate: true, testTimeout: 900_000 };

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
          include: ["test/**/*.test.ts"],
          exclude: [...aloneTests, ...programTests, ...dockerTests, ...browserTests, ...longTests],
          ...light,
        },
      },
      { test: { name: "unit-programs", include: programTests, ...light } },
      {
        test: {
          name: "unit-alone",
          include: aloneTests,
          exclude: longTests,
          ...light,
          isolate: true,
        },
      },
      {
        test: {
          name: "docker",
          include: dockerTests,
          exclude: [...crashTests, ...longTests],
          ...light,
        },
      },
      {
        test: {
          name: "browser",
          include: browserTests,
          exclude: longTests,
          globalSetup: ["test/browser/shared-browser.ts"],
          ...heavy,
        },
      },
      { test: { name: "crashes", include: crashTests, ...alone } },
      { test: { name: "long", include: longTests, ...alone } },
    ],
  },
});
