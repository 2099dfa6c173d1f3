import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startProxy } from "../../../src/engine-proxy/proxy.ts";
import { readProxySettings } from "../../../src/engine-proxy/settings.ts";
import { Engine } from "../../../src/workspace/docker/docker.ts";
import {
  MEASURE,
  ONE_CALL_SERVERS,
  pack,
  unpackInto,
} from "../../../src/workspace/docker/exec-commands.ts";
import { INSTANCE_LABEL, Names } from "../../../src/workspace/names.ts";
import {
  CONTAINER,
  EXEC_ID,
  INSTANCE,
  RecordingEngine,
  VOLUME,
  WORKSPACE,
} from "../../support/recording-engine.ts";
import { seccomp, spec } from "./hostile-requests.ts";

const LABEL = `${INSTANCE_LABEL}=${INSTANCE}`;
const POOLED = `deckhand-${INSTANCE}-pool-${WORKSPACE}`;
const EXECS = [
  ...Object.values(ONE_CALL_SERVERS),
  MEASURE,
  unpackInto("/workspace"),
  pack("/", "x"),
];

/** Every request of the bot's own client, with what it makes of the engine's answer. */
const REQUESTS = {
  host: [(engine) => engine.host(), { cpus: 2 }],
  imageId: [(engine) => engine.imageId("deckhand-sandbox"), expect.stringMatching(/^sha256:/)],
  create: [(engine) => engine.create(CONTAINER, spec), "created"],
  start: [(engine) => engine.start(CONTAINER), "started"],
  stop: [(engine) => engine.stop(CONTAINER), "stopped"],
  kill: [(engine) => engine.kill(CONTAINER), "killed"],
  unpause: [(engine) => engine.unpause(CONTAINER), "unpaused"],
  rename: [(engine) => engine.rename(CONTAINER, POOLED), "renamed"],
  remove: [(engine) => engine.remove(CONTAINER), "removed"],
  inspect: [(engine) => engine.inspect(CONTAINER), { status: "running" }],
  containers: [(engine) => engine.containers(LABEL), []],
  volumes: [(engine) => engine.volumes(LABEL), []],
  createVolume: [
    (engine) => engine.createVolume(VOLUME, new Names(INSTANCE).labels(WORKSPACE)),
    undefined,
  ],
  mountpoint: [(engine) => engine.mountpoint(VOLUME), "/var/lib/docker/volumes/x/_data"],
  removeVolume: [(engine) => engine.removeVolume(VOLUME), "removed"],
  attach: [(engine) => engine.attach(CONTAINER), { destroyed: false }],
  exec: [
    async (engine) => {
      for (const command of EXECS) await engine.exec(CONTAINER, command);
      return engine.exec(CONTAINER, MEASURE);
    },
    { id: EXEC_ID },
  ],
  exitCode: [(engine) => engine.exitCode(EXEC_ID), 0],
} satisfies Record<keyof Engine, readonly [(engine: Engine) => Promise<unknown>, unknown]>;

let recording: RecordingEngine;
let proxy: AsyncDisposable;
let engine: Engine;
const log: string[] = [];
beforeAll(async () => {
  recording = await RecordingEngine.start();
  const socket = `${recording.directory}/proxy.sock`;
  const env = { ENGINE_SOCKET: recording.socketPath, ENGINE_PROXY_SOCKET: socket };
  proxy = await startProxy({
    settings: readProxySettings(env),
    seccomp,
    log: (_, message, fields) => log.push(`${message} ${JSON.stringify(fields)}`),
  });
  engine = new Engine({ dockerHost: `unix://${socket}` });
});
afterAll(async () => {
  await proxy[Symbol.asyncDispose]();
  await recording[Symbol.asyncDispose]();
});

describe("the engine proxy and the bot's own client", () => {
  it.each(Object.entries(REQUESTS))("understand each other about %s", async (_, [ask, made]) => {
    const answer = await ask(engine);
    if (typeof made === "object" && made !== null && !Array.isArray(made)) {
      expect(answer).toMatchObject(made);
    } else expect(answer).toEqual(made);
    expect(log).toEqual([]);
  });

  it("see in an engine that is away what the bot sees without a proxy: it waits for it", async () => {
    const socket = `${recording.directory}/second.sock`;
    await using second = await startProxy({
      settings: readProxySettings({
        ENGINE_SOCKET: `${recording.directory}/gone.sock`,
        ENGINE_PROXY_SOCKET: socket,
      }),
      seccomp,
      log: () => undefined,
    });
    expect(second).toBeDefined();
    const behind = new Engine({ dockerHost: `unix://${socket}` });
    for (const ask of [() => behind.inspect(CONTAINER), () => behind.attach(CONTAINER)]) {
      await expect(ask()).rejects.toMatchObject({
        trouble: "away",
        message: expect.stringMatching(/^Docker cannot be reached at .*does not answer.*doctor/),
      });
    }
  });
});
