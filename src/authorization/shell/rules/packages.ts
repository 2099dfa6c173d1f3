import { hasAnyOption, hasOption, operandsOf, takesNext, valuesOfOption } from "../options.ts";
import {
  type Call,
  each,
  type Inspector,
  type Rule,
  type Rules,
  tool,
  writesOutputs,
} from "../rule.ts";
import { literalWord, readable, type Word } from "../word.ts";
import { codeArgument } from "./code-arguments.ts";
import { foreignIndex, isForeign } from "./package-indexes.ts";

/** A tool with subcommands: which only read, which publish or destroy; all others change things in the sandbox. */
interface Verbs {
  readonly reads?: string;
  readonly asks?: string;
  /** Publish or unpublish: a phrase. */
  readonly publishes?: string;
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
  publishes = "",
  runs = "",
  scripts = "",
  why,
  valuedLong = [],
  valued = "",
}: Verbs): Rule {
  const [reading, asking, running, scripting, publishing] = [
    reads,
    asks,
    runs,
    scripts,
    publishes,
  ].map((names) => new Set(names.split(" ").filter(Boolean)));
  return (call, inspect) => {
    const at = verbAt(call.args, valued, valuedLong);
    const verb = kebab(readable(call.args[at]?.shape ?? ""));
    if (at < 0 || reading?.has(verb)) return;
    inspect.notes(why);
    const rest = call.args.slice(at + 1);
    const isDryRun = call.args.some(({ shape }) => /^--dry-?run(?:=true)?$/.test(shape));
    const onlyLists = /^(?:ls|list|get)$/.test(rest[0]?.shape ?? "") && verb !== "token";
    if (asking?.has(verb) && !onlyLists)
      inspect.click(`${call.program} ${verb} acts outside the sandbox`);
    if (!isDryRun && mayMean(verb, publishing)) inspect.phrase(`${call.program} ${verb} publishes`);
    // `yarn workspace NAME publish`, `pnpm recursive publish`, `yarn npm publish`
    const nested =
      /^(?:workspaces?|recursive|multi|m|npm|foreach|release|hex|hex\.\w+|trunk|nuget|registry)$/.test(
        verb,
      );
    if (!isDryRun && nested && publishing?.size && rest.some(({ shape }) => PUBLISHING.test(shape)))
      inspect.phrase(`${call.program} publishes`);
    if (running?.has(verb)) startsProgram(rest, inspect);
    writesOutputs(rest, inspect);
    if (/^(?:install|i|add|ci|wheel|download)$/.test(verb) && rest.some(isArchiveAddress))
      inspect.click("installs what was downloaded");
    const [script] = operandsOf(rest);
    // `npm run env -- COMMAND` hands the words to env; `npm pkg set scripts.x=COMMAND` keeps them for later.
    if ((scripting?.has(verb) && script?.shape === "env") || verb === "pkg") inspect.mayRun(rest);
    if (
      scripting?.size &&
      /^(?:changeset|np|release-it|semantic-release|lerna|nx|gh-pages|vsce)$/.test(verb)
    )
      inspect.runs(call.args.slice(at));
    if (scripting?.has(verb) && script && OUTWARD.test(readable(script.shape)))
      inspect.click(`the script ${readable(script.shape)} probably acts outside the sandbox`);
    // `yarn deploy` is `yarn run deploy`.
    if (!isDryRun && scripting?.size && OUTWARD.test(verb))
      inspect.click(`the script ${verb} probably acts outside the sandbox`);
  };
}

/** A package from an address of its own, and not from a registry or a repository. */
function isArchiveAddress({ shape }: Word): boolean {
  return /^(?:[\w.-]+\s*@\s*)?(?:https?|ftp):\/\/\S+\.(?:tgz|tar\.\w+|zip|whl|gem|deb|rpm|crate)(?:[#?].*)?$/.test(
    readable(shape),
  );
}

const PUBLISHING = /^(?:publish|unpublish|upload|push)$/;

/** npm reads `distTag` as `dist-tag`. */
function kebab(verb: string): string {
  return verb
    .replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    .replace(/^un-publish$/, "unpublish");
}

/** A verb, or the beginning of one: several tools accept both. */
function mayMean(verb: string, verbs: ReadonlySet<string> | undefined): boolean {
  if (verb.length < 3) return false;
  return [...(verbs ?? [])].some((one) => one !== "" && one.startsWith(verb));
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
  const texts = ["c", "call"].flatMap((name) =>
    valuesOfOption(words, name === "c" ? { short: "c" } : { long: "call" }),
  );
  if (hasOption(words.slice(0, at < 0 ? words.length : at), { short: "c", long: "call" })) {
    inspect.click("runs a text as a command");
    for (const text of texts) inspect.runsCode(text, "npx -c");
    return;
  }
  const first = words[at];
  if (first && /^(?:https?|git(?:\+\w+)?|github):/.test(first.shape))
    inspect.click("runs what was downloaded");
  // A package's program usually has the package's name, without its scope and version.
  const name = /^(?:@[\w.-]+\/)?([\w.-]+?)(?:@[\w.^~-]+)?$/.exec(first?.shape ?? "")?.[1];
  const scoped = first?.shape === "@changesets/cli" ? "changeset" : name;
  if (first && scoped) inspect.runs([{ text: first.text, shape: scoped }, ...words.slice(at + 1)]);
  else if (at >= 0) inspect.runs(words.slice(at));
}

const startsNext: Rule = ({ args, program }, inspect) => {
  inspect.notes(`${program} starts a program of the project, or one that it fetches`);
  startsProgram(args, inspect);
};

const npmVerbs: Verbs = {
  reads:
    "ls list ll la view info show v outdated search s se help root prefix bin ping doctor explain why fund docs repo bugs query sbom",
  asks: "owner access token login adduser logout add-user profile org team hook star unstar",
  publishes: "publish unpublish deprecate undeprecate dist-tag dist-tags",
  runs: "exec x dlx explore",
  scripts: "run run-script rum urn",
  why: "installs packages or runs the project's scripts",
  valuedLong: ["prefix", "workspace", "registry", "loglevel", "cwd", "filter", "dir"],
  valued: "wCF",
};

/** Settings that say where a package manager finds packages and puts programs. */
const PLACES =
  /^(?:.*[:.])?(?:prefix|registry|shell|editor|git|cafile|cert|init-module|(?:extra-)?index-url|trusted-host|find-links|proxy|npmRegistryServer)(?:=|$)/;

/** `npm config set registry URL`, `pip config set global.index-url URL` */
function setsPlaces({ args, program }: Call, inspect: Inspector): void {
  const [verb, action, key] = operandsOf(args).map(({ shape }) => shape);
  if (/^(?:config|c)$/.test(verb ?? "") && action === "set" && PLACES.test(key ?? ""))
    inspect.click(`a setting that says where ${program} finds packages`);
}

export const packages: Rules = {
  npm: (call, inspect) => {
    foreignIndex(call, inspect);
    if (/_auth|authToken/.test(call.segment)) inspect.credentials("reaches for credentials");
    if (/script-shell|node-options|globalconfig|userconfig/.test(call.segment))
      inspect.click("a setting that makes npm run something else");
    setsPlaces(call, inspect);
    verbs(npmVerbs)(call, inspect);
  },
  ...each("pnpm yarn", (call, inspect) => {
    foreignIndex(call, inspect);
    setsPlaces(call, inspect);
    verbs(npmVerbs)(call, inspect);
  }),
  bun: (call, inspect) => {
    foreignIndex(call, inspect);
    for (const code of [
      { short: "e", long: "eval" },
      { short: "p", long: "print" },
    ])
      for (const value of valuesOfOption(call.args, code)) codeArgument(value, inspect);
    verbs({
      ...npmVerbs,
      reads: "pm outdated",
      publishes: "publish",
      valued: "ep",
      valuedLong: [...(npmVerbs.valuedLong ?? []), "eval", "print"],
    })(call, inspect);
  },
  lerna: verbs({ ...npmVerbs, asks: "version", publishes: "publish" }),
  nx: (call, inspect) => {
    inspect.notes("runs the project's tasks");
    if (call.args[0]?.shape === "release") inspect.phrase("publishes packages");
    inspect.mayRun(call.args);
  },
  changeset: publisher("publish"),
  ...each(
    "np release-it semantic-release goreleaser standard-release",
    publisher("", { unless: "--version --help changelog check init healthcheck --dry-run" }),
  ),
  ...each(
    "vsce ovsx jsr web-ext fastlane eas snapcraft choco charmcraft rockcraft elm nimble luarocks opam cabal stack conan pod rebar3 nuget",
    publisher(
      "publish upload push sign submit deliver release hex trunk upload_to_app_store pilot supply",
    ),
  ),
  ...each("dart flutter swift", publisher("pub package-registry", { needs: "publish" })),
  "ansible-galaxy": publisher("collection role", { needs: "publish import" }),
  ...each(
    "cpan-upload dput dupload rsconnect",
    publisher("", { unless: "--version --help --simulate --dry-run" }),
  ),
  jib: publisher("build"),
  auto: publisher("shipit release latest next canary"),
  rye: verbs({ publishes: "publish", runs: "run", why: "installs packages or runs the project" }),
  ...each("pixi mise asdf", tool("runs a program of the project")),
  "gh-pages": publisher("", { needs: "-d --dist --repo -r" }),
  ...each(
    "skopeo crane regctl oras buildah ko cr img",
    registry("push copy cp sync publish upload image artifact apply resolve release"),
  ),
  maturin: verbs({ publishes: "publish upload", why: "builds packages" }),
  ...each("npx bunx pnpx uvx", (call, inspect) => {
    foreignIndex(call, inspect);
    startsNext(call, inspect);
  }),
  corepack: (call, inspect) => {
    inspect.notes("prepares package managers");
    if (/^(?:npm|npx|pnpm|pnpx|yarn|yarnpkg)(?:@.*)?$/.test(call.args[0]?.shape ?? ""))
      startsProgram(call.args, inspect);
  },
  ...each("pip pip3", (call, inspect) => {
    foreignIndex(call, inspect);
    setsPlaces(call, inspect);
    if (hasAnyOption(call.args, [{ long: "editor" }]))
      inspect.click("a setting that may start programs");
    verbs({ reads: "list show freeze check help debug inspect", why: "installs packages" })(
      call,
      inspect,
    );
  }),
  pipx: verbs({ reads: "list", runs: "run", why: "installs packages" }),
  uv: withIndex(
    verbs({
      reads: "tree version",
      runs: "run",
      publishes: "publish",
      why: "installs packages or runs the project",
    }),
  ),
  poetry: withIndex(
    verbs({
      reads: "show check version env",
      runs: "run",
      publishes: "publish",
      why: "installs packages or runs the project",
      valued: "C",
    }),
  ),
  pdm: verbs({
    reads: "list info show",
    runs: "run",
    publishes: "publish",
    why: "installs packages or runs the project",
  }),
  pipenv: verbs({ reads: "graph", runs: "run", why: "installs packages or runs the project" }),
  ...each(
    "conda mamba micromamba",
    withIndex(verbs({ reads: "list info search", runs: "run", why: "installs packages" })),
  ),
  twine: verbs({ reads: "check", publishes: "upload register", why: "publishes packages" }),
  flit: verbs({ publishes: "publish", why: "builds packages" }),
  hatch: verbs({ publishes: "publish", runs: "run", why: "builds packages" }),
  cargo: (call, inspect) => {
    verbs({
      reads: "tree metadata search version locate-project pkgid",
      asks: "login logout",
      publishes: "publish yank owner release smart-release",
      runs: "watch",
      why: "builds, tests or installs crates",
    })(call, inspect);
    const [first, second] = operandsOf(call.args.filter(({ shape }) => !shape.startsWith("+")));
    if (/^(?:workspaces|ws)$/.test(first?.shape ?? "") && second?.shape === "publish")
      inspect.phrase("publishes packages");
    if (first?.shape === "watch") inspect.mayRun(call.args);
    for (const root of valuesOfOption(call.args, { long: "root" })) inspect.writes(root);
    foreignIndex(call, inspect);
    for (const setting of valuesOfOption(call.args, { long: "config" }))
      if (!/^(?:net|profile|term|http|build\.(?:jobs|target|incremental))\b/.test(setting.shape))
        inspect.click("a setting that may make cargo run another program");
  },
  gem: withIndex(
    verbs({
      reads: "list search info environment",
      asks: "signin",
      publishes: "push yank owner",
      why: "installs packages",
    }),
  ),
  bundle: verbs({ reads: "list show outdated check info", runs: "exec", why: "installs packages" }),
  go: (call, inspect) => {
    verbs({ reads: "version env list doc help", why: "builds, tests or fetches modules" })(
      call,
      inspect,
    );
    if (/^(?:GOPROXY|GOFLAGS|GONOSUMDB|GOSUMDB|GOPRIVATE|CC|CXX)=/.test(call.args[2]?.shape ?? ""))
      inspect.click("a setting that says where go finds code");
    // `go test -exec CODE`, `go build -toolexec CODE`, `go vet -vettool PROGRAM`
    for (const [index, { text, shape }] of call.args.entries()) {
      const [option, attached] = /^--?(?:exec|toolexec|vettool)(?:=(.*))?$/s.exec(shape) ?? [];
      const code = attached === undefined ? call.args[index + 1] : { text, shape: attached };
      if (option && code) inspect.runsCode(code, `go ${option}`);
    }
  },
  composer: withIndex(
    verbs({
      reads: "show outdated licenses validate",
      runs: "exec global",
      scripts: "run run-script",
      why: "installs packages",
    }),
  ),
  mvn: buildTool(/^deploy$|release:(?:perform|prepare)|nexus-staging:|central-publishing/),
  mvnw: buildTool(/^deploy$|release:(?:perform|prepare)/),
  gradle: buildTool(/^(?:.*:)?(?:publish(?!ToMavenLocal)\w*|uploadArchives)$/),
  gradlew: buildTool(/^(?:.*:)?(?:publish(?!ToMavenLocal)\w*|uploadArchives)$/),
  sbt: buildTool(/^\+?publish(?!Local|M2)\w*$/),
  lein: buildTool(/^(?:deploy|release)$/),
  dotnet: verbs({
    publishes: "nuget-push",
    reads: "list help --info",
    why: "builds or installs packages",
  }),
  mix: verbs({ publishes: "hex.publish", why: "builds the project" }),
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
      inspect.notes("installs packages");
    if (operandsOf(call.args).some((file) => inspect.cameFromElsewhere(file)))
      inspect.click("installs what was downloaded");
  },
  apk: systemPackages("info search list version"),
  dnf: systemPackages("list info search repolist"),
  yum: systemPackages("list info search repolist"),
  pacman: systemPackages("-Q -Qi -Ss"),
  brew: systemPackages("list info search outdated"),
  snap: systemPackages("list info find"),
};

/** Also where an address is a word of its own: `gem sources --add URL`, `poetry source add e URL`. */
function withIndex(rule: Rule): Rule {
  return (call, inspect) => {
    foreignIndex(call, inspect);
    if (call.args.some(({ shape }) => /^(?:sources?|config|repositor)/.test(shape)))
      if (call.args.some(isForeign))
        inspect.click(`a setting that says where ${call.program} finds packages`);
    rule(call, inspect);
  };
}

/** System packages need root to be installed; without it they only fail. */
function systemPackages(reads: string): Rule {
  const plain = verbs({ reads, why: "installs packages" });
  return (call, inspect) => {
    plain(call, inspect);
    if (call.args.some(({ shape }) => /Pre-Invoke|Post-Invoke|^-o|^--option/.test(shape)))
      inspect.click("a setting that may start programs");
  };
}

/** Tools that exist to publish: their verbs do it, or they do it at once. */
function publisher(verbs: string, { needs = "", unless = "" } = {}): Rule {
  const [publishing, needed, harmless] = [verbs, needs, unless].map(
    (names) => new Set(names.split(" ").filter((name) => name !== "")),
  );
  return ({ args, program }, inspect) => {
    inspect.notes(`${program} works on packages`);
    const words = args.map(({ shape }) => readable(shape));
    if (words.some((word) => harmless?.has(word) || /^--dry-?run$/.test(word))) return;
    const [verb = ""] = operandsOf(args).map(({ shape }) => readable(shape));
    const names = publishing?.size === 0 || publishing?.has(verb);
    const hasNeeded = needed?.size === 0 || words.some((word) => needed?.has(word));
    if (names && hasNeeded) inspect.phrase(`${program} publishes`);
  };
}

/** A publisher whose verbs also delete what was published: `crane delete IMAGE`, `regctl tag delete IMAGE`. */
function registry(verbs: string): Rule {
  const publishes = publisher(verbs);
  return (call, inspect) => {
    publishes(call, inspect);
    const [verb, object] = operandsOf(call.args).map(({ shape }) => readable(shape));
    if (verb === "delete" || object === "delete") inspect.phrase(`${call.program} deletes images`);
  };
}

function buildTool(goals: RegExp): Rule {
  return ({ args, program }: Call, inspect) => {
    inspect.notes("builds the project");
    if (args.some(({ shape }) => goals.test(readable(shape))))
      inspect.phrase(`${program} publishes`);
    if (args.some(({ shape }) => /^(?:-I|--init-script)/.test(shape)) && /^gradle/.test(program))
      inspect.click("has gradle run another script first");
    const [executable, words] = ["-Dexec.executable=", "-Dexec.args="].map((option) =>
      args.find(({ shape }) => shape.startsWith(option))?.shape.slice(option.length),
    );
    if (executable)
      inspect.runsCode(literalWord(`${executable} ${words ?? ""}`), "-Dexec.executable");
    inspect.mayRun(args);
  };
}
