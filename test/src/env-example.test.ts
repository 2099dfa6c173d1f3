import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { PLATFORMS } from "../../adapters/platforms.ts";
import { WebConfig } from "../../adapters/web/config.ts";
import { SETTINGS } from "../../src/config.ts";
import { PROXY_ENV } from "../../src/engine-proxy/settings.ts";

const file = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), "utf8");

interface Schema {
  readonly def: {
    readonly type: string;
    readonly in?: Schema;
    readonly innerType?: Schema;
    readonly shape?: Readonly<Record<string, unknown>>;
  };
}

/** The names of what a schema reads, before it makes something else of them. */
function namesOf(schema: unknown): string[] {
  const { shape, in: input, innerType } = (schema as Schema).def;
  if (shape) return Object.keys(shape);
  const inner = input ?? innerType;
  if (!inner) throw new Error("This schema reads no object.");
  return namesOf(inner);
}

/** Read by docker-compose.yml alone. */
const COMPOSE_ONLY = [
  "COMPOSE_PROFILES",
  "DECKHAND_IMAGE",
  "DECKHAND_BASE",
  "DECKHAND_ENV_FILE",
  "REDIS_IMAGE",
];
/** What compose itself decides. */
const SET_BY_COMPOSE = [
  "DOCKER_HOST",
  "DECKHAND_DATA_DIR",
  "WEB_HOST",
  "HEALTH_PORT",
  "ENGINE_PROXY_SOCKET",
];

describe(".env.example", () => {
  const listed = [...file(".env.example").matchAll(/^#? ?([A-Z][A-Z0-9_]+)=/gm)].map(
    ([, name]) => name ?? "",
  );

  it("lists every setting once, and nothing else", () => {
    const known = [
      ...Object.keys(SETTINGS),
      ...namesOf(WebConfig),
      ...PLATFORMS.flatMap(({ settings }) => Object.keys(settings)),
      ...Object.keys(PROXY_ENV),
      ...COMPOSE_ONLY,
    ];
    expect([...listed].sort()).toEqual([...new Set(known)].sort());
  });

  it("sets nothing but examples that are commented out", () => {
    expect(file(".env.example")).not.toMatch(/^[A-Z]/m);
  });

  it("lists every variable that docker-compose.yml reads", () => {
    const read = [...file("docker-compose.yml").matchAll(/\$\{([A-Z_]+)/g)].map(
      ([, name]) => name ?? "",
    );
    expect(read.filter((name) => !listed.includes(name))).toEqual([]);
  });
});

describe("docker-compose.yml", () => {
  const { services } = parse(file("docker-compose.yml"), { merge: true });

  it.each(["bot", "engine-proxy"])("gives %s a read-only system and no right", (name) => {
    expect(services[name]).toMatchObject({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
    });
    expect(services[name].privileged).toBeUndefined();
  });

  it("shows the engine to the proxy alone, which has no network", () => {
    const mounted = Object.entries(services).flatMap(([name, { volumes = [] }]: [string, any]) =>
      JSON.stringify(volumes).includes("docker.sock") ? [name] : [],
    );
    expect(mounted).toEqual(["engine-proxy"]);
    // The short form would make a directory of a path that is wrong.
    expect(services["engine-proxy"].volumes).toContainEqual(
      expect.objectContaining({ type: "bind", target: "/var/run/docker.sock" }),
    );
    expect(services["engine-proxy"].network_mode).toBe("none");
    expect(services["engine-proxy"].env_file).toBeUndefined();
  });

  it("hands the proxy every setting that makes a workspace's container or bounds their number", () => {
    const passed = Object.keys(services["engine-proxy"].environment);
    for (const name of ["IMAGE", "RUNTIME", "MEMORY_MB", "TMP_MB", "CPUS", "PIDS", "CAP", "POOL"])
      expect(passed).toContain(`WORKSPACE_${name}`);
  });

  it("sets what .env must not change", () => {
    const own = { ...services.bot.environment, ...services["engine-proxy"].environment };
    expect(Object.keys(own)).toEqual(expect.arrayContaining(SET_BY_COMPOSE));
  });
});

describe("the Dockerfile", () => {
  it("declares no volume, which compose would leave behind without a name", () => {
    expect(file("Dockerfile")).not.toMatch(/^VOLUME/m);
  });
});

describe("deploy/deckhand.service", () => {
  /** Each of them makes the mounts of the service its own: the engine would not see the disks of workspaces. */
  const OWN_MOUNTS =
    /^(Protect\w+|Private\w+|(ReadOnly|ReadWrite|Inaccessible|Exec|NoExec)Paths|Bind\w+|TemporaryFileSystem|Root\w+|MountFlags|DynamicUser)=/gm;

  it("leaves the mounts of the bot to be seen by the engine", () => {
    expect(file("deploy/deckhand.service").match(OWN_MOUNTS)).toBeNull();
  });

  it.runIf(existsSync("/usr/bin/systemd-analyze"))("is a unit that systemd understands", () => {
    const directory = mkdtempSync(join(tmpdir(), "deckhand-unit-"));
    const unit = join(directory, "deckhand.service");
    const here = file("deploy/deckhand.service").replace(/^ExecStart=\S+/m, "ExecStart=/bin/true");
    writeFileSync(unit, here.replaceAll("docker.service", ""));
    const ran = spawnSync("systemd-analyze", ["verify", "--man=no", unit], { encoding: "utf8" });
    rmSync(directory, { recursive: true });
    expect(ran.stderr + ran.stdout).toBe("");
    expect(ran.status).toBe(0);
  });
});
