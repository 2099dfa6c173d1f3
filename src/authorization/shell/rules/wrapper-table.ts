import { valuesOfOption } from "../options.ts";
import type { Call, Inspector } from "../rule.ts";
import { afterOptions, type Wrapper } from "./wrapper-options.ts";

/** Programs that only start another one, with the options of theirs that are known. */
export const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  nohup: {},
  nice: { flags: "0123456789", valued: "n", valuedLong: ["adjustment"] },
  ionice: {
    flags: "t",
    valued: "cnpPu",
    valuedLong: ["class", "classdata"],
    flagsLong: ["ignore"],
  },
  chrt: { flags: "abdfiormvp", valued: "TPD", operands: 1 },
  taskset: { flags: "ac", flagsLong: ["cpu-list", "all-tasks"], operands: 1 },
  setsid: { flags: "cfw", flagsLong: ["ctty", "fork", "wait"] },
  stdbuf: { valued: "ioe", valuedLong: ["input", "output", "error"] },
  timeout: {
    flags: "v",
    valued: "ks",
    valuedLong: ["kill-after", "signal"],
    flagsLong: ["foreground", "preserve-status", "verbose"],
    operands: 1,
  },
  time: {
    flags: "pvaq",
    valued: "fo",
    valuedLong: ["format", "output"],
    flagsLong: ["portability", "verbose", "append", "quiet"],
    also: writesOutput,
  },
  ...Object.fromEntries(
    ["linux32", "linux64", "i386", "i486", "i586", "i686", "x86_64", "uname26"].map((name) => [
      name,
      { flags: "BFILRSTXZ3v" },
    ]),
  ),
  setarch: { flags: "BFILRSTXZ3v", operands: 1, optionsAfterOperands: true },
  prlimit: {
    flags: "cdefilmnqrstuvxy",
    valued: "op",
    flagsLong: [
      "as",
      "core",
      "cpu",
      "data",
      "fsize",
      "locks",
      "memlock",
      "msgqueue",
      "nice",
      "nofile",
      "nproc",
      "rss",
      "rtprio",
      "rttime",
      "sigpending",
      "stack",
      "noheadings",
      "raw",
      "verbose",
    ],
    valuedLong: ["output", "pid"],
  },
  choom: { valued: "np", valuedLong: ["adjust", "pid"] },
  rlwrap: { flags: "acimnrtzA" },
  "systemd-inhibit": { valuedLong: ["what", "who", "why", "mode"], flagsLong: ["list"] },
  "systemd-cat": { valued: "tp", valuedLong: ["identifier", "priority"] },
  "dbus-run-session": {},
  "xvfb-run": { flags: "al", valued: "efnpsw", flagsLong: ["auto-servernum"] },
  proxychains: { flags: "q", valued: "f" },
  proxychains4: { flags: "q", valued: "f" },
  torsocks: {},
  tsp: { flags: "nfmdB", valued: "LN" },
  command: { flags: "p" },
  builtin: {},
  exec: { flags: "cl", valued: "a" },
  unbuffer: { flags: "p" },
  chronic: {},
  catchsegv: {},
  fakeroot: { valued: "li", flags: "u" },
  eatmydata: {},
  "dumb-init": { flags: "cv" },
  tini: { flags: "sgvw" },
  faketime: { flags: "mf", operands: 1 },
  strace: { flags: "fFcCdDhiknqrtTvVxyYzZ", valued: "abeEIoOpPsSuUX", also: writesOutput },
  ltrace: { flags: "fcCirStTV", valued: "aAeDlnopsuxXw", also: writesOutput },
  valgrind: {
    flags: "qvd",
    valuedLong: [],
    flagsLong: [
      "leak-check",
      "tool",
      "error-exitcode",
      "track-origins",
      "quiet",
      "verbose",
      "show-leak-kinds",
      "suppressions",
    ],
  },
  doas: { flags: "Lns", valued: "aCu", also: asRoot },
  ...Object.fromEntries(
    ["sudo-rs", "sudo.ws", "dzdo"].map((name) => [
      name,
      { flags: "AbEeHhiKklnPSsVvB", valued: "aCcDghpRrTtUu", also: otherRoot },
    ]),
  ),
  sudo: {
    flags: "AbEeHhiKklnPSsVvB",
    valued: "aCcDghpRrTtUu",
    flagsLong: [
      "non-interactive",
      "preserve-env",
      "login",
      "shell",
      "stdin",
      "set-home",
      "background",
      "validate",
      "list",
      "edit",
      "askpass",
      "reset-timestamp",
      "remove-timestamp",
    ],
    valuedLong: [
      "user",
      "group",
      "prompt",
      "chdir",
      "chroot",
      "host",
      "other-user",
      "role",
      "type",
      "command-timeout",
    ],
    assignments: true,
    chdir: { short: "D", long: "chdir" },
    also: asRoot,
  },
};

/** Programs that give root, and that the workspace does not have: what they run is judged all the same. */
function otherRoot({ program }: Call, inspect: Inspector): void {
  inspect.click(`${program} asks for root`);
}

/** `sudo` and its like. */
export function asRoot({ program, args }: Call, inspect: Inspector): void {
  inspect.root();
  inspect.click(`${program} asks for root`);
  const own = args.slice(0, afterOptions(args, WRAPPERS.sudo ?? {}));
  if (own.some(({ shape }) => /^(?:-[a-zA-Z]*[sie]|--login|--shell|--edit)$/.test(shape)))
    inspect.click(`${program} opens a shell or an editor as root`);
}

function writesOutput({ args }: Call, inspect: Inspector): void {
  for (const file of valuesOfOption(args, { short: "o", long: "output" })) {
    if (file.shape.startsWith("|") || file.shape.startsWith("!"))
      inspect.click("sends its output to another program");
    else inspect.writes(file);
  }
}
