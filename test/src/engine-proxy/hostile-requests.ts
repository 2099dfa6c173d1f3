import { readFileSync } from "node:fs";
import { containerSpec } from "../../../src/workspace/docker/container-spec.ts";
import {
  ATTACH,
  EXEC_START,
  execRequest,
  volumeRequest,
} from "../../../src/workspace/docker/engine-requests.ts";
import { MEASURE, ONE_CALL_SERVERS } from "../../../src/workspace/docker/exec-commands.ts";
import { Names } from "../../../src/workspace/names.ts";
import { WorkspaceSettings } from "../../../src/workspace/settings.ts";
import {
  BOUND_VOLUME,
  CONTAINER,
  CONTAINER_ID,
  EXEC_ID,
  FOREIGN,
  IMAGE_ID,
  INSTANCE,
  OTHER_BOT,
  VOLUME,
  WORKSPACE,
} from "../../support/recording-engine.ts";

const settings = WorkspaceSettings.parse({});
export const seccomp = readFileSync(
  new URL("../../../sandbox-image/seccomp.json", import.meta.url),
  "utf8",
);
export const specInput = { settings, seccomp, imageId: IMAGE_ID, engineCpus: 2 };
export const spec = containerSpec(specInput, new Names(INSTANCE), WORKSPACE);
export const golden = JSON.stringify(spec);
const NAMED = `name=${CONTAINER}`;
export const CREATE = `/containers/create?${NAMED}`;
export const OWN_LABEL = encodeURIComponent(`{"label":["deckhand.instance=${INSTANCE}"]}`);
export const ATTACH_QUERY = "stream=true&stdin=true&stdout=true&stderr=true&hijack=true";
export const ATTACH_REQUEST = `POST /containers/${CONTAINER}/attach?${ATTACH_QUERY}`;
export const UPGRADE = "Connection: Upgrade\r\nUpgrade: tcp\r\n";
export const rootExec = JSON.stringify(execRequest(ONE_CALL_SERVERS.root));
export const attachBody = JSON.stringify(ATTACH);
export const startBody = JSON.stringify(EXEC_START);
const volumeBody = JSON.stringify(volumeRequest(VOLUME, new Names(INSTANCE).labels(WORKSPACE)));

/** One request as it goes over the wire. */
export function raw(line: string, body = "", headers = ""): string {
  const length = body === "" ? "" : `Content-Length: ${Buffer.byteLength(body)}\r\n`;
  const type = body === "" ? "" : "Content-Type: application/json\r\n";
  return `${line} HTTP/1.1\r\nHost: localhost\r\n${type}${length}${headers}\r\n${body}`;
}

export function chunked(line: string, body: string): string {
  const bytes = Buffer.byteLength(body).toString(16);
  return `${line} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${bytes}\r\n${body}\r\n0\r\n\r\n`;
}

export type Row = readonly [title: string, request: string];

/** What the bot itself sends, and what the engine is then sent. */
export const ADMITTED: readonly (readonly [...Row, status: number, sent: string])[] = [
  ["a sign of life", raw("GET /_ping"), 200, "GET /_ping"],
  ["the host's processors", raw("GET /info"), 200, "GET /info"],
  ["the image", raw("GET /images/deckhand-sandbox/json"), 200, "GET /images/deckhand-sandbox/json"],
  [
    "its containers",
    raw(`GET /containers/json?all=true&filters=${OWN_LABEL}`),
    200,
    `GET /containers/json?all=true&filters=${OWN_LABEL}`,
  ],
  [
    "its volumes",
    raw(`GET /volumes?filters=${OWN_LABEL}`),
    200,
    `GET /volumes?filters=${OWN_LABEL}`,
  ],
  ["a volume", raw("POST /volumes/create", volumeBody), 201, `POST /volumes/create ${volumeBody}`],
  ["a workspace", raw(`POST ${CREATE}`, golden), 201, `POST ${CREATE} ${golden}`],
  [
    "a look at one",
    raw(`GET /containers/${CONTAINER}/json`),
    200,
    `GET /containers/${CONTAINER}/json`,
  ],
  ...["start", "stop", "kill", "unpause"].map(
    (verb) =>
      [
        verb,
        raw(`POST /containers/${CONTAINER}/${verb}`),
        204,
        `POST /containers/${CONTAINER_ID}/${verb}`,
      ] as const,
  ),
  [
    "a rename",
    raw(`POST /containers/${CONTAINER}/rename?name=deckhand-${INSTANCE}-pool-${WORKSPACE}`),
    204,
    `POST /containers/${CONTAINER_ID}/rename?name=deckhand-${INSTANCE}-pool-${WORKSPACE}`,
  ],
  [
    "its end",
    raw(`DELETE /containers/${CONTAINER}?force=true`),
    204,
    `DELETE /containers/${CONTAINER_ID}?force=true`,
  ],
  ["the end of a volume", raw(`DELETE /volumes/${VOLUME}`), 204, `DELETE /volumes/${VOLUME}`],
  [
    "the channel",
    raw(`POST /containers/${CONTAINER}/attach?${ATTACH_QUERY}`, attachBody, UPGRADE),
    101,
    `POST /containers/${CONTAINER_ID}/attach?stream=1&stdin=1&stdout=1&stderr=1`,
  ],
  [
    "a one-call server",
    raw(`POST /containers/${CONTAINER}/exec`, rootExec),
    201,
    `POST /containers/${CONTAINER_ID}/exec ${rootExec}`,
  ],
  [
    "its start",
    raw(`POST /exec/${EXEC_ID}/start`, startBody, UPGRADE),
    101,
    `POST /exec/${EXEC_ID}/start {"Detach":false,"Tty":false}`,
  ],
  ["what became of it", raw(`GET /exec/${EXEC_ID}/json`), 200, `GET /exec/${EXEC_ID}/json`],
];

export function create(body: string): string {
  return raw(`POST ${CREATE}`, body);
}

/** The golden spec with one thing more or other in its HostConfig. */
export function withHost(change: object): string {
  return create(JSON.stringify({ ...spec, HostConfig: { ...spec.HostConfig, ...change } }));
}

function withSpec(change: object): string {
  return create(JSON.stringify({ ...spec, ...change }));
}

export function inText(from: string, to: string): string {
  if (!golden.includes(from)) throw new Error(`The golden spec has no ${from}.`);
  return create(golden.replace(from, to));
}

export function exec(change: object): string {
  const body = JSON.stringify({ ...execRequest(ONE_CALL_SERVERS.root), ...change });
  return raw(`POST /containers/${CONTAINER}/exec`, body);
}

const root = execRequest(ONE_CALL_SERVERS.root);
const mount = { Type: "bind", Source: "/", Target: "/host", ReadOnly: false };
const { VolumeOptions } = spec.HostConfig.Mounts[0] ?? {};

/** What a bot that was taken over, or something behind it, could try. */
export const HOSTILE: readonly Row[] = [
  // Spelling of keys: Go's decoder takes any case, and the last of two.
  ["hostconfig in small letters", inText('"HostConfig":{', '"hostconfig":{')],
  ["HOSTCONFIG beside HostConfig", inText('{"Image"', '{"HOSTCONFIG":{"Privileged":true},"Image"')],
  [
    "hostconfig.Privileged beside it",
    inText('{"Image"', '{"hostconfig":{"Privileged":true},"Image"'),
  ],
  ["privileged in small letters", inText('"Privileged":false', '"privileged":true')],
  [
    "both spellings of Privileged",
    inText('"Privileged":false', '"Privileged":false,"privileged":true'),
  ],
  [
    "Privileged twice, true last",
    inText('"Privileged":false', '"Privileged":false,"Privileged":true'),
  ],
  [
    "Privileged twice, true first",
    inText('"Privileged":false', '"Privileged":true,"Privileged":false'),
  ],
  ["HostConfig twice", inText('"HostConfig":', '"HostConfig":{"Binds":["/:/h"]},"HostConfig":')],
  ["Privileged with an escaped letter", inText('"Privileged":false', '"\\u0050rivileged":true')],
  ["an escaped letter that changes nothing", inText('"Privileged"', '"\\u0050rivileged"')],
  ["K as the Kelvin sign", inText('"NetworkMode":"none"', '"Networ\u212aMode":"host"')],
  ["long s in a key", inText('{"Image"', '{"HoſtConfig":{"Privileged":true},"Image"')],
  ["blanks between tokens", create(JSON.stringify(spec, undefined, 1))],
  [
    "another order of keys",
    create(JSON.stringify(Object.fromEntries(Object.entries(spec).reverse()))),
  ],
  ["two values one after the other", create(`${golden}{"HostConfig":{"Privileged":true}}`)],
  ["a byte order mark", create(`\ufeff${golden}`)],
  ["a NUL at the end", create(`${golden}\0`)],
  ["a number in another form", inText('"StopTimeout":2', '"StopTimeout":2.0')],
  ["__proto__", inText('{"Image"', '{"__proto__":{"Privileged":true},"Image"')],
  ["an array for a body", create(`[${golden}]`)],
  ["no body", raw(`POST ${CREATE}`)],
  ["null", create("null")],

  // Creates that are not the golden spec.
  ["Privileged", withHost({ Privileged: true })],
  ["a bind of the host's root", withHost({ Binds: ["/:/host"] })],
  ["a bind of the engine's socket", withHost({ Binds: ["/var/run/docker.sock:/s"] })],
  ["a bind mount", withHost({ Mounts: [...spec.HostConfig.Mounts, mount] })],
  ["a bind mount instead", withHost({ Mounts: [mount] })],
  ["no mounts", withHost({ Mounts: [] })],
  [
    "a volume with a driver of its own",
    withHost({
      Mounts: spec.HostConfig.Mounts.map((one) => ({
        ...one,
        VolumeOptions: {
          ...VolumeOptions,
          DriverConfig: { Name: "local", Options: { type: "none", o: "bind", device: "/" } },
        },
      })),
    }),
  ],
  ["another workspace's volume", inText(VOLUME, VOLUME.replace(WORKSPACE, "1111111111111111"))],
  ["volumes of another container", withHost({ VolumesFrom: [FOREIGN] })],
  ["the host's network", withHost({ NetworkMode: "host" })],
  ["another container's network", withHost({ NetworkMode: `container:${FOREIGN}` })],
  ["the host's processes", withHost({ PidMode: "host" })],
  ["the host's IPC", withHost({ IpcMode: "host" })],
  ["the host's users", withHost({ UsernsMode: "host" })],
  ["the host's cgroups", withHost({ CgroupnsMode: "host", CgroupParent: "/" })],
  ["one capability more", withHost({ CapAdd: [...spec.HostConfig.CapAdd, "SYS_ADMIN"] })],
  ["no capability dropped", withHost({ CapDrop: [] })],
  ["no seccomp", withHost({ SecurityOpt: ["no-new-privileges", "seccomp=unconfined"] })],
  [
    "no apparmor",
    withHost({ SecurityOpt: [...spec.HostConfig.SecurityOpt, "apparmor=unconfined"] }),
  ],
  ["a device", withHost({ Devices: [{ PathOnHost: "/dev/sda", PathInContainer: "/d" }] })],
  ["device rules", withHost({ DeviceCgroupRules: ["a *:* rwm"] })],
  ["another runtime", withHost({ Runtime: "io.containerd.runc.v2" })],
  ["sysctls", withHost({ Sysctls: { "kernel.core_pattern": "|/x" } })],
  ["visible /proc", withHost({ MaskedPaths: [], ReadonlyPaths: [] })],
  ["more memory", withHost({ Memory: 0, MemorySwap: -1 })],
  ["more processes", withHost({ PidsLimit: -1 })],
  ["a published port", withHost({ PortBindings: { "80/tcp": [{ HostPort: "80" }] } })],
  ["a log driver that writes elsewhere", withHost({ LogConfig: { Type: "syslog", Config: {} } })],
  ["a restart policy", withHost({ RestartPolicy: { Name: "always" } })],
  ["another entry point", withSpec({ Entrypoint: ["/bin/sh"] })],
  ["another command", withSpec({ Cmd: ["sh", "-c", "id"] })],
  ["an environment", withSpec({ Env: ["LD_PRELOAD=/workspace/x.so"] })],
  ["another health check", withSpec({ Healthcheck: { Test: ["CMD-SHELL", "id"] } })],
  ["another image by name", withSpec({ Image: "debian" })],
  ["another image by its id", withSpec({ Image: `sha256:${"c".repeat(64)}` })],
  ["no labels", withSpec({ Labels: {} })],
  [
    "another bot's label",
    inText(`"deckhand.instance":"${INSTANCE}"`, '"deckhand.instance":"0123456789ab"'),
  ],
  ["a network on the side", withSpec({ NetworkingConfig: { EndpointsConfig: { bridge: {} } } })],
  ["another name", raw("POST /containers/create?name=backup", golden)],
  ["another bot's name", raw(`POST /containers/create?name=${OTHER_BOT}`, golden)],
  ["no name", raw("POST /containers/create", golden)],
  ["two names", raw(`POST ${CREATE}&name=backup`, golden)],
  ["Name for name", raw(`POST /containers/create?Name=${CONTAINER}`, golden)],
  ["a platform", raw(`POST ${CREATE}&platform=linux%2Farm64`, golden)],
  ["the spec in the query", raw(`POST ${CREATE}&HostConfig=%7B%22Privileged%22%3Atrue%7D`, golden)],
  [
    "a workspace whose volume leads to the host",
    create(
      JSON.stringify(
        containerSpec(specInput, new Names(INSTANCE), BOUND_VOLUME.split("-")[2] ?? ""),
      ),
    ),
  ],

  // How a request is framed.
  ["a chunked body", chunked(`POST ${CREATE}`, golden)],
  ["a chunked body for a start", chunked(`POST /containers/${CONTAINER}/start`, "{}")],
  [
    "both a length and chunks",
    `POST ${CREATE} HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ],
  [
    "a hidden transfer encoding",
    `POST ${CREATE} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n`,
  ],
  [
    "two lengths",
    `POST ${CREATE} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: ${golden.length}\r\n\r\n${golden}`,
  ],
  [
    "a folded header",
    `GET /info HTTP/1.1\r\nHost: x\r\nX: a\r\n Transfer-Encoding: chunked\r\n\r\n`,
  ],
  ["line feeds alone", "GET /info HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\n\n"],
  ["two hosts", "GET /info HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"],
  ["a request to wait for", raw(`POST ${CREATE}`, golden, "Expect: 100-continue\r\n")],
  ["an old protocol", "GET /info HTTP/1.0\r\nHost: x\r\n\r\n"],
  ["HTTP/2 from the start", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ["a body where none belongs", raw(`POST /containers/${CONTAINER}/start`, "{}")],
  ["a body with a look", raw("GET /info", "{}")],
  ["a body longer than any", raw(`POST ${CREATE}`, " ".repeat(300_000))],
  ["trailers announced", raw("GET /info", "", "Trailer: X\r\n")],

  // Paths.
  ["a known version", raw("GET /v1.41/info")],
  ["an unknown version", raw("GET /v9.99/info")],
  ["a version before a create", raw(`POST /v1.24${CREATE}`, golden)],
  ["an encoded slash", raw(`POST /containers/${CONTAINER}%2fstart`)],
  ["an encoded letter", raw("GET /inf%6f")],
  ["a way up", raw(`GET /containers/${CONTAINER}/../${FOREIGN}/json`)],
  ["an encoded way up", raw(`GET /containers/%2e%2e/images/json`)],
  ["two slashes", raw(`POST //containers/${CONTAINER}/start`)],
  ["a slash at the end", raw(`POST /containers/${CONTAINER}/start/`)],
  ["a path in capitals", raw("GET /INFO")],
  ["a whole address", raw("GET http://localhost/info")],
  ["a fragment", raw(`POST /containers/${CONTAINER}/start#x`)],
  ["a second question mark", raw("GET /volumes?filters=%7B%7D?x")],
  ["a semicolon", raw(`POST /containers/${CONTAINER}/start;x`)],
  ["another method for a path", raw(`PUT /containers/${CONTAINER}/start`)],
  ["a method in small letters", raw(`post /containers/${CONTAINER}/start`)],
  ["a tunnel", "CONNECT localhost:22 HTTP/1.1\r\nHost: localhost:22\r\n\r\n"],

  // Containers and volumes of others.
  ["a look at another's container", raw(`GET /containers/${FOREIGN}/json`)],
  ["a stop of another's container", raw(`POST /containers/${FOREIGN}/stop`)],
  ["the end of another's container", raw(`DELETE /containers/${FOREIGN}?force=true`)],
  ["another's container renamed to ours", raw(`POST /containers/${FOREIGN}/rename?${NAMED}`)],
  ["an exec in another's container", raw(`POST /containers/${FOREIGN}/exec`, rootExec)],
  [
    "an attach to another's container",
    raw(`POST /containers/${FOREIGN}/attach?${ATTACH_QUERY}`, attachBody, UPGRADE),
  ],
  ["another bot's container", raw(`POST /containers/${OTHER_BOT}/start`)],
  [
    "another bot's list",
    raw(`GET /containers/json?all=true&filters=${OWN_LABEL.replace(INSTANCE, "0123456789ab")}`),
  ],
  ["all containers", raw("GET /containers/json?all=true&filters=%7B%7D")],
  ["all containers without a filter", raw("GET /containers/json?all=true")],
  ["all volumes", raw("GET /volumes")],
  ["another's volume", raw("GET /volumes/database")],
  ["the end of another's volume", raw("DELETE /volumes/database")],
  ["a volume that leads to the host", raw(`GET /volumes/${BOUND_VOLUME}`)],
  [
    "a new volume that leads to the host",
    raw(
      "POST /volumes/create",
      volumeBody.replace(/\}$/, ',"DriverOpts":{"type":"none","o":"bind","device":"/"}}'),
    ),
  ],
  [
    "a volume of another driver",
    raw("POST /volumes/create", volumeBody.replace(/\}$/, ',"Driver":"nfs"}')),
  ],
  [
    "a volume in small letters",
    raw("POST /volumes/create", volumeBody.replace(/\}$/, ',"driverOpts":{"device":"/"}}')),
  ],
  ["a volume removed by force", raw(`DELETE /volumes/${VOLUME}?force=true`)],

  // Processes in a container.
  ["a privileged exec", exec({ Privileged: true })],
  ["a privileged exec in small letters", exec({ privileged: true })],
  ["a shell as root", exec({ Cmd: ["sh"] })],
  ["one argument more", exec({ Cmd: [...root.Cmd, "x"] })],
  ["the one-call server with an environment", exec({ Env: ["NODE_OPTIONS=--inspect"] })],
  ["the one-call server elsewhere", exec({ WorkingDir: "/workspace" })],
  ["the one-call server with a terminal", exec({ Tty: true })],
  [
    "the measure as another user",
    raw(
      `POST /containers/${CONTAINER}/exec`,
      JSON.stringify({ ...execRequest(MEASURE), User: "" }),
    ),
  ],
  [
    "an upload as root",
    exec({ Cmd: ["sh", "-c", "tar -x -C /", "upload", "/workspace"], User: "0:0" }),
  ],
  ["keys that detach", exec({ DetachKeys: "a" })],
  ["a start without its stream", raw(`POST /exec/${EXEC_ID}/start`, startBody)],
  ["a detached start", raw(`POST /exec/${EXEC_ID}/start`, '{"Detach":true}', UPGRADE)],
  [
    "a process that was made elsewhere",
    raw(`POST /exec/${"f".repeat(64)}/start`, startBody, UPGRADE),
  ],
  ["a look at such a process", raw(`GET /exec/${"f".repeat(64)}/json`)],
  ["a resize", raw(`POST /exec/${EXEC_ID}/resize?h=1&w=1`)],

  // Streams.
  [
    "an attach without its stream",
    raw(`POST /containers/${CONTAINER}/attach?${ATTACH_QUERY}`, attachBody),
  ],
  [
    "an attach by web socket",
    raw(
      `GET /containers/${CONTAINER}/attach/ws?stream=1`,
      "",
      "Connection: Upgrade\r\nUpgrade: websocket\r\n",
    ),
  ],
  ["an upgrade of a look", raw("GET /info", "", UPGRADE)],
  [
    "an upgrade to HTTP/2",
    raw(
      "GET /info",
      "",
      "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n",
    ),
  ],
  ["an upgrade of a create", raw(`POST ${CREATE}`, golden, UPGRADE)],
  [
    "an attach with logs",
    raw(`POST /containers/${CONTAINER}/attach?${ATTACH_QUERY}&logs=true`, attachBody, UPGRADE),
  ],
  ["BuildKit's session", raw("POST /session", "", "Connection: Upgrade\r\nUpgrade: h2c\r\n")],

  // Everything else that an engine can do.
  ...[
    `PUT /containers/${CONTAINER}/archive?path=%2F`,
    `GET /containers/${CONTAINER}/archive?path=%2Fetc%2Fshadow`,
    `HEAD /containers/${CONTAINER}/archive?path=%2F`,
    `GET /containers/${CONTAINER}/export`,
    `GET /containers/${CONTAINER}/logs?stdout=1`,
    `GET /containers/${CONTAINER}/top`,
    `GET /containers/${CONTAINER}/changes`,
    `GET /containers/${CONTAINER}/stats`,
    `POST /containers/${CONTAINER}/update`,
    `POST /containers/${CONTAINER}/pause`,
    `POST /containers/${CONTAINER}/restart`,
    `POST /containers/${CONTAINER}/wait`,
    `POST /containers/${CONTAINER}/kill?signal=STOP`,
    `POST /containers/${CONTAINER}/start?checkpoint=x&checkpoint-dir=%2F`,
    `POST /containers/${CONTAINER}/checkpoints`,
    `DELETE /containers/${CONTAINER}?v=1&link=1`,
    `DELETE /containers/${CONTAINER}?force=true&force=true`,
    "POST /containers/prune",
    `POST /commit?container=${CONTAINER}&repo=deckhand-sandbox`,
    "POST /build?remote=http%3A%2F%2Fx",
    "POST /build/prune",
    "GET /images/json",
    "GET /images/debian/json",
    "GET /images/deckhand-sandbox/get",
    "POST /images/create?fromImage=debian",
    "POST /images/load",
    "POST /images/debian/tag?repo=deckhand-sandbox",
    "DELETE /images/deckhand-sandbox",
    "POST /images/prune",
    "POST /volumes/prune",
    "GET /networks",
    "POST /networks/create",
    `POST /networks/bridge/connect`,
    "GET /plugins",
    "POST /plugins/pull?remote=x",
    "POST /plugins/x/enable",
    "GET /swarm",
    "POST /swarm/init",
    "POST /swarm/join",
    "GET /nodes",
    "POST /services/create",
    "GET /tasks",
    "POST /secrets/create",
    "GET /configs",
    "GET /events",
    "GET /system/df",
    "GET /version",
    "POST /auth",
    "GET /distribution/debian/json",
    "GET /",
    "OPTIONS *",
    "TRACE /info",
  ].map((line): Row => [line.replace(CONTAINER, "NAME"), raw(line)]),
];
