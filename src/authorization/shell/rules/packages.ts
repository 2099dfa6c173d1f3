import { hasAnyOption, type OptionName, operandsOf, valuesOfOption } from "../options.ts";
import { type Call, each, type Inspector, type Rule, type Rules, tool } from "../rule.ts";
import { readable } from "../word.ts";
import { codeArgument } from "./code-arguments.ts";
import { foreignIndex, isForeign } from "./package-indexes.ts";
import { buildTool, publisher, registry } from "./publishers.ts";
import { OUTWARD, startsProgram, type Verbs, verbs } from "./verbs.ts";

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

/** Options that name the directory in which something is installed. */
const INSTALL_PLACES: Readonly<Record<string, readonly OptionName[]>> = {
  npm: [{ long: "prefix" }],
  pnpm: [{ long: "prefix" }, { long: "dir" }, { long: "global-dir" }, { long: "modules-dir" }],
  yarn: [{ long: "modules-folder" }, { long: "global-folder" }, { long: "cwd" }],
  pip: [
    { short: "t", long: "target" },
    { long: "prefix" },
    { long: "root" },
    { short: "d", long: "dest" },
  ],
  uv: [{ long: "target" }, { long: "prefix" }, { long: "install-dir" }, { long: "bin" }],
  gem: [
    { short: "i", long: "install-dir" },
    { short: "n", long: "bindir" },
  ],
  conda: [{ short: "p", long: "prefix" }],
  composer: [{ short: "d", long: "working-dir" }],
  bundle: [{ long: "path" }, { long: "binstubs" }],
};

function installsInto({ program, args }: Call, inspect: Inspector): void {
  const name = program.replace(/^pip3$/, "pip").replace(/^(?:mamba|micromamba)$/, "conda");
  for (const option of INSTALL_PLACES[name] ?? [])
    for (const place of valuesOfOption(args, option)) inspect.touches(place);
}

/** Settings that say where a package manager finds packages and puts programs. */
const PLACES =
  /^(?:.*[:.])?(?:prefix|registry|shell|editor|git|cafile|cert|init-module|(?:extra-)?index-url|trusted-host|find-links|proxy|npmRegistryServer)(?:=|$)/;

/** `npm config set registry URL`, `pip config set global.index-url URL` */
function setsPlaces({ args, program }: Call, inspect: Inspector): void {
  const [verb, action, key] = operandsOf(args).map(({ shape }) => shape);
  if (/^(?:config|c)$/.test(verb ?? "") && action === "set" && PLACES.test(key ?? ""))
    inspect.click(`a setting that decides where ${program} finds packages`);
}

/** `yarn application -kill ID`: the scheduler of a cluster has the name of the package manager. */
function clusterJobs({ args }: Call, inspect: Inspector): void {
  const [kind] = operandsOf(args);
  if (!/^(?:app|application|applicationattempt|container|queue|rmadmin)$/.test(kind?.shape ?? ""))
    return;
  if (
    args.some(({ shape }) =>
      /^-(?:kill|fail|stop|destroy|move|change|update|signal|refresh|transition)/.test(shape),
    )
  )
    inspect.click("changes jobs of a cluster");
}

export const packages: Rules = {
  npm: (call, inspect) => {
    foreignIndex(call, inspect);
    if (/_auth|authToken/.test(call.segment)) inspect.credentials("reads or uses credentials");
    if (/script-shell|node-options|globalconfig|userconfig/.test(call.segment))
      inspect.click("a setting that makes npm run something else");
    setsPlaces(call, inspect);
    installsInto(call, inspect);
    verbs(npmVerbs)(call, inspect);
  },
  ...each("pnpm yarn", (call, inspect) => {
    clusterJobs(call, inspect);
    foreignIndex(call, inspect);
    setsPlaces(call, inspect);
    installsInto(call, inspect);
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
    publisher("", {
      unless: "--version --help changelog check init healthcheck build --snapshot --dry-run",
    }),
  ),
  ...each(
    "vsce ovsx jsr web-ext eas snapcraft choco charmcraft rockcraft elm nimble luarocks opam cabal stack conan pod rebar3 nuget",
    publisher(
      "publish upload push sign submit deliver release hex trunk upload_to_app_store pilot supply",
    ),
  ),
  // Its words are a platform and the name of a script of the project.
  fastlane: (call, inspect) => {
    publisher("deliver pilot supply upload_to_app_store upload_to_play_store release")(
      call,
      inspect,
    );
    const lane = operandsOf(call.args).find(({ shape }) => OUTWARD.test(readable(shape)));
    if (lane) inspect.click(`fastlane ${readable(lane.shape)} probably acts outside the sandbox`);
  },
  ...each("dart flutter", publisher("pub", { needs: "publish" })),
  // The compiler's driver, or the client of an object store: they share the name.
  swift: (call, inspect) => {
    publisher("package-registry", { needs: "publish" })(call, inspect);
    const [verb] = operandsOf(call.args).map(({ shape }) => shape);
    if (verb === "delete") inspect.phrase("deletes data of a store");
    else if (/^(?:upload|post|copy)$/.test(verb ?? "")) inspect.click("changes data of a store");
  },
  ...each("anaconda chrome-webstore-upload", publisher("upload publish")),
  ...each("mkdocs mike hexo docusaurus", publisher("gh-deploy deploy d")),
  "ansible-galaxy": publisher("collection role", { needs: "publish import" }),
  ...each(
    "cpan-upload dput dupload rsconnect",
    publisher("", { unless: "--version --help --simulate --dry-run" }),
  ),
  jib: publisher("build"),
  auto: publisher("shipit release latest next canary"),
  bower: verbs({ why: "installs packages" }),
  rye: verbs({ publishes: "publish", runs: "run", why: "installs packages or runs the project" }),
  ...each("pixi mise asdf", tool("runs a program of the project")),
  "gh-pages": publisher("", { needs: "-d --dist --repo -r" }),
  ...each(
    "skopeo crane regctl oras buildah cr img",
    registry("push copy cp sync publish upload image artifact apply resolve release"),
  ),
  ko: (call, inspect) => {
    const stays = call.args.some(({ shape }) => /^(?:-L|--local|--push=false)$/.test(shape));
    if (!stays) publisher("build publish resolve apply create run")(call, inspect);
  },
  "pypi-cleanup": publisher("", { unless: "--version --help", needs: "--do-it -d" }),
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
    installsInto(call, inspect);
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
    withIndex(
      verbs({
        reads: "list info search",
        runs: "run",
        publishes: "upload",
        why: "installs packages",
      }),
    ),
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
  bundle: withIndex(
    verbs({ reads: "list show outdated check info", runs: "exec", why: "installs packages" }),
  ),
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
      inspect.click("installs a downloaded file");
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
    installsInto(call, inspect);
    if (call.args.some(({ shape }) => /^(?:sources?|config|repositor)/.test(shape)))
      if (call.args.some(isForeign))
        inspect.click(`a setting that decides where ${call.program} finds packages`);
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
