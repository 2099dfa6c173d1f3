import { hasAnyOption, operandsOf, valuesOfOption } from "../options.ts";
import {
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
import { LOOKS_FOR_SECRETS } from "../secrets.ts";
import { readable, type Word } from "../word.ts";
import { ENDS, looksOnly } from "./client-verbs.ts";
import { containers } from "./containers.ts";
import { orFetches } from "./fetched-copies.ts";
import { isDryRun, outward, scalesToZero } from "./outward.ts";

/** Hosting, clusters and accounts by their usual verbs. */
const accounts: Rule = orFetches(
  outward({
    reads:
      "get lsf lsd lsl lsjson size about cluster_status ping node_health_check port global-status ssh-config netstats tpstats " +
      "ring compactionstats doctor tablestats analyze proxy-status proxy-config members",
    works: "lint validate init fmt build package synth template dev serve plan",
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
      "down",
      "dn",
      "purge",
      "stack rm",
    ],
    publishes: [
      "deploy",
      "publish",
      "release",
      "submit",
      "deliver",
      "pages",
      "xpkg push",
      "push artifact",
    ],
    nested: true,
    valued: "e",
  }),
);

/** Clusters, clouds, hosting, and what holds their credentials. */
export const cloud: Rules = {
  ...containers,
  ...each("kubectx kubens stern k9s", changes("looks at a cluster")),
  helm: outward({
    reads: "list ls status get history search show version env",
    works: "unittest template lint dependency dep package create repo diff pull completion plugin",
    ends: "uninstall delete del un",
    publishes: "push cm-push",
    valued: "nf",
    valuedLong: ["namespace", "kube-context", "values", "set"],
  }),
  terraform: terraform(),
  tofu: terraform(),
  terragrunt: terraform(),
  aws: orFetches(
    cloudAccount(
      /^(?:s3 ls|sts get-caller-identity|logs (?:tail|filter-log-events|start-query)|(?:s3api )?(?:head|wait)|[a-z0-9-]+ (?:describe|list|get|lookup|search|head|batch-get|scan|query|estimate|preview|validate|simulate|select|wait|decode)(?:-|$| )|help|configure (?:list|get region))/,
      /secret|password|get-login|session[-_]token|get-parameter|assume-role|export-credentials|get-authorization-token/,
      { looksAlike: false },
    ),
  ),
  gcloud: orFetches(
    cloudAccount(
      / (?:describe|read|get-value|get-server-config)(?: |$)|^(?:info|version|help|storage hash|config (?:list|get-value)|topic)/,
      /secret|print-access-token|print-identity-token/,
    ),
  ),
  az: cloudAccount(
    /^version$| (?:list|show)(?:-[a-z-]+)?(?: |$)/,
    /secret|get-access-token|keyvault| keys? |credential|connection-string|publishing-profile/,
  ),
  doctl: cloudAccount(/ get(?: |$)/, /token/),
  gh: cloudAccount(
    /^(?:(?:pr|issue|run|release|repo|workflow|gist|label|cache|project|ruleset|rs|cs|codespace|variable|attestation|org|extension) (?:list|view|status|diff|checks|watch|checkout|download|ls)|pr checkout|auth status|search |status|browse|repo clone|api(?: |$)|version|help|alias list|config (?:get|list))/,
    /auth token|secret/,
  ),
  glab: cloudAccount(/^(?!)/, /token/),
  ...each(
    "ansible-playbook pulumi cdk sam serverless sls firebase fly flyctl heroku wrangler eb cf " +
      "vagrant packer nomad consul linkerd argocd flux skaffold tilt eksctl kops rclone s3cmd gsutil " +
      "sentry-cli mc s5cmd b2 linode-cli hcloud scw ibmcloud oci civo vultr-cli railway supabase pscale neonctl turso " +
      "databricks openstack govc rancher tkn kn velero nats nodetool rpk rabbitmqadmin helmfile cdktf okteto garden kcadm.sh copilot amplify confluent rabbitmqctl etcdctl kind k3d minikube k3s kubeadm talosctl crossplane",
    accounts,
  ),
  vercel: asksToDeploy(/^(?:ls|list|logs|inspect|whoami|dev|env ls|pull|link|build)$/),
  netlify: asksToDeploy(/^(?:status|dev|build|sites:list|env:list|link|functions:list)$/),
  surge: asksPhrase("publishes a site"),
  ansible: (call, inspect) => {
    accounts(call, inspect);
    const [module] = valuesOfOption(call.args, { short: "m", long: "module-name" });
    const [words] = valuesOfOption(call.args, { short: "a", long: "args" });
    // What is a package's or a setting's comes back with another line; data does not.
    const comesBack =
      /(?:^|\.)(?:apt\w*|yum\w*|dnf|package|pip|npm|gem|apk|zypper|pacman|snap|\w*infile|cron|authorized_key|sysctl|mount|alternatives)$/;
    if (
      /\bstate=absent\b/.test(words?.shape ?? "") &&
      !comesBack.test(readable(module?.shape ?? ""))
    )
      inspect.phrase("ansible deletes something on other machines");
  },
  "ansible-lint": () => {},
  "ansible-inventory": () => {},
  "ansible-doc": () => {},
  ...each("ansible-vault sops", encryptedFiles),
  ...each("age rage", ({ args }, inspect) => {
    inspect.notes("works with encrypted files");
    if (hasAnyOption(args, [{ short: "d", long: "decrypt" }]))
      inspect.credentials("shows what is encrypted in files");
    writesOutputs(args, inspect);
  }),
  kubeseal: ({ args }, inspect) => {
    inspect.notes("encrypts secrets");
    if (args.some(({ shape }) => /^--recovery/.test(shape)))
      inspect.credentials("shows what is encrypted in files");
  },
  istioctl: (call, inspect) => {
    accounts(call, inspect);
    if (hasAnyOption(call.args, [{ long: "level" }, { long: "reset" }]))
      inspect.click("changes a proxy's logging");
  },
  influx: (call, inspect) => {
    const [verb, statement] = operandsOf(call.args).map(({ shape }) => readable(shape));
    if (verb === "query" && !/\bto\s*\(|\bdrop\b|\bdelete\b/i.test(statement ?? "to("))
      inspect.notes("reads a database");
    else accounts(call, inspect);
  },
  ...each(
    "vault op pass bw lpass aws-vault keyring secret-tool security gopass rbw keepassxc-cli passage secrethub doppler envchain chamber berglas kwallet-query infisical teller",
    (call, inspect) => {
      const words = operandsOf(call.args).map(({ shape }) => readable(shape));
      if (LOOKS_AT_VAULT.test(words.join(" "))) return;
      credentials(call, inspect);
      if (words.some((word) => ENDS.test(word) || /^(?:disable|revoke|seal|step-down)$/.test(word)))
        inspect.phrase(`${call.program} deletes credentials`);
    },
  ),
};

/** Files in which only the values are encrypted: making one is free, showing what is in it is not. */
function encryptedFiles({ args }: Call, inspect: Inspector): void {
  const [verb] = operandsOf(args);
  inspect.notes("works with encrypted files");
  const encrypts =
    /^(?:encrypt\w*|create|rekey|rotate|updatekeys|publish)$/.test(verb?.shape ?? "") ||
    hasAnyOption(args, [{ short: "e", long: "encrypt" }]);
  const asksState = args.every(({ shape }) => /^--?(?:version|help|h|v)$/.test(shape));
  if (!encrypts && !asksState) inspect.credentials("shows what is encrypted in files");
  if (encrypts) writesOutputs(args, inspect);
}

/** Names and states, without what is kept there. */
const LOOKS_AT_VAULT =
  /^(?:status|version|path-help\b.*|(?:secrets|auth|policy|plugin|audit|namespace) list|operator (?:raft list-peers|members|key-status)|(?:vault|account|group|user) list|(?:list|ls)(?: \S+\.kdbx)?|(?:generate|diceware|estimate)(?: \d+)?)$/;

function terraform(): Rule {
  return (call, inspect) => {
    terraformVerbs(call, inspect);
    const [verb, name] = operandsOf(call.args).map(({ shape }) => readable(shape));
    if (verb === "output" && LOOKS_FOR_SECRETS.test(name ?? ""))
      inspect.credentials("shows a secret");
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

/** With `looksAlike` the verbs that clients share count, too: the path of a command leads to its verb. */
function cloudAccount(reads: RegExp, secrets: RegExp, { looksAlike = true } = {}): Rule {
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
    if (secrets.test(text)) inspect.credentials("reads or uses credentials");
    if (/^auth status/.test(text) && hasAnyOption(args, [{ short: "t", long: "show-token" }]))
      inspect.credentials("shows a token");
    if (secrets.test(text) && SHOWS_CREDENTIALS.test(text)) return;
    if (ENDS_ACCOUNT.test(` ${text}`) || scalesToZero(args) || method === "DELETE")
      inspect.phrase(`${program} permanently deletes or stops something`);
    if (
      / (?:release (?:create|upload|edit)|publish|acr (?:build|import)|builds submit)(?: |$)/.test(
        ` ${text}`,
      )
    )
      inspect.phrase(`${program} publishes`);
    if (
      (reads.test(text) || (looksAlike && looksOnly(text.split(" ").slice(1)))) &&
      method === undefined
    ) {
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
  /(?:^| )(?:(?:get|print|list|show|describe|read|access)(?:-[\w-]+)?|auth token)(?: |$)/;

/** Verbs of accounts after which something is gone, as words of their own or with what they end. */
const ENDS_ACCOUNT =
  / (?:[a-z]+-)*(?:delete|destroy|terminate|remove|purge|rb|rm|deregister|revoke|disable)(?:-[a-z-]+)?(?: |$)|:destroy| schedule-[a-z-]*deletion| close-[a-z-]*account/;

/** What `gh api` would do other than read. */
function sentMethod(args: readonly Word[], program: string): string | undefined {
  if (!/^(?:gh|glab)$/.test(program) || args[0]?.shape !== "api") return undefined;
  const queries = args.filter(({ shape }) => /^query=/.test(shape));
  if (args[1]?.shape === "graphql" && queries.length > 0 && queries.every(onlyAsks))
    return undefined;
  const [method] = valuesOfOption(args, { short: "X", long: "method" });
  if (method) return /^GET$/i.test(method.shape) ? undefined : readable(method.shape).toUpperCase();
  const hasFields = args.some(({ shape }) => /^(?:-[fF]|--(?:raw-)?field|--input)/.test(shape));
  return hasFields ? "POST" : undefined;
}

/** A query of GraphQL, and no mutation. */
function onlyAsks({ shape }: Word): boolean {
  return /^query=\s*(?:query\b|\{)/.test(shape) && !/\bmutation\b/.test(shape);
}

function asksToDeploy(reads: RegExp): Rule {
  return ({ args }, inspect) => {
    const [verb] = operandsOf(args);
    if (verb && reads.test(readable(verb.shape))) return;
    inspect.click("acts outside the sandbox");
    if (operandsOf(args).some(({ shape }) => ENDS.test(readable(shape))))
      inspect.phrase("permanently deletes or stops something");
    if (!verb || args.some(({ shape }) => /^(?:--prod|-p|--production|deploy)$/.test(shape)))
      inspect.phrase("publishes a site");
  };
}
