import { hasOption, valuesOfOption } from "../options.ts";
import { type Call, each, type Inspector, type Rule, type Rules } from "../rule.ts";
import { readable } from "../word.ts";
import { orFetches } from "./fetched-copies.ts";
import { isDryRun, outward, scalesToZero } from "./outward.ts";

/** Containers and virtual machines of this machine, which may have all of its files. */
const machines = outward({
  reads:
    "list ls ps info show showvminfo status version get dominfo domstate dumpxml images image logs find networks net-list " +
    "vol-list pool-list nodeinfo capabilities help",
  ends: ["delete", "undefine", "destroy", "purge", "unregistervm", "closemedium", "rm"],
});

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
    "buildx du",
    "buildx inspect",
    "scout cves",
    "scout quickview",
    "sbom",
    "context show",
    "context inspect",
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
    "auth whoami",
    "whoami",
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
    // Plugins that only look
    "krew list",
    "krew search",
    "krew info",
    "krew version",
    "neat",
    "tree",
    "who-can",
    "access-matrix",
    "resource-capacity",
    "view-allocations",
    "view-utilization",
    "outdated",
    "lineage",
    "get-all",
  ],
  works: [
    "krew",
    "ns",
    "ctx",
    "kustomize",
    "config use-context",
    "config set-context",
    "completion",
  ],
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

const composeVerbs = outward({
  reads: "ps logs config images ls top version port",
  works: "build pull",
  publishes: "push",
  valued: "fp",
  valuedLong: ["file", "project-name", "env-file", "profile"],
});

/** Containers on an engine and in a cluster. */
export const containers: Rules = {
  ...each("docker podman nerdctl", orFetches(compose(docker))),
  "docker-compose": composes,
  ...each("lxc incus multipass virsh machinectl VBoxManage vboxmanage prlctl", machines),
  // Nearly everyone calls kubectl `k`.
  ...each("kubectl oc k kubecolor minikube-kubectl", (call, inspect) => {
    kubectl(call, inspect);
    clusterExtras(call, inspect);
  }),
};

function composes(call: Call, inspect: Inspector): void {
  composeVerbs(call, inspect);
  const goesDown = call.args.some(({ shape }) => shape === "down");
  if (goesDown && hasOption(call.args, { short: "v", long: "volumes" }))
    inspect.phrase("deletes the data of services");
}

function compose(rule: Rule): Rule {
  return (call, inspect) => {
    const at = call.args.findIndex(({ shape }) => shape === "compose");
    if (at === 0) composes({ ...call, args: call.args.slice(1) }, inspect);
    else rule(call, inspect);
    const words = call.args.map(({ shape }) => readable(shape));
    if (words.includes("prune") && words.some((word) => /^(?:--)?volumes?$/.test(word)))
      inspect.phrase("deletes the data of containers");
    const outputs = valuesOfOption(call.args, { short: "o", long: "output" });
    const pushes =
      hasOption(call.args, { long: "push" }) ||
      outputs.some(({ shape }) => /type=registry|push=true/.test(shape));
    if (pushes && /^(?:buildx|build)$/.test(call.args[0]?.shape ?? ""))
      inspect.phrase("publishes an image");
  };
}

/** `--raw PATH` reads anything, and `config view --raw` shows credentials; questions about health and load do not. */
function readsRaw(texts: readonly string[]): boolean {
  const at = texts.indexOf("--raw");
  return at >= 0 && !TELLS_STATE.test(texts[at + 1] ?? "");
}

const TELLS_STATE =
  /^\/(?:(?:healthz|readyz|livez|metrics|version)\b|apis\/metrics\.k8s\.io\/|apis(?:\/[^/]+){0,2}\/?$)/;

/** What kubectl can do beyond its verbs. */
function clusterExtras({ args, input }: Call, inspect: Inspector): void {
  const texts = args.map(({ shape }) => readable(shape));
  if (texts.some((text) => /^(?:.*,)?secrets?(?:$|[/,.])/.test(text)) || readsRaw(texts))
    inspect.credentials("reads or uses credentials");
  if (texts.includes("token")) inspect.credentials("makes a token");
  if (args.some(isDryRun) || /^(?:get|describe)$/.test(args[0]?.shape ?? "")) return;
  if (scalesToZero([...args, ...(input.text ? [input.text] : [])]))
    inspect.phrase("scales to zero");
  if (texts.some((text) => /^--prune(?:$|=true$)/.test(text)))
    inspect.phrase("deletes everything that is not in the files");
  if (texts.some((text) => /"?finalizers"?\s*:\s*(?:null|\[\s*\])/.test(text)))
    inspect.phrase("deletes without a grace period");
  if (texts.includes("replace") && texts.includes("--force"))
    inspect.phrase("deletes and recreates a resource");
}
