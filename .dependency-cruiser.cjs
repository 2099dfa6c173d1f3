// The import rules of this repository. AGENTS.md draws them as one arrow.

/** Code of `folder` may import itself and the named folders of src, nothing else of ours. */
const layer = (folder, may) => ({
  name: `${folder.replace(/\//g, "-")}-imports-only-${may.join("-") || "itself"}`,
  severity: "error",
  from: { path: `^${folder}/` },
  to: {
    path: "^(src|adapters|sandbox-image|scripts)/",
    pathNot: [`^${folder}/`, ...may.map((name) => `^src/${name}/`)],
  },
});

/** The npm packages matched by `packages` are imported below `homes` and in tests only. */
const staysIn = (packages, homes) => ({
  name: `${packages.replace(/[^a-z]+/g, "-").replace(/^-|-$/g, "")}-stays-in-its-folder`,
  severity: "error",
  from: { path: "^(src|adapters|sandbox-image)/", pathNot: `^(${homes})/` },
  to: { path: `(^|/)node_modules/(${packages})(/|$)` },
});

const leaves = [
  "agent",
  "audit",
  "authorization",
  "composer",
  "events",
  "health",
  "mcp",
  "memory",
  "redaction",
  "reply",
  "store",
  "tools",
  "workspace",
];

module.exports = {
  forbidden: [
    {
      name: "no-cycles",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "every-import-resolves",
      severity: "error",
      from: {},
      to: { couldNotResolve: true },
    },

    layer("src/lib", []),
    layer("src/contract", ["lib"]),
    layer("src/journal", ["contract", "lib"]),
    ...leaves.map((folder) => layer(`src/${folder}`, ["contract", "lib", "journal"])),
    layer("src/engine-proxy", ["contract", "lib", "workspace"]),
    layer("src/conversation", ["contract", "lib", "journal", "agent", "reply"]),
    layer("src/intake", ["contract", "lib", "journal", "conversation"]),
    layer("adapters", ["contract", "lib"]),
    layer("sandbox-image/server", ["contract", "lib"]),
    {
      name: "config-imports-only-settings-contract-and-lib",
      severity: "error",
      from: { path: "^src/config\\.ts$" },
      to: {
        path: "^(src|adapters|sandbox-image|scripts)/",
        pathNot:
          "^(src/((contract|lib)/|[^/]+/settings\\.ts$)|adapters/(platforms|[^/]+/config)\\.ts$)",
      },
    },
    {
      name: "only-main-imports-app",
      severity: "error",
      from: { path: "^(src|adapters)/", pathNot: "^src/main\\.ts$" },
      to: { path: "^src/(app|main)\\.ts$" },
    },
    {
      name: "engine-proxy-is-a-program-of-its-own",
      severity: "error",
      from: { path: "^(src|adapters)/", pathNot: "^src/engine-proxy/" },
      to: { path: "^src/engine-proxy/" },
    },
    {
      name: "adapters-do-not-know-each-other",
      severity: "error",
      from: { path: "^adapters/([^/]+)/" },
      to: { path: "^adapters/([^/]+)/", pathNot: "^adapters/($1|shared)/" },
    },
    {
      name: "core-does-not-know-what-adapters-share",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^adapters/shared/" },
    },
    {
      name: "only-app-imports-adapters",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/(app\\.ts|app/.*|config\\.ts)$" },
      to: { path: "^adapters/" },
    },
    {
      name: "only-app-imports-its-parts",
      severity: "error",
      from: { path: "^(src|adapters)/", pathNot: "^src/(app\\.ts$|app/)" },
      to: { path: "^src/app/" },
    },
    {
      name: "shipped-code-never-imports-tests",
      severity: "error",
      from: {
        path: "^(src|adapters|sandbox-image|scripts)/",
        pathNot: "^scripts/(bench/|chaos|walk|pictures)",
      },
      to: { path: "^test/" },
    },
    {
      name: "shipped-code-never-imports-scripts",
      severity: "error",
      from: { path: "^(src|adapters|sandbox-image)/" },
      to: { path: "^scripts/" },
    },
    {
      name: "setup-needs-no-packages",
      severity: "error",
      from: { path: "^scripts/.*\\.mjs$" },
      to: { path: "node_modules" },
    },

    staysIn("dockerode", "src/workspace/docker"),
    staysIn("node-pty|@lydell/[^/]+", "sandbox-image/server"),
    staysIn("@modelcontextprotocol", "src/mcp|src/workspace|sandbox-image/server"),
    staysIn("keyv|@keyv", "src/store"),
    staysIn("@secretlint", "src/redaction"),
    staysIn("web-tree-sitter|tree-sitter-bash", "src/authorization"),
    staysIn("openai", "src/agent"),
    staysIn("@slack|discord\\.js|@discordjs", "adapters"),
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    doNotFollow: { path: "node_modules" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node"] },
  },
};
