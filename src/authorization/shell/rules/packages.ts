import { hasAnyOption, hasOption, operandsOf, takesNext } from "../options.ts";
import type { Call, Inspector, Rule, Rules } from "../rule.ts";
import { readable, type Word } from "../word.ts";

/** A tool with subcommands: which only read, which publish or destroy; all others change things in the sandbox. */
interface Verbs {
  readonly reads?: string;
  readonly asks?: string;
  /** Start the program named by the words after them. */
  readonly runs?: string;
  /** Run a script of the project by its name. */
  readonly scripts?: string;
  readonly why: string;
  readonly valuedLong?: readonly string[];
  readonly valued?: string;
}

/** Names of project scripts that usually act on the world outside. */
const OUTWARD =
  /deploy|publish|release|destroy|rollback|prod(?:uction)?\b|(?:^|[:_-])push(?:$|[:_-])/i;

function verbs({
  reads = "",
  asks = "",
  runs = "",
  scripts = "",
  why,
  valuedLong = [],
  valued = "",
}: Verbs): Rule {
  const [reading, asking, running, scripting] = [reads, asks, runs, scripts].map(
    (names) => new Set(names.split(" ")),
  );
  return (call, inspect) => {
    const at = verbAt(call.args, valued, valuedLong);
    const verb = readable(call.args[at]?.shape ?? "");
    if (at < 0 || reading?.has(verb)) return;
    inspect.medium(why);
    if (asking?.has(verb)) inspect.high(`${call.program} ${verb} acts outside the sandbox`);
    const rest = call.args.slice(at + 1);
    if (running?.has(verb)) startsProgram(rest, inspect);
    const [script] = operandsOf(rest);
    if (scripting?.has(verb) && script && OUTWARD.test(readable(script.shape)))
      inspect.high(`the script ${readable(script.shape)} probably acts outside the sandbox`);
    // `yarn deploy` is `yarn run deploy`.
    if (scripting?.size && OUTWARD.test(verb))
      inspect.high(`the script ${verb} probably acts outside the sandbox`);
  };
}

function verbAt(args: readonly Word[], valued: string, valuedLong: readonly string[]): number {
  for (let index = 0; index < args.length; index++) {
    const { shape } = args[index] as Word;
    if (shape.startsWith("+")) continue; // cargo +nightly
    if (!shape.startsWith("-")) return index;
    if (takesNext(shape, valued, valuedLong)) index++;
  }
  return -1;
}

/** `npx -y tool`, `poetry run tool`: what runs is a program of the project, or one that is fetched. */
function startsProgram(words: readonly Word[], inspect: Inspector): void {
  const at = words.findIndex(({ shape }) => !shape.startsWith("-"));
  if (hasOption(words.slice(0, Math.max(at, 0)), { short: "c", long: "call" }))
    inspect.high("runs a text as a command");
  if (at >= 0) inspect.runs(words.slice(at));
}

const startsNext: Rule = ({ args, program }, inspect) => {
  inspect.medium(`${program} starts a program of the project, or one that it fetches`);
  startsProgram(args, inspect);
};

const npmVerbs: Verbs = {
  reads:
    "ls list ll la view info show v outdated search s se help root prefix bin ping doctor explain why fund docs repo bugs query sbom",
  asks: "publish unpublish deprecate undeprecate owner access token dist-tag dist-tags login adduser logout add-user profile org team hook star unstar",
  runs: "exec x dlx",
  scripts: "run run-script rum urn",
  why: "installs packages or runs the project's scripts",
  valuedLong: ["prefix", "workspace", "registry", "loglevel", "cwd", "filter", "dir"],
  valued: "wCF",
};

export const packages: Rules = {
  npm: (call, inspect) => {
    if (/_auth|authToken/.test(call.segment)) inspect.high("reaches for credentials");
    verbs(npmVerbs)(call, inspect);
  },
  pnpm: verbs(npmVerbs),
  yarn: verbs({ ...npmVerbs, asks: `${npmVerbs.asks} npm` }),
  bun: verbs({
    ...npmVerbs,
    reads: "pm outdated",
    asks: "publish",
    why: "installs packages or runs the project's scripts",
  }),
  lerna: verbs({ ...npmVerbs, asks: "publish version" }),
  npx: startsNext,
  bunx: startsNext,
  pnpx: startsNext,
  uvx: startsNext,
  corepack: verbs({ why: "prepares package managers" }),
  pip: verbs({
    reads: "list show freeze check help debug inspect",
    why: "installs packages",
    asks: "",
  }),
  pip3: verbs({ reads: "list show freeze check help debug inspect", why: "installs packages" }),
  pipx: verbs({ reads: "list", runs: "run", why: "installs packages" }),
  uv: verbs({
    reads: "tree version",
    runs: "run",
    asks: "publish",
    why: "installs packages or runs the project",
  }),
  poetry: verbs({
    reads: "show check version env",
    runs: "run",
    asks: "publish",
    why: "installs packages or runs the project",
    valued: "C",
  }),
  pdm: verbs({
    reads: "list info show",
    runs: "run",
    asks: "publish",
    why: "installs packages or runs the project",
  }),
  pipenv: verbs({ reads: "graph", runs: "run", why: "installs packages or runs the project" }),
  conda: verbs({ reads: "list info search", runs: "run", why: "installs packages" }),
  twine: verbs({ reads: "check", asks: "upload register", why: "publishes packages" }),
  flit: verbs({ asks: "publish", why: "builds packages" }),
  hatch: verbs({ asks: "publish", runs: "run", why: "builds packages" }),
  cargo: verbs({
    reads: "tree metadata search version locate-project pkgid",
    asks: "publish yank owner login logout",
    why: "builds, tests or installs crates",
  }),
  gem: verbs({
    reads: "list search info environment",
    asks: "push yank owner signin",
    why: "installs packages",
  }),
  bundle: verbs({ reads: "list show outdated check info", runs: "exec", why: "installs packages" }),
  go: verbs({ reads: "version env list doc vet help", why: "builds, tests or fetches modules" }),
  composer: verbs({
    reads: "show outdated licenses validate",
    runs: "exec",
    scripts: "run run-script",
    why: "installs packages",
  }),
  mvn: buildTool("deploy release:perform release:prepare"),
  mvnw: buildTool("deploy"),
  gradle: buildTool("publish uploadArchives publishToMavenCentral"),
  gradlew: buildTool("publish uploadArchives"),
  dotnet: verbs({ reads: "list help --info", why: "builds or installs packages" }),
  mix: verbs({ asks: "hex.publish", why: "builds the project" }),
  apt: systemPackages("list show search policy depends rdepends moo changelog"),
  "apt-get": systemPackages("changelog check"),
  aptitude: systemPackages("search show"),
  dpkg: (call, inspect) => {
    if (
      !hasAnyOption(call.args, [
        { short: "l", long: "list" },
        { short: "L", long: "listfiles" },
        { short: "s", long: "status" },
        { short: "S", long: "search" },
      ])
    )
      inspect.medium("installs packages");
  },
  apk: systemPackages("info search list version"),
  dnf: systemPackages("list info search repolist"),
  yum: systemPackages("list info search repolist"),
  pacman: systemPackages("-Q -Qi -Ss"),
  brew: systemPackages("list info search outdated"),
  snap: systemPackages("list info find"),
};

/** System packages need root to be installed; without it they only fail. */
function systemPackages(reads: string): Rule {
  const plain = verbs({ reads, why: "installs packages" });
  return (call, inspect) => {
    plain(call, inspect);
    if (call.args.some(({ shape }) => /Pre-Invoke|Post-Invoke|^-o|^--option/.test(shape)))
      inspect.high("a setting that may start programs");
  };
}

function buildTool(outward: string): Rule {
  const goals = new Set(outward.split(" "));
  return ({ args, program }: Call, inspect) => {
    inspect.medium("builds the project");
    if (args.some(({ shape }) => goals.has(shape.replace(/^.*:(?=publish|upload)/, ""))))
      inspect.high(`${program} publishes`);
  };
}
