import { asGit, gitDirectories } from "./git-places.ts";
import { operandsOf, takesNext, valuesOfOption } from "./options.ts";
import type { Call } from "./rule.ts";
import type { SeenHost, SeenRemote } from "./seen-host.ts";
import { exactly, isUnknown, readable, type Word } from "./word.ts";

const PORTS: Readonly<Record<string, number>> = {
  http: 80,
  https: 443,
  ws: 80,
  wss: 443,
  ftp: 21,
  ftps: 990,
  ssh: 22,
  sftp: 22,
  rsync: 873,
  git: 9418,
  svn: 3690,
};

/** This machine needs no permission. */
const LOCAL = /^(?:localhost|.*\.localhost|127\.[\d.]+|\[?::1\]?|0\.0\.0\.0|0)$/i;

/** The hosts that this call would connect to, as far as its words tell. What they do not tell is asked when it happens. */
export function hostsOf(call: Call): SeenHost[] {
  const { program, args } = call;
  const own = HOSTS_OF[program] ?? HOSTS_OF[program.replace(/^(pip|python)[\d.]+$/, "$1")];
  const git = asGit(call);
  const found = known([...(own?.(call) ?? []), ...(git ? gitHosts(git) : [])]);
  return found.filter(({ host }) => !LOCAL.test(host) && args.length > 0);
}

/** The hosts of all addresses in a text, such as code that a command holds. */
export function hostsInText(text: string): SeenHost[] {
  const urls = text.match(/\b(?:https?|wss?|ftp):\/\/[^\s"'`<>\\)\]},;]+/gi) ?? [];
  return urls.flatMap((url) => fromUrl(url) ?? []).filter(({ host }) => !LOCAL.test(host));
}

/** The host of a URL; undefined for what is none, or names its host only when it runs. */
export function fromUrl(text: string, defaultScheme?: string): SeenHost | undefined {
  const [, scheme = defaultScheme, rest = ""] =
    /^(?:(?:[a-z]+\+)?([a-z][a-z0-9]*):\/\/)?(.*)$/is.exec(text) ?? [];
  const port = PORTS[scheme?.toLowerCase() ?? ""];
  if (port === undefined) return undefined;
  const authority = /^[^/?#\\]*/.exec(rest)?.[0] ?? "";
  return hostAndPort(authority.slice(authority.lastIndexOf("@") + 1), port);
}

function hostAndPort(text: string, defaultPort: number): SeenHost | undefined {
  const [, host = "", port] = /^(\[[^\]]*\]|[^:]*)(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (host === "" || isUnknown({ text: host, shape: host })) return undefined;
  return { host: readable(host), port: port === undefined ? defaultPort : Number(port) };
}

type HostsOf = (call: Call) => (SeenHost | undefined)[];

const known = (hosts: readonly (SeenHost | undefined)[]) =>
  hosts.filter((one): one is SeenHost => one !== undefined);

const VALUED_LONG_OF_CURL = [
  "output",
  "request",
  "header",
  "data",
  "data-raw",
  "data-binary",
  "data-urlencode",
  "form",
  "user",
  "user-agent",
  "referer",
  "cookie",
  "cookie-jar",
  "max-time",
  "connect-timeout",
  "retry",
  "retry-delay",
  "write-out",
  "cacert",
  "cert",
  "key",
  "upload-file",
  "range",
  "resolve",
  "connect-to",
  "interface",
  "proxy",
  "noproxy",
  "json",
  "limit-rate",
  "dump-header",
  "config",
  "max-redirs",
  "socks5",
  "socks5-hostname",
  "preproxy",
  "method",
  "post-data",
  "post-file",
  "body-data",
  "body-file",
  "output-document",
  "directory-prefix",
  "tries",
  "timeout",
  "wait",
  "load-cookies",
  "save-cookies",
  "execute",
  "input-file",
  "append-output",
  "output-file",
  "unix-socket",
  "url-query",
  "oauth2-bearer",
];

/** Addresses of programs that fetch. What has no scheme is an address for these, too. */
export function addressesOf({ program, args }: Call): Word[] {
  const valued = program === "curl" ? "oXHdFuAebcmwrTYyxDKEzCPQtU" : "OPoaitTwQlARDIXUe";
  const words = operandsOf(args, { valued, valuedLong: VALUED_LONG_OF_CURL });
  return [...words, ...valuesOfOption(args, { long: "url" })];
}

const fetched: HostsOf = (call) => {
  const named = addressesOf(call).map(({ shape }) => fromUrl(shape, "http"));
  const proxies = [
    ...["socks5", "socks5-hostname", "preproxy"].map((long) => ({ long })),
    call.program === "curl" ? { short: "x", long: "proxy" } : { long: "proxy" },
  ].flatMap((name) => valuesOfOption(call.args, name));
  const redirected = valuesOfOption(call.args, { long: "connect-to" }).map(({ shape }) => {
    const parts = shape.split(":");
    return parts.length === 4 ? hostAndPort(`${parts[2]}:${parts[3] || 443}`, 443) : undefined;
  });
  return [...named, ...proxies.map(({ shape }) => fromUrl(shape, "http")), ...redirected];
};

/** `http POST example.com name=x`: the first word that is no method. */
const httpie: HostsOf = ({ args, program }) => {
  const words = operandsOf(args, {
    valued: "aoAps",
    valuedLong: ["auth", "output", "session", "print"],
  });
  const address = words.find(({ shape }) => !/^[A-Z]+$/.test(shape));
  return [address && fromUrl(address.shape, program === "https" ? "https" : "http")];
};

const login: HostsOf = ({ args }) => {
  const [target] = operandsOf(args, { valued: "bcDEeFIiJLlmOopQRSWw" });
  const [port] = valuesOfOption(args, { short: "p" });
  if (!target || isUnknown(target)) return [];
  const named = target.shape.startsWith("ssh://")
    ? fromUrl(target.shape)
    : hostAndPort(target.shape.slice(target.shape.lastIndexOf("@") + 1), 22);
  return [named && { ...named, port: portFrom(port) ?? named.port }];
};

const copies: HostsOf = ({ args, program }) => {
  const [port] =
    program === "scp" || program === "sftp" ? valuesOfOption(args, { short: "P" }) : [];
  return operandsOf(args, { valued: "cDFiJloPSXefTB" }).map(({ shape }) => {
    if (/^[a-z]+:\/\//.test(shape)) return fromUrl(shape);
    const remote = fromScp(shape);
    return remote && { ...remote, port: portFrom(port) ?? remote.port };
  });
};

function portFrom(word: Word | undefined): number | undefined {
  return word && /^\d{1,5}$/.test(word.shape) ? Number(word.shape) : undefined;
}

/** `git@example.com:team/app.git` */
function fromScp(text: string): SeenHost | undefined {
  const [, host] = /^(?:[^@/:\s]+@)?([^@/:\s]+|\[[^\]]+\]):(?!\/\/)/.exec(text) ?? [];
  return host === undefined ? undefined : hostAndPort(host, 22);
}

/** An address as git understands it; undefined for a path or the name of a remote. */
export function fromRemote(text: string): SeenHost | undefined {
  return /^[a-z+]+:\/\//i.test(text) ? fromUrl(text) : fromScp(text);
}

const USES_REMOTES =
  /^(?:clone|fetch|pull|push|ls-remote|submodule|remote|archive|send-pack|fetch-pull|lfs)$/;

function verbOf(call: Call): { verb: string; rest: readonly Word[] } {
  const { args } = call;
  let at = 0;
  while (at < args.length && args[at]?.shape.startsWith("-")) {
    at += takesNext(args[at]?.shape ?? "", "cC", [
      "git-dir",
      "work-tree",
      "namespace",
      "config-env",
    ])
      ? 2
      : 1;
  }
  return { verb: exactly(args[at]) ?? "", rest: args.slice(at + 1) };
}

function gitHosts(call: Call): SeenHost[] {
  const { verb, rest } = verbOf(call);
  if (!USES_REMOTES.test(verb) || (verb === "remote" && rest[0]?.shape !== "update")) return [];
  return known(rest.map(({ shape }) => (shape.startsWith("-") ? undefined : fromRemote(shape))));
}

/** The remotes that a call of git uses by their names, or by having no address. */
export function remotesOf(call: Call): SeenRemote[] {
  const git = asGit(call);
  if (!git) return [];
  const { verb, rest } = verbOf(git);
  if (
    !/^(?:fetch|pull|push|ls-remote)$/.test(verb) &&
    !(verb === "remote" && rest[0]?.shape === "update")
  )
    return [];
  const [named] = operandsOf(rest, {
    valued: "ojs",
    valuedLong: ["depth", "upload-pack", "receive-pack", "push-option"],
  });
  if (named && fromRemote(named.shape)) return [];
  const name = exactly(named);
  const remote = verb !== "remote" && name !== undefined && /^[\w.-]+$/.test(name) ? name : "*";
  return gitDirectories(git).map((directory) => ({ directory, remote }));
}

const host = (name: string, port = 443): SeenHost => ({ host: name, port });

const NPM = [host("registry.npmjs.org")];
const PYPI = [host("pypi.org"), host("files.pythonhosted.org")];
const CRATES = [host("index.crates.io"), host("static.crates.io")];
const GO = [host("proxy.golang.org"), host("sum.golang.org")];
const DEBIAN = [host("deb.debian.org", 80), host("security.debian.org", 80)];

/** Package managers: their verbs that fetch, and where from unless their options say otherwise. */
function manager(verbs: RegExp, hosts: readonly SeenHost[], skip?: RegExp): HostsOf {
  return ({ args }) => {
    const words = operandsOf(args, {
      valued: "cCrtwi",
      valuedLong: [
        "prefix",
        "registry",
        "index-url",
        "target",
        "requirement",
        "workspace",
        "cwd",
        "dir",
      ],
    }).filter(({ shape }) => !shape.startsWith("+"));
    const [verb] = words.map(({ shape }) => shape);
    if (verb === undefined || !verbs.test(verb) || args.some(({ shape }) => skip?.test(shape)))
      return [];
    const named = [
      ...REGISTRY_OPTIONS.flatMap((option) => valuesOfOption(args, option)),
      ...words.slice(1),
    ].flatMap(({ shape }) => (/^[a-z+]+:\/\//.test(shape) ? (fromRemote(shape) ?? []) : []));
    const replaces = args.some(({ shape }) =>
      /^(?:--(?:registry|index-url|default-index|source)|-i$)/.test(shape),
    );
    return [...(replaces ? [] : hosts), ...named];
  };
}

const REGISTRY_OPTIONS = [
  { long: "registry" },
  { long: "index-url" },
  { long: "extra-index-url" },
  { long: "default-index" },
  { long: "source" },
  { long: "find-links" },
  { short: "i" },
];

const OFFLINE = /^(?:--(?:offline|no-index|dry-run|package-lock-only)|-?-g?help|--version)$/;

const npm = manager(
  /^(?:install|i|in|ins|add|ci|clean-install|update|up|upgrade|outdated|view|info|show|search|audit|exec|x|dlx|create|publish|unpublish|ping|dist-tag|whoami|login|adduser|token|owner|access|deprecate)$/,
  NPM,
  OFFLINE,
);
const pip = manager(/^(?:install|download|wheel|index)$/, PYPI, OFFLINE);

/** `npx tool`: the package is fetched where it is not there. */
const npx: HostsOf = ({ args }) =>
  args.some(({ shape }) => /^--?(?:no|no-install|offline|help|version|v|h)$/.test(shape))
    ? []
    : NPM;

/** `sudo apt-get install x`: what root fetches. */
const apt = manager(
  /^(?:update|install|upgrade|dist-upgrade|full-upgrade|download|source|build-dep|changelog)$/,
  DEBIAN,
  /^(?:--(?:no-download|print-uris|simulate|dry-run)|-s)$/,
);

/** Any program's words that are addresses. */
const anyAddress: HostsOf = ({ args }) =>
  args.map(({ shape }) => {
    const [, value] = /^--?[\w-]+=(.*)$/s.exec(shape) ?? [];
    return /^(?:https?|wss?|ftp|sftp|ssh):\/\//i.test(value ?? shape)
      ? fromUrl(value ?? shape)
      : undefined;
  });

const FETCHING = "curl wget wget2 aria2c axel wcurl lwp-download lwp-request curlie fetch";

const HOSTS_OF: Readonly<Record<string, HostsOf>> = {
  ...forEach(FETCHING, fetched),
  ...forEach("http https xh xhs", httpie),
  ...forEach("ssh mosh autossh sshpass ssh-copy-id", login),
  ...forEach("scp sftp rsync rcp", copies),
  ...forEach("npm pnpm", npm),
  yarn: manager(
    /^(?:install|add|upgrade|up|outdated|info|dlx|create|publish|npm|audit)$/,
    [host("registry.yarnpkg.com")],
    OFFLINE,
  ),
  ...forEach("npx pnpx bunx", npx),
  bun: manager(/^(?:install|i|add|update|x|create|publish)$/, NPM, OFFLINE),
  ...forEach("pip pipx uv poetry pdm pipenv", (call) => {
    if (call.program !== "uv") return managerOfPython(call);
    const [, ...args] = call.args[0]?.shape === "pip" ? call.args : [call.args[0], ...call.args];
    return managerOfPython({ ...call, args: args as readonly Word[] });
  }),
  python: (call) => {
    const at = call.args.findIndex(({ shape }) => shape === "-m");
    const isPip = at >= 0 && call.args[at + 1]?.shape === "pip";
    return isPip ? pip({ ...call, program: "pip", args: call.args.slice(at + 2) }) : [];
  },
  python3: (call) => HOSTS_OF.python?.(call) ?? [],
  cargo: manager(/^(?:fetch|install|add|update|search|publish|login|owner|yank)$/, CRATES, OFFLINE),
  go: (call) => {
    const [verb, second] = call.args.map(({ shape }) => shape);
    const fetches =
      /^(?:get|install)$/.test(verb ?? "") ||
      (verb === "mod" && /^(?:download|tidy)$/.test(second ?? ""));
    return fetches ? GO : [];
  },
  gem: manager(/^(?:install|update|fetch|search|push|outdated)$/, [
    host("rubygems.org"),
    host("index.rubygems.org"),
  ]),
  ...forEach(
    "bundle bundler",
    manager(
      /^(?:install|update|add|outdated)$/,
      [host("rubygems.org"), host("index.rubygems.org")],
      /^--local$/,
    ),
  ),
  composer: manager(/^(?:install|update|require|create-project|search|outdated)$/, [
    host("repo.packagist.org"),
  ]),
  ...forEach("apt apt-get aptitude", apt),
  gh: ({ args }) => (onlyLocal(args) ? [] : [host("api.github.com"), host("github.com")]),
  glab: ({ args }) => (onlyLocal(args) ? [] : [host("gitlab.com")]),
};

const managerOfPython = manager(
  /^(?:install|download|wheel|index|add|sync|lock|update|upgrade|inject|publish)$/,
  PYPI,
  OFFLINE,
);

function onlyLocal(args: readonly Word[]): boolean {
  return (
    args.length === 0 ||
    /^(?:help|version|completion|config|alias|--version|--help)$/.test(args[0]?.shape ?? "")
  );
}

function forEach(names: string, hosts: HostsOf): Record<string, HostsOf> {
  return Object.fromEntries(names.split(" ").map((name) => [name, hosts]));
}

/** The hosts in the words of a program that the guard does not know. */
export function hostsInWords(call: Call): SeenHost[] {
  return known(anyAddress(call)).filter(({ host: name }) => !LOCAL.test(name));
}
