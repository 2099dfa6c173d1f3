import { valuesOfOption } from "./options.ts";
import { absoluteShapes, pathMatcher } from "./paths.ts";
import type { Call } from "./rule.ts";
import { hasPattern, isUnknown, readable, type Word } from "./word.ts";

/** Files in a home directory that hold or lead to credentials. */
const IN_HOME = [
  ".ssh",
  ".ssh/id_rsa",
  ".ssh/id_ed25519",
  ".ssh/id_ecdsa",
  ".ssh/config",
  ".ssh/authorized_keys",
  ".aws",
  ".aws/credentials",
  ".aws/config",
  ".azure",
  ".config/gcloud",
  ".config/gh/hosts.yml",
  ".kube",
  ".kube/config",
  ".docker/config.json",
  ".netrc",
  ".git-credentials",
  ".config/git/credentials",
  ".gnupg",
  ".pgpass",
  ".my.cnf",
  ".npmrc",
  ".pypirc",
  ".cargo/credentials.toml",
  ".gem/credentials",
  ".m2/settings.xml",
  ".vault-token",
  ".terraform.d/credentials.tfrc.json",
  ".password-store",
  ".bash_history",
  ".zsh_history",
  ".python_history",
  ".node_repl_history",
  ".psql_history",
  ".mysql_history",
];

const ON_THE_MACHINE = [
  "/etc/shadow",
  "/etc/gshadow",
  "/etc/sudoers",
  "/etc/sudoers.d",
  "/etc/krb5.keytab",
  "/proc/1/environ",
  "/proc/self/environ",
  "/proc/1/mem",
  "/run/secrets",
  "/var/run/secrets",
  "/run/docker.sock",
  "/var/run/docker.sock",
];

/** The same by name, wherever they stand: behind `--file=`, `@`, `user@host:` or in somebody else's home. */
const BY_NAME = new RegExp(
  [
    "(?:^|[/=@:,])\\.ssh(?:/(?!known_hosts|[^/]*\\.pub$)|$)",
    "(?:^|[/=@:,])\\.aws(?:/|$)",
    "(?:^|[/=@:,])\\.gnupg(?:/|$)",
    "(?:^|[/=@:,])\\.(?:netrc|git-credentials|pgpass|my\\.cnf|pypirc|vault-token)$",
    "(?:^|[/=@:,])\\.kube(?:/|$)",
    "(?:^|[/=@:,])\\.docker/config\\.json$",
    "\\.config/(?:gcloud|gh|git/credentials|op|rclone|doctl|hub|hcloud|glab-cli|helm/registry|containers/auth\\.json)(?:/|$)",
    "(?:^|[/=@:,])id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$",
    "application_default_credentials\\.json$",
    "(?:^|[=@:,])/etc/(?:g?shadow|sudoers)",
    "/proc/[^/]+/(?:environ|mem|task/[^/]+/environ)$",
    "(?:^|[=@:,/])run/secrets(?:/|$)",
    "docker\\.sock$",
    "\\.(?:bash|zsh|psql|mysql|python)_history$",
    "(?:^|[/@])169\\.254\\.169\\.254(?:[:/]|$)",
    "metadata\\.google\\.internal",
    "(?:^|[/@])100\\.100\\.100\\.200(?:[:/]|$)",
  ].join("|"),
);

/** Whether a word names a place where credentials are kept. Prose that mentions one does not count. */
export function namesCredentials(
  word: Word,
  homeDir: string,
  directories: readonly string[],
): boolean {
  const { shape } = word;
  // All names below have one of these; most words have none.
  if (!/[._/\ue000-\ue009]/.test(shape)) return false;
  if (shape.length > 4096 || /\s/.test(shape)) return false;
  if (BY_NAME.test(readable(shape))) return true;
  const given = shape.includes("=") ? shape.slice(shape.indexOf("=") + 1) : shape;
  const pathLike = given.includes("/") || given.startsWith(".") || hasPattern(word);
  if (isUnknown(word) || !pathLike) return false;
  const paths = credentialPaths(homeDir);
  return absoluteShapes(given, directories).some((path) =>
    hasPattern(word) ? [...paths].some(pathMatcher(path)) : paths.has(path),
  );
}

/** Files of a project that usually hold credentials: asked about where a program shows what is in them. */
const IN_PROJECTS =
  /(?:^|\/)\.env(?:\.(?!example|sample|template|test|dist|defaults)[\w.-]+)?$|(?:^|\/)[^/]*(?:private|secret)[^/]*\.(?:pem|key|json|ya?ml)$|\.key$|\.p12$|\.pfx$|\.jks$|(?:^|\/)credentials(?:\.json|\.ya?ml)?$|(?:^|\/)service-account[^/]*\.json$/;

const SHOWING = new Set(
  "cat tac head tail less more bat batcat nl grep egrep fgrep rg ag awk gawk sed cut base64 base32 xxd od hexdump strings jq yq sort tr view curl wget scp rsync nc".split(
    " ",
  ),
);

/** Whether a program shows or sends a file that usually holds credentials. */
export function showsCredentials(program: string, { shape }: Word): boolean {
  return SHOWING.has(program) && IN_PROJECTS.test(readable(shape).replace(/^.*@/, ""));
}

function credentialPaths(homeDir: string): ReadonlySet<string> {
  const known = PATHS_BY_HOME.get(homeDir);
  if (known) return known;
  const paths = new Set([...IN_HOME.map((name) => `${homeDir}/${name}`), ...ON_THE_MACHINE]);
  PATHS_BY_HOME.set(homeDir, paths);
  return paths;
}

/** There is one home directory, or very few. */
const PATHS_BY_HOME = new Map<string, ReadonlySet<string>>();

/** `GITHUB_TOKEN`, `DB_PASSWORD`, `AWS_SECRET_ACCESS_KEY`: names of variables whose value is a secret. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

const SECRET_NAME =
  /(?:^|_)(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|APIKEY|API_KEY|ACCESS_KEY|PRIVATE_KEY|SIGNING_KEY|CREDENTIALS?)(?:$|_)/i;

/** Words people use to look for secrets, e.g. `env | grep -i token`. */
export const LOOKS_FOR_SECRETS = /token|secret|passw|credential|api.?key|private.?key|auth/i;

/** A statement that prints all variables, or has a part that does. */
export const PRINTS_ENVIRONMENT =
  /(?:^|[({;|&`])\s*(?:env|printenv|set|export(?:\s+-p)?|declare\s+-p?x)\s*(?:[|>&;)`]|$)/;

/** Whether a substitution in a word prints all variables. */
export function copiesEnvironment({ text }: Word): boolean {
  return /(?:\$\(|`)\s*(?:env|printenv|set|export\s+-p|declare\s+-(?:p|x|px|xp))\s*[|)`>]/.test(
    text,
  );
}

const COPIES = /^(?:tar|bsdtar|zip|7z|7za|7zz|cp|rsync|scp|rclone|rar|cpio|dump|restic|borg)$/;
const SEARCHES = /^(?:grep|egrep|fgrep|rg|ag|ack)$/;

/** Whether a call copies or searches a home directory with all that is in it. */
export function readsWholeHome(
  { program, args, directories, input }: Call,
  homeDir: string,
): boolean {
  const copies = COPIES.test(program);
  const searches =
    SEARCHES.test(program) &&
    (/^(?:rg|ag|ack)$/.test(program) ||
      args.some(({ shape }) => /^-[a-zA-Z]*[rR]|^--(?:dereference-)?recursive/.test(shape)));
  const shows = program === "find" && args.some(({ shape }) => SHOWING.has(shape));
  const listed =
    program === "cat" &&
    input.upstream.some(
      ({ program: from, args: words }) =>
        from === "find" && words.some((word) => isHome(word, directories, homeDir)),
    );
  if (!copies && !searches && !shows) return listed;
  const base = /tar$/.test(program)
    ? valuesOfOption(args, { short: "C", long: "directory" }).flatMap(({ shape }) =>
        absoluteShapes(shape, directories),
      )
    : [];
  const from = copies && base.length > 0 ? base : directories;
  const firstOperand = args.findIndex(({ shape }) => !shape.startsWith("-"));
  // Without a path, or with options only, a search begins where the shell stands.
  return args.some(
    (word, index) =>
      isHome(word, from, homeDir) &&
      !(searches && index === firstOperand) &&
      !(copies && index === args.length - 1 && /^(?:cp|rsync|scp)$/.test(program)) &&
      !/^-[a-zA-Z]*[Cdt]$|^--directory$/.test(args[index - 1]?.shape ?? ""),
  );
}

/** The directory itself, all that is in it, or the one above it. */
function isHome({ shape }: Word, directories: readonly string[], homeDir: string): boolean {
  if (shape.startsWith("-") || shape === "") return false;
  return absoluteShapes(shape, directories).some(
    (path) => path === homeDir || path === "/home" || path === `${homeDir}/\ue002`,
  );
}
