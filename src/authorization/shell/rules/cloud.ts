import { hasOption, operandsOf, valuesOfOption } from "../options.ts";
import {
  asks,
  asksPhrase,
  type Call,
  changes,
  credentials,
  each,
  type Inspector,
  type Rule,
  type Rules,
  writesOutputs,
} from "../rule.ts";
import { readable, type Word } from "../word.ts";

/** Tools that act on machines, clusters and accounts elsewhere: only the named verbs pass unasked. */
function outward({
  reads,
  works = "",
  ends = "",
  publishes = "",
  valued = "",
  valuedLong = [],
  nested = false,
}: Outward): Rule {
  const [reading, working, ending, publishing] = [reads, works, ends, publishes].map(listed);
  return ({ args, program }, inspect) => {
    const words = operandsOf(args, { valued, valuedLong }).map(({ shape }) => readable(shape));
    if (words.length === 0 && args.every(({ shape }) => /^-+(?:v|version|h|help|V)$/.test(shape)))
      return;
    const text = words.join(" ");
    const begins = (verb: string) => text === verb || text.startsWith(`${verb} `);
    const does = `${program} ${words.slice(0, 2).join(" ")}`;
    if (publishing?.some(begins)) inspect.phrase(`${does} publishes`);
    if (ending?.some(begins) || (words.some((word) => ENDS.test(word)) && !reading?.some(begins)))
      inspect.phrase(`${does} deletes or stops something for good`);
    if (scalesToZero(args)) inspect.phrase(`${does} scales to nothing`);
    if (reading?.some(begins)) return;
    const looks = nested && READS_NESTED.test(words[1] ?? "") && !/secret|token|config/.test(text);
    if (looks && !words.some((word) => ENDS.test(word))) {
      inspect.notes(`${does} talks to another machine`);
      return;
    }
    if (args.some(isDryRun)) return;
    if (working?.some(begins)) inspect.notes(`${program} works in the sandbox`);
    else {
      inspect.sends();
      inspect.click(`${does} acts outside the sandbox`);
    }
  };
}

/** `argocd app get`, `velero backup describe`: the verb follows the kind of thing. */
const READS_NESTED = /^(?:get|list|ls|show|describe|status|logs?|info|diff|history|inspect|ps)$/;

/** Verbs after which something is gone, also behind what they apply to: `pg:reset`, `apps:destroy`. */
const ENDS =
  /^(?:[\w-]+:)*(?:delete|del|destroy|purge|terminate|uninstall|rb|rm|drop|decommission|nuke|remove|reset|wipe|erase|teardown|undeploy|deprovision)(?:-[\w-]+)?$/;

/** It only says what it would do. */
function isDryRun({ shape }: Word): boolean {
  return /^--(?:dry-?run(?:=(?:client|server|true))?|check|preview|plan)$/.test(shape);
}

interface Outward {
  readonly reads: string | readonly string[];
  readonly works?: string | readonly string[];
  /** Delete, destroy or stop for good: a phrase. */
  readonly ends?: string | readonly string[];
  readonly publishes?: string | readonly string[];
  readonly valued?: string;
  readonly valuedLong?: readonly string[];
  /** A kind of thing may stand before the verb. */
  readonly nested?: boolean;
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
    "system df",
    "system info",
    "image inspect",
    "image history",
    "container inspect",
    "container logs",
    "container top",
    "container stats",
    "volume inspect",
    "network inspect",
    "context ls",
    "buildx ls",
    "manifest inspect",
    "stack ls",
    "stack ps",
    "service ls",
    "service ps",
    "node ls",
  ],
  works: [
    "build",
    "buildx build",
    "buildx bake",
    "image build",
    "pull",
    "image pull",
    "tag",
    "image tag",
  ],
  publishes: ["push", "image push", "manifest push", "trust sign"],
  ends: ["stack rm", "stack down", "swarm leave"],
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
    "config view",
    "config get-clusters",
    "config get-users",
    "options",
    "plugin list",
    "wait",
  ],
  works: ["kustomize", "config use-context", "config set-context", "completion"],
  ends: ["delete", "drain"],
  valued: "nslofc",
  valuedLong: [
    "namespace",
    "context",
    "cluster",
    "kubeconfig",
    "selector",
    "output",
    "filename",
    "replicas",
    "timeout",
    "for",
    "sort-by",
    "since",
    "tail",
    "container",
    "image",
    "user",
  ],
});

export const cloud: Rules = {
  docker: compose(docker),
  podman: compose(docker),
  nerdctl: compose(docker),
  "docker-compose": composeVerbs,
  // Nearly everyone calls kubectl `k`.
  ...each("kubectl oc k kubecolor minikube-kubectl", (call, inspect) => {
    kubectl(call, inspect);
    clusterExtras(call, inspect);
  }),
  ...each("kubectx kubens stern k9s", changes("looks at a cluster")),
  helm: outward({
    reads: "list ls status get history search show version env",
    works: "template lint dependency package create repo diff pull completion plugin",
    ends: "uninstall delete del un",
    publishes: "push cm-push",
    valued: "nf",
    valuedLong: ["namespace", "kube-context", "values", "set"],
  }),
  terraform: terraform(),
  tofu: terraform(),
  terragrunt: terraform(),
  aws: cloudAccount(
    /^(?:s3 ls|sts get-caller-identity|logs (?:tail|filter-log-events|start-query)|(?:s3api )?(?:head|wait)|[a-z0-9-]+ (?:describe|list|get|lookup|search|head|batch-get|scan|query|estimate|preview|validate|simulate|select|wait)(?:-|$| )|help|configure (?:list|get region))/,
    /secret|password|get-login|session-token|get-parameter|assume-role|export-credentials|get-authorization-token/,
  ),
  gcloud: cloudAccount(
    / (?:list|describe|read|get-value|get-server-config)(?: |$)|^(?:info|version|config (?:list|get-value)|help|topic)/,
    /secret|print-access-token|print-identity-token/,
  ),
  az: cloudAccount(
    / (?:list|show)(?:-[a-z-]+)?(?: |$)|^version/,
    /secret|get-access-token|keyvault/,
  ),
  doctl: cloudAccount(/ (?:list|get)(?: |$)/, /token/),
  gh: cloudAccount(
    /^(?:(?:pr|issue|run|release|repo|workflow|gist|label|cache|project|ruleset|org|extension) (?:list|view|status|diff|checks|watch|checkout|download|ls)|pr checkout|auth status|search |status|browse|repo clone|api(?: |$)|version|help|alias list|config (?:get|list))/,
    /auth token|secret/,
  ),
  glab: cloudAccount(/^(?:mr|issue|ci|release|repo) (?:list|view|status|diff)/, /token/),
  ...each(
    "ansible ansible-playbook pulumi cdk sam serverless sls firebase fly flyctl heroku wrangler eb cf " +
      "vagrant packer nomad consul linkerd istioctl argocd flux skaffold tilt eksctl kops rclone s3cmd gsutil bq " +
      "sentry-cli mc s5cmd b2 linode-cli hcloud scw ibmcloud oci civo vultr-cli railway supabase pscale neonctl turso " +
      "databricks openstack govc rancher tkn kn velero copilot amplify confluent rabbitmqctl etcdctl influx kind k3d minikube k3s kubeadm talosctl crossplane",
    outward({
      reads:
        "version help list ls status show get describe logs info whoami inspect preview lsf lsd lsl lsjson cat size about " +
        "analyze proxy-status proxy-config ps members top events history diff search check stat tree outputs tail",
      works: "lint validate init fmt build synth dev serve plan",
      ends: [
        "move",
        "moveto",
        "sync",
        "deletefile",
        "rmdirs",
        "app delete",
        "apps destroy",
        "apps:destroy",
        "job stop",
        "rm",
        "-m rm",
        "purge",
        "stack rm",
      ],
      publishes: "deploy publish release submit deliver pages",
      nested: true,
    }),
  ),
  vercel: asksToDeploy(/^(?:ls|list|logs|inspect|whoami|dev|env ls|pull|link|build)$/),
  netlify: asksToDeploy(/^(?:status|dev|build|sites:list|env:list|link|functions:list)$/),
  surge: asksPhrase("publishes a site"),
  "ansible-lint": () => {},
  "ansible-inventory": () => {},
  "ansible-doc": () => {},
  ...each("vault op pass bw lpass aws-vault keyring secret-tool security", (call, inspect) => {
    credentials(call, inspect);
    if (operandsOf(call.args).some(({ shape }) => ENDS.test(readable(shape))))
      inspect.phrase(`${call.program} deletes credentials`);
  }),
  pg_isready: () => {},
  ...each("psql mysql mariadb mongosh mongo cqlsh clickhouse-client sqlcmd", database),
  "redis-cli": redis,
  ...each("pg_dump mysqldump mongodump", ({ args }, inspect) => {
    const onlySchema =
      args.some(({ shape }) => /^(?:--schema-only|--no-data)$/.test(shape)) ||
      args.some(({ shape }) => shape === "-s" || shape === "-d");
    if (onlySchema) inspect.notes("reads a database");
    else inspect.click("copies a database");
    writesOutputs(args, inspect);
    for (const file of valuesOfOption(args, { short: "f", long: "file" })) inspect.writes(file);
  }),
  ...each("pg_restore mongorestore createdb dropuser createuser", asks("changes a database")),
  dropdb: asksPhrase("deletes a database"),
  sqlite3: (call, inspect) => {
    inspect.notes("may change a database file");
    if (/\.(?:shell|system|load|import \|)|load_extension|writefile/i.test(call.segment))
      inspect.click("has sqlite3 start another program");
    for (const [, path] of call.segment.matchAll(
      /\.(?:output|once|save|backup|excel)\s+([^\s'"]+)/g,
    ))
      inspect.writes({ text: path ?? "", shape: path ?? "" });
  },
};

function compose(rule: Rule): Rule {
  return (call, inspect) => {
    const at = call.args.findIndex(({ shape }) => shape === "compose");
    if (at === 0) composeVerbs({ ...call, args: call.args.slice(1) }, inspect);
    else rule(call, inspect);
    const outputs = valuesOfOption(call.args, { short: "o", long: "output" });
    const pushes =
      hasOption(call.args, { long: "push" }) ||
      outputs.some(({ shape }) => /type=registry|push=true/.test(shape));
    if (pushes && /^(?:buildx|build)$/.test(call.args[0]?.shape ?? ""))
      inspect.phrase("publishes an image");
  };
}

function composeVerbs(call: Call, inspect: Inspector): void {
  outward({
    reads: "ps logs config images ls top version port",
    works: "build pull",
    publishes: "push",
    valued: "fp",
    valuedLong: ["file", "project-name", "env-file", "profile"],
  })(call, inspect);
}

function terraform(): Rule {
  return (call, inspect) => {
    terraformVerbs(call, inspect);
    const applies = call.args.some(({ shape }) => shape === "apply");
    if (applies && call.args.some(({ shape }) => /^--?destroy$/.test(shape)))
      inspect.phrase("destroys infrastructure");
  };
}

const terraformVerbs = outward({
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
  works: [
    "plan",
    "validate",
    "fmt",
    "init",
    "get",
    "console",
    "workspace select",
    "test",
    "run-all plan",
    "hclfmt",
  ],
  ends: ["destroy", "state rm", "run-all destroy", "workspace delete", "apply -destroy"],
  valuedLong: ["chdir"],
});

function cloudAccount(reads: RegExp, secrets: RegExp): Rule {
  return ({ args, program }, inspect) => {
    const text = operandsOf(args, {
      valuedLong: [
        "profile",
        "region",
        "project",
        "output",
        "format",
        "repo",
        "subscription",
        "query",
        "filter",
        "filters",
        "zone",
      ],
      valued: "Rog",
    })
      .map(({ shape }) => readable(shape))
      .join(" ");
    if (text === "") return;
    const method = sentMethod(args, program);
    if (secrets.test(text)) inspect.credentials("reaches for credentials");
    if (secrets.test(text) && SHOWS_CREDENTIALS.test(text)) return;
    if (ENDS_ACCOUNT.test(` ${text}`) || scalesToZero(args) || method === "DELETE")
      inspect.phrase(`${program} deletes or stops something for good`);
    if (
      / (?:release (?:create|upload|edit)|publish|acr (?:build|import)|builds submit)(?: |$)/.test(
        ` ${text}`,
      )
    )
      inspect.phrase(`${program} publishes`);
    if (reads.test(text) && method === undefined) {
      inspect.notes(`${program} talks to an account outside the sandbox`);
      return;
    }
    if (args.some(isDryRun)) return;
    inspect.sends();
    inspect.click(`${program} acts outside the sandbox`);
  };
}

/** They only show a credential here. */
const SHOWS_CREDENTIALS =
  /(?:^| )(?:(?:get|print|list|show|describe|read)(?:-[\w-]+)?|auth token)(?: |$)/;

/** Verbs of accounts after which something is gone, as words of their own or with what they end. */
const ENDS_ACCOUNT =
  / (?:delete|destroy|terminate|remove|purge|rb|rm|deregister|revoke|disable)(?:-[a-z-]+)?(?: |$)|:destroy| schedule-[a-z-]*deletion/;

function scalesToZero(args: readonly Word[]): boolean {
  const texts = args.map(({ shape }) => readable(shape));
  return (
    texts.some(
      (text, index) =>
        /^--(?:desired-count|desired-capacity|replicas|max-size|min-instances|size|num-nodes|new-capacity|node-count|count|instances|scale|desired-size|nodes)(?:=0)?$/.test(
          text,
        ) &&
        (text.endsWith("=0") || texts[index + 1] === "0"),
    ) ||
    texts.includes("--delete") ||
    // heroku ps:scale web=0, fly scale count 0, docker service scale web=0, docker compose up --scale web=0
    (texts.some((text) => /(?:^|:|--)(?:scale|resize)$/.test(text)) &&
      texts.some((text) => /^(?:0|[\w./-]+=0)$/.test(text)))
  );
}

/** What `gh api` would do other than read. */
function sentMethod(args: readonly Word[], program: string): string | undefined {
  if (!/^(?:gh|glab)$/.test(program) || args[0]?.shape !== "api") return undefined;
  const [method] = valuesOfOption(args, { short: "X", long: "method" });
  if (method) return /^GET$/i.test(method.shape) ? undefined : readable(method.shape).toUpperCase();
  const hasFields = args.some(({ shape }) => /^(?:-[fF]|--(?:raw-)?field|--input)/.test(shape));
  return hasFields ? "POST" : undefined;
}

function asksToDeploy(reads: RegExp): Rule {
  return ({ args }, inspect) => {
    const [verb] = operandsOf(args);
    if (verb && reads.test(readable(verb.shape))) return;
    inspect.click("acts outside the sandbox");
    if (!verb || args.some(({ shape }) => /^(?:--prod|-p|--production|deploy)$/.test(shape)))
      inspect.phrase("publishes a site");
  };
}

/** What kubectl can do beyond its verbs. */
function clusterExtras({ args }: Call, inspect: Inspector): void {
  const texts = args.map(({ shape }) => readable(shape));
  if (texts.some((text) => /^(?:.*,)?secrets?(?:$|[/,.])/.test(text)) || texts.includes("--raw"))
    inspect.credentials("reaches for credentials");
  if (texts.includes("token")) inspect.credentials("makes a token");
  if (scalesToZero(args)) inspect.phrase("scales to nothing");
  if (texts.includes("replace") && texts.includes("--force"))
    inspect.phrase("deletes what it replaces");
}

/** A statement that only reads passes; a prompt or a file of statements could do anything. */
function database({ args, program, input }: Call, inspect: Inspector): void {
  if (args.length > 0 && args.every(({ shape }) => /^--?(?:version|help|V|h)$/.test(shape))) return;
  const statements = [
    { short: "c", long: "command" },
    { short: "e", long: "execute" },
    { long: "eval" },
    { short: "Q" },
    { short: "q", long: "query" },
  ].flatMap((name) => valuesOfOption(args, name));
  const given = [
    ...statements,
    ...(input.text ? [input.text] : []),
    ...input.upstream.flatMap((call) => call.args),
  ];
  if (given.some(({ shape }) => DROPS.test(withoutQuoted(readable(shape)))))
    inspect.phrase("drops or empties data");
  const lists = hasOption(args, { short: "l", long: "list" }) && program === "psql";
  const reads = /^mongo/.test(program) ? onlyFinds : onlySelects;
  if ((statements.length > 0 && statements.every(reads)) || lists)
    inspect.notes("reads a database");
  else {
    inspect.sends();
    inspect.click("may change a database");
  }
}

/** Statements after which data is gone: also a deletion without a condition. */
const DROPS =
  /\bdrop\s+(?:table|database|schema|index|view|user|role|keyspace|column)\b|\btruncate\b|\bdelete\s+from\s+[\w."]+\s*(?:;|$)|\.drop(?:Database)?\s*\(|\.deleteMany\s*\(\s*\{\s*\}|\.remove\s*\(\s*\{\s*\}/i;

const WRITES =
  /\b(?:insert|update|delete|drop|truncate|alter|create|grant|revoke|copy|into|vacuum|call|do|set|lock|merge|replace|pg_read_file|pg_terminate_backend|lo_import|load|kill)\b|\\(?:!|copy|o|g|i)|\|/i;

function withoutQuoted(text: string): string {
  return text.replaceAll(/'[^']*'/g, "''");
}

function onlySelects(statement: Word): boolean {
  // mysql prints one column per line after \\G.
  const text = withoutQuoted(readable(statement.shape).trim()).replace(/\\G\s*;?$/, "");
  return (
    /^(?:select|show|explain|describe|desc|with|use|values|table|\\d|\\l|\\conninfo|\\dt|\\du|\\x|\\timing)/i.test(
      text,
    ) && !WRITES.test(text)
  );
}

/** Calls of the Mongo shell that only look. */
function onlyFinds(statement: Word): boolean {
  const text = readable(statement.shape);
  const calls = [...text.matchAll(/\.(\w+)\s*\(/g)].map(([, name]) => name ?? "");
  return (
    calls.every((name) =>
      /^(?:find|findOne|countDocuments|estimatedDocumentCount|count|distinct|limit|sort|skip|toArray|pretty|explain|stats|getIndexes|getCollectionNames|serverStatus|currentOp|hello|adminCommand|getName|projection|size|map|forEach|join|status|conf)$/.test(
        name,
      ),
    ) && !/\badminCommand\b.*(?:shutdown|drop)|\$out|\$merge/.test(text)
  );
}

function redis({ args }: Call, inspect: Inspector): void {
  const [verb] = operandsOf(args, { valued: "hpanu", valuedLong: ["pattern", "user", "pass"] }).map(
    ({ shape }) => readable(shape).toLowerCase(),
  );
  if (/^(?:flushall|flushdb|shutdown|debug|swapdb)$/.test(verb ?? ""))
    inspect.phrase("empties a database");
  const looks = args.some(({ shape }) =>
    /^--(?:scan|stat|latency|bigkeys|memkeys|hotkeys)/.test(shape),
  );
  const reads =
    /^(?:ping|info|get|mget|keys|scan|sscan|hscan|zscan|ttl|pttl|type|exists|llen|lrange|lindex|hget|hgetall|hkeys|hlen|smembers|scard|zrange|zcard|zscore|dbsize|time|strlen|memory|slowlog|monitor|object|client|role|xlen|xrange|xinfo|lastsave|command)$/;
  if (looks || (verb && reads.test(verb))) inspect.notes("reads a database");
  else {
    inspect.sends();
    inspect.click("may change a database");
  }
}
