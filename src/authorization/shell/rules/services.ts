import { operandsOf, valuesOfOption } from "../options.ts";
import { asksPhrase, type Call, each, type Inspector, type Rules } from "../rule.ts";
import { literalWord, readable, type Word } from "../word.ts";
import { doingOf, endsSomething, looks, verbsAmong } from "./client-verbs.ts";
import { judgeSql, judgeStatement } from "./databases.ts";
import { isDryRun, outward } from "./outward.ts";
import { asksAndSends, isRemotePlace } from "./places.ts";
import { hasDeletingOption } from "./queues.ts";

/** Clients of services on other machines that have verbs of the usual kinds: build services, hosting, clusters, ledgers. */
export const services: Rules = {
  ...each(
    // Build and code services
    "koji copr copr-cli osc bosh balena travis circleci buildkite-agent bk drone woodpecker-cli jenkins-cli concourse " +
      "fly-ci argo argocd-autopilot spin tea hut fj gitlab berg jira linear acli jf artifactory sonar-scanner-cli kaggle hf " +
      "huggingface-cli wandb mlflow-cli dvc-studio clearml-task replicate runpodctl modal " +
      // Hosting, names and content
      "dokku caprover render koyeb northflank platform upsun clever scalingo gandi ovhcloud exo upctl ionosctl metal " +
      "airflow zkCli.sh zkCli zookeeper-shell zookeeper-shell.sh certbot acme.sh lego fab mina dep kamal mrsk capistrano azcopy argo-rollouts " +
      "aliyun tccli yc ncloud huaweicloud jdc bce cloudflare-cli flarectl cli4 cli53 lexicon octodns-sync dnscontrol fastly " +
      "akamai bunny contentful shopify stripe twilio zapier particle appwrite rover hasura nhost " +
      "checkly datadog-ci newrelic pd opsgenie ohdear ldcli launchdarkly splunk amtool mimirtool cortextool promtool-push " +
      // Clusters, machines and storage
      "ceph cephadm rados rbd radosgw-admin gluster drbdadm crm pcs cilium calicoctl hubble longhornctl clusterctl tanzu " +
      "karmadactl subctl odo rosa ocm crc rke k0s k0sctl vcluster devspace devpod loft cmctl docker-machine crictl " +
      "pvesh pveum pvesm pveceph qm pct ipmitool racadm redfishtool gnmic netconf-console salt salt-call salt-key salt-run knife " +
      "chef-run bolt puppetserver pyinfra mco rudder stolonctl patronictl repmgr pgbackrest barman neo4j-admin " +
      "tiup cockroach couchbase-cli cbc curator elasticdump airflow-cli prefect dagster-cloud kopia duplicacy tarsnap " +
      // Money and identity
      "bitcoin-cli litecoin-cli lncli geth electrum octez-client monero-wallet-cli solana near aptos sui keybase step-ca " +
      "cosign rekor-cli gcrane odpscmd ipfs filebase",
    service,
  ),
  dbt: outward({
    reads: "ls list compile parse debug show source docs test deps clean init --version",
    works: "docs",
  }),
  ...each("flyway liquibase", migrations),
  "spark-submit": ({ args }, inspect) => {
    const [master] = valuesOfOption(args, { long: "master" });
    if (master && !/^local/.test(master.shape))
      asksAndSends("gives a cluster jobs or takes them away", inspect);
    else inspect.notes("runs a program of the project");
  },
  bq: ({ args }, inspect) => {
    const [verb, ...words] = operandsOf(args).map(({ shape }) => readable(shape));
    const isDry = args.some(({ shape }) => /^--?dry_run(?:=true)?$/.test(shape));
    if (verb === undefined || isDry || /^(?:ls|show|head|version|help|wait|info)$/.test(verb))
      inspect.notes("looks at a warehouse");
    else if (verb === "query") judgeStatement(literalWord(words.join(" ")), inspect);
    else if (verb === "rm") inspect.phrase("bq deletes data");
    else asksAndSends(`bq ${verb} acts outside the sandbox`, inspect);
  },
  // Capistrano, or Capacitor: they share the name.
  cap: (call, inspect) => {
    const [verb] = operandsOf(call.args).map(({ shape }) => shape);
    const isCapacitor = /^(?:sync|copy|add|open|run|doctor|ls|update|init|build)$/.test(
      verb ?? "-T",
    );
    if (isCapacitor || call.args.some(({ shape }) => /^-(?:[TP]|-tasks)$/.test(shape)))
      inspect.notes("builds the project");
    else service(call, inspect);
  },
  cast: outward({
    reads:
      "call balance block block-number tx receipt code storage chain-id gas-price nonce logs abi-encode abi-decode sig keccak to-wei from-wei",
    works: "wallet interface",
  }),
  ...each(
    "sbatch srun salloc scancel sacctmgr strigger qsub qdel qmod bsub bkill condor_submit condor_rm msub oarsub flux-submit",
    (_, inspect) => asksAndSends("gives a cluster jobs or takes them away", inspect),
  ),
  scontrol: ({ args }, inspect) => {
    if (!/^(?:show|ping|version|help)$/.test(operandsOf(args)[0]?.shape ?? "show"))
      asksAndSends("changes a cluster", inspect);
  },
  ...each(
    "mosquitto_pub snmpset nsupdate ldapadd ldapmodify ldapmodrdn ldappasswd amqp-publish stomp nats-pub",
    (_, inspect) => {
      inspect.connects();
      inspect.click("changes something on another machine");
    },
  ),
  ...each(
    "snmpget snmpgetnext snmpwalk snmpbulkget snmpbulkwalk snmptable snmpstatus",
    (_, inspect) => inspect.notes("looks at another machine"),
  ),
  ldapdelete: asksPhrase("deletes entries of a directory"),
  ...each("borg restic rustic duplicity rdiff-backup unison bup lsyncd", backup),
  ...each("hdfs hadoop", hadoop),
};

function service(call: Call, inspect: Inspector): void {
  const { args, program } = call;
  const words = verbsAmong(args);
  if (words.length === 0 && args.every(isQuestion)) return;
  if (
    /^(?:fab|mina)$/.test(program) &&
    args.some(({ shape }) => /^-(?:T|l|P|-tasks|-list)$/.test(shape))
  )
    return;
  if (args.some(isDryRun)) return;
  judgeSql(call, inspect);
  const does = `${program} ${words.slice(0, 2).join(" ")}`;
  if (endsSomething(words.slice(0, 4)) || hasDeletingOption(args)) {
    inspect.phrase(`${does} permanently deletes or stops something`);
    return;
  }
  if (words.some((word) => /secret|token|credential|password/.test(word)))
    inspect.credentials("reads or uses credentials");
  if (doingOf(words) === "looks") inspect.notes(`${does} talks to another machine`);
  else asksAndSends(`${does} acts outside the sandbox`, inspect);
}

function isQuestion({ shape }: Word): boolean {
  return /^-+(?:v|V|h|version|help|list|status)$/.test(shape);
}

/** Where a backup lies elsewhere, writing to it is more than a copy, and what is removed there is gone. */
function backup({ args, program }: Call, inspect: Inspector): void {
  const words = operandsOf(args).map(({ shape }) => readable(shape));
  const isElsewhere = args.some(isRemotePlace) || (program === "lsyncd" && words.length > 0);
  // The repository may be named by the environment: then nobody can tell where it lies.
  const isNamed =
    args.some(({ shape }) => /^(?:-r|--repo(?:sitory)?)(?:=|$)|^[\w.][\w./-]*::/.test(shape)) ||
    (/^(?:borg|bup|rdiff-backup)$/.test(program) && /^[^\d:-]/.test(words[1] ?? ""));
  const removes = words.some((word) =>
    /^(?:forget|prune|delete|rm|purge|remove|remove-\S+|key-remove|compact)$/.test(word),
  );
  if ((isElsewhere || !isNamed) && removes && !args.some(isTried))
    inspect.phrase(`${program} removes backups`);
  else if (isElsewhere && !words.some((word) => looks(word) || word === "snapshots"))
    asksAndSends("copies files from or to another machine", inspect);
  else inspect.notes("keeps copies of files");
}

/** It only says what it would remove. */
function isTried({ shape }: Word): boolean {
  return /^(?:-n|--dry-?run)$/.test(shape);
}

/** Tools that bring a database from one state to the next. */
function migrations({ args, program }: Call, inspect: Inspector): void {
  const words = verbsAmong(args);
  if (words.some((word) => /^(?:clean|drop-all)$/.test(word)))
    inspect.phrase(`${program} drops everything in a database`);
  else if (
    words.some((word) => /^(?:migrate|repair|baseline|undo|update\b.*|rollback.*)$/.test(word))
  )
    asksAndSends(`${program} changes a database`, inspect);
  else inspect.notes("looks at a database");
}

function hadoop({ args, program }: Call, inspect: Inspector): void {
  const has = (pattern: RegExp) => args.some(({ shape }) => pattern.test(shape));
  if (has(/^-(?:rm|rmr|rmdir|expunge|truncate|delete\w*|format)$/))
    inspect.phrase(`${program} deletes`);
  else if (
    has(
      /^-(?:put|copyFromLocal|moveFromLocal|moveToLocal|mkdir|mv|cp|ch\w+|set\w+|touch\w*|appendToFile)$/,
    ) ||
    has(/^(?:jar|distcp|job|balancer|namenode|datanode|dfsadmin)$/)
  )
    asksAndSends(`${program} acts outside the sandbox`, inspect);
  else inspect.notes("looks at files of a cluster");
}
