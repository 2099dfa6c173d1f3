import { hasOption, operandsOf, valuesOfOption } from "../options.ts";
import { asks, type Call, each, type Inspector, type Rule, type Rules } from "../rule.ts";
import { readable, type Word } from "../word.ts";

/** Tools that act on machines, clusters and accounts elsewhere: only the named verbs pass unasked. */
function outward({ reads, works = "", valued = "", valuedLong = [] }: Outward): Rule {
  const [reading, working] = [reads, works].map(listed);
  return ({ args, program }, inspect) => {
    const words = operandsOf(args, { valued, valuedLong }).map(({ shape }) => readable(shape));
    if (words.length === 0 && args.every(({ shape }) => /^-+(?:v|version|h|help|V)$/.test(shape)))
      return;
    const text = words.join(" ");
    const begins = (verb: string) => text === verb || text.startsWith(`${verb} `);
    if (reading?.some(begins)) return;
    if (working?.some(begins)) inspect.medium(`${program} works in the sandbox`);
    else inspect.high(`${program} ${words.slice(0, 2).join(" ")} acts outside the sandbox`);
  };
}

interface Outward {
  readonly reads: string | readonly string[];
  readonly works?: string | readonly string[];
  readonly valued?: string;
  readonly valuedLong?: readonly string[];
}

function listed(names: string | readonly string[]): readonly string[] {
  return typeof names === "string" ? names.split(" ").filter(Boolean) : names;
}

const docker = outward({
  reads: [
    "ps",
    "images",
    "image ls",
    "container ls",
    "volume ls",
    "network ls",
    "logs",
    "inspect",
    "version",
    "info",
    "stats",
    "top",
    "port",
    "history",
    "search",
    "events",
    "diff",
  ],
  works: ["build", "buildx build", "pull", "tag"],
  valued: "HcDl",
  valuedLong: ["host", "context", "config", "log-level"],
});

const kubectl = outward({
  reads: [
    "get",
    "describe",
    "logs",
    "top",
    "version",
    "explain",
    "api-resources",
    "api-versions",
    "cluster-info",
    "diff",
    "auth can-i",
    "config get-contexts",
    "config current-context",
    "rollout status",
    "rollout history",
    "events",
  ],
  works: "kustomize",
  valued: "nsl",
  valuedLong: ["namespace", "context", "cluster", "kubeconfig", "selector", "output"],
});

export const cloud: Rules = {
  docker: compose(docker),
  podman: compose(docker),
  nerdctl: compose(docker),
  "docker-compose": composeVerbs,
  kubectl: (call, inspect) => {
    kubectl(call, inspect);
    if (call.args.some(({ shape }) => /^secrets?(?:$|\/)/.test(shape)))
      inspect.high("reaches for credentials");
  },
  oc: kubectl,
  helm: outward({
    reads: "list ls status get history search show version env",
    works: "template lint dependency package create repo",
    valued: "n",
    valuedLong: ["namespace", "kube-context"],
  }),
  terraform: terraform(),
  tofu: terraform(),
  terragrunt: terraform(),
  aws: cloudAccount(
    /^(?:s3 ls|sts get-caller-identity|[a-z0-9-]+ (?:describe|list|get)-?)/,
    /secret|password|get-login|session-token|get-parameter|assume-role/,
  ),
  gcloud: cloudAccount(
    / (?:list|describe)(?: |$)|^(?:info|version|config list)/,
    /secret|print-access-token|print-identity-token/,
  ),
  az: cloudAccount(/ (?:list|show)(?: |$)|^version/, /secret|get-access-token|keyvault/),
  doctl: cloudAccount(/ (?:list|get)(?: |$)/, /token/),
  gh: cloudAccount(
    /^(?:(?:pr|issue|run|release|repo|workflow|gist|label) (?:list|view|status|diff|checks)|auth status|search |status|browse)/,
    /auth token|secret/,
  ),
  glab: cloudAccount(/^(?:mr|issue|ci|release|repo) (?:list|view|status|diff)/, /token/),
  ...each(
    "ansible ansible-playbook pulumi cdk sam serverless sls vercel netlify firebase fly flyctl heroku wrangler eb cf now surge " +
      "vagrant packer nomad consul linkerd istioctl argocd flux skaffold tilt eksctl kops rclone s3cmd gsutil bq goreleaser " +
      "semantic-release vsce ovsx fastlane sentry-cli",
    outward({ reads: "version help", works: "lint validate" }),
  ),
  ...each(
    "vault op pass bw lpass aws-vault keyring secret-tool security",
    asks("reaches for credentials"),
  ),
  ...each("psql mysql mariadb mongosh mongo cqlsh clickhouse-client sqlcmd", database),
  "redis-cli": redis,
  ...each("pg_dump mysqldump mongodump", asks("copies a database")),
  ...each(
    "pg_restore mongorestore dropdb createdb dropuser createuser",
    asks("changes a database"),
  ),
  sqlite3: (call, inspect) => {
    inspect.medium("may change a database file");
    if (/\.(?:shell|system|load|import \|)|load_extension|writefile/i.test(call.segment))
      inspect.high("has sqlite3 start another program");
  },
};

function compose(rule: Rule): Rule {
  return (call, inspect) => {
    const at = call.args.findIndex(({ shape }) => shape === "compose");
    if (at === 0) composeVerbs({ ...call, args: call.args.slice(1) }, inspect);
    else rule(call, inspect);
  };
}

function composeVerbs(call: Call, inspect: Inspector): void {
  outward({
    reads: "ps logs config images ls top version port",
    works: "build pull",
    valued: "fp",
    valuedLong: ["file", "project-name", "env-file", "profile"],
  })(call, inspect);
}

function terraform(): Rule {
  return outward({
    reads: [
      "version",
      "show",
      "output",
      "graph",
      "providers",
      "state list",
      "state show",
      "workspace list",
      "workspace show",
    ],
    works: ["plan", "validate", "fmt", "init", "get", "console", "workspace select", "test"],
    valuedLong: ["chdir"],
  });
}

function cloudAccount(reads: RegExp, secrets: RegExp): Rule {
  return ({ args, program }, inspect) => {
    const text = operandsOf(args, {
      valuedLong: ["profile", "region", "project", "output", "format", "repo", "subscription"],
      valued: "R",
    })
      .map(({ shape }) => readable(shape))
      .join(" ");
    if (secrets.test(text)) inspect.high("reaches for credentials");
    else if (text !== "" && !reads.test(text)) inspect.high(`${program} acts outside the sandbox`);
    else if (text !== "") inspect.medium(`${program} talks to an account outside the sandbox`);
  };
}

/** A statement that only reads passes; a prompt or a file of statements could do anything. */
function database({ args, program }: Call, inspect: Inspector): void {
  if (args.length > 0 && args.every(({ shape }) => /^--?(?:version|help|V|h)$/.test(shape))) return;
  const statements = [
    { short: "c", long: "command" },
    { short: "e", long: "execute" },
    { long: "eval" },
  ].flatMap((name) => valuesOfOption(args, name));
  const lists = hasOption(args, { short: "l", long: "list" }) && program === "psql";
  if ((statements.length > 0 && statements.every(onlySelects)) || lists)
    inspect.medium("reads a database");
  else inspect.high("may change a database");
}

const WRITES =
  /\b(?:insert|update|delete|drop|truncate|alter|create|grant|revoke|copy|into|vacuum|call|do|set|lock|merge|replace|pg_read_file|pg_terminate_backend|lo_import|load|kill)\b|\\(?:!|copy|o|g|i)|\|/i;

function onlySelects(statement: Word): boolean {
  const text = readable(statement.shape).trim();
  return (
    /^(?:select|show|explain|describe|desc|with|\\d|\\l|\\conninfo)/i.test(text) &&
    !WRITES.test(text)
  );
}

function redis({ args }: Call, inspect: Inspector): void {
  const [verb] = operandsOf(args, { valued: "hpanu" }).map(({ shape }) => shape.toLowerCase());
  const reads =
    /^(?:ping|info|get|mget|keys|scan|ttl|type|exists|llen|lrange|hget|hgetall|smembers|zrange|dbsize|time|strlen|memory)$/;
  if (verb && reads.test(verb)) inspect.medium("reads a database");
  else inspect.high("may change a database");
}
