// @ts-check
import { SetupError } from "../lib/problem.mjs";

/** Without these the server does not start or cannot open a terminal. */
const NEEDED = {
  bash: "bash",
  setpriv: "setpriv (util-linux)",
  useradd: "useradd (passwd or shadow-utils)",
};

/** Without these some work is harder. */
const MISSED = [
  "git",
  "rg",
  "python3",
  "gcc",
  "make",
  "curl",
  "ps",
  "less",
  "patch",
  "jq",
  "unzip",
  "xz",
  "ssh",
];

const MINIMUM_GLIBC = "2.28";

/** Prints one word per program that exists, and lines for libc and locale. POSIX sh only. */
const SCRIPT = `
for name in ${[...Object.keys(NEEDED), ...MISSED].join(" ")}; do
  command -v "$name" > /dev/null 2>&1 && echo "has $name"
done
echo "glibc $(getconf GNU_LIBC_VERSION 2> /dev/null)"
locale -a 2> /dev/null | grep -qi '^en_US.utf-\\?8$' && echo "has en_US.UTF-8"
command -v localedef > /dev/null 2>&1 && [ -f /usr/share/i18n/locales/en_US ] && echo "has en_US.UTF-8"
exit 0
`;

/**
 * What an image lacks: `needed` to be a workspace at all, `missed` to be a good one.
 * @param {import("../lib/engine-api.mjs").EngineApi} engine
 * @param {string} image
 */
export async function probe(engine, image) {
  const output = await runProbe(engine, image);
  const has = new Set([...output.matchAll(/^has (\S+)/gm)].map(([, name]) => name));
  const needed = Object.entries(NEEDED)
    .filter(([name]) => !has.has(name))
    .map(([, label]) => label);
  const glibc = /^glibc glibc ([\d.]+)/m.exec(output)?.[1];
  if (!glibc || glibc.localeCompare(MINIMUM_GLIBC, "en", { numeric: true }) < 0) {
    needed.push(`glibc ${MINIMUM_GLIBC} or newer`);
  }
  const missed = MISSED.filter((name) => !has.has(name));
  if (!has.has("en_US.UTF-8")) missed.push("locale en_US.UTF-8");
  return { needed, missed };
}

/**
 * @param {import("../lib/engine-api.mjs").EngineApi} engine
 * @param {string} image
 */
async function runProbe(engine, image) {
  try {
    const { output } = await engine.runIn(image, ["sh", "-c", SCRIPT]);
    return output.replaceAll("\r", "");
  } catch (error) {
    throw new SetupError(
      `Image ${image} cannot be used for workspaces because it has no working shell: add sh, bash and setpriv and run this again.`,
      { cause: error },
    );
  }
}
