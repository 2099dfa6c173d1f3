import { delimiter, dirname } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { defineConfig } from "vitest/config";

// The image has ripgrep; where tests run the server's code on this machine, this one stands in.
const env = { PATH: [process.env.PATH, dirname(rgPath)].join(delimiter) };

// What needs the Docker engine runs in its own project: two files at a time, with time to start containers.
const dockerTests = [
  "test/docker/**/*.test.ts",
  "test/chaos/**/*.test.ts",
  "test/contracts/**/*.test.ts",
  "test/scripts/**/*.test.ts",
];

// Kills the whole bot at every point; takes minutes, so it runs by itself, or after everything else.
const crashTests = ["test/chaos/turn/**/*.test.ts"];

// What needs a browser, one file at a time: each of them keeps a whole Chromium busy.
const browserTests = ["test/browser/**/*.test.ts"];

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          env,
          include: ["test/**/*.test.ts"],
          exclude: [...dockerTests, ...browserTests],
          testTimeout: 20_000,
          // Most of them wait for processes and sockets: on two cores the default would be one at a time.
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: "docker",
          include: dockerTests,
          exclude: crashTests,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: "crashes",
          include: crashTests,
          sequence: { groupOrder: 1 },
          testTimeout: 900_000,
          hookTimeout: 120_000,
          maxWorkers: 1,
        },
      },
      {
        test: {
          name: "browser",
          include: browserTests,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          maxWorkers: 1,
        },
      },
    ],
  },
});
