import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Workspaces } from "../../src/contract/workspace/workspace.ts";
import { createWorkspaces } from "../../src/workspace/workspaces.ts";
import { command, optionsOf, startEngine, type TestEngine } from "../support/engine.ts";
import { startTestProxy } from "../support/engine-proxy.ts";
import { exchange } from "../support/recording-engine.ts";

const fence = 1;

describe("a workspace behind the engine proxy", () => {
  const closes = new AsyncDisposableStack();
  let engine: TestEngine;
  let workspaces: Workspaces;
  let socket: string;
  beforeAll(async () => {
    engine = closes.use(await startEngine());
    const options = optionsOf(engine.dataDir);
    const dockerHost = await startTestProxy(options, closes);
    socket = dockerHost.slice("unix://".length);
    workspaces = await createWorkspaces({
      ...options,
      settings: { ...options.settings, dockerHost },
    });
    closes.defer(() => workspaces.close());
  });
  afterAll(() => closes.disposeAsync());

  it("runs commands, approved calls as root, and goes when it is reset", async () => {
    const workspace = await workspaces.open("t/proxied", { fence });
    expect((await command(workspace, "id -u")).output).toMatch(/^1000/);
    expect((await command(workspace, "id -u", { as: "root" })).output).toMatch(/^0/);
    await workspaces.reset("t/proxied");
    expect(await engine.containers()).toEqual([]);
  });

  it("is the only kind of container that the real engine makes for it", async () => {
    await workspaces.open("t/kept", { fence });
    const [name = ""] = await engine.containers();
    const ours = () => engine.containers();
    const before = await ours();
    const body = JSON.stringify({ Image: "deckhand-sandbox", hostconfig: { privileged: true } });
    const head = `POST /containers/create?name=${name}x HTTP/1.1\r\nHost: x\r\nContent-Type: application/json`;
    const request = `${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    expect(await exchange(socket, request)).toMatch(/^HTTP\/1\.1 403/);
    const exec = '{"Cmd":["sh"],"User":"0:0","privileged":true}';
    const execHead = `POST /containers/${name}/exec HTTP/1.1\r\nHost: x\r\nContent-Type: application/json`;
    const execRequest = `${execHead}\r\nContent-Length: ${exec.length}\r\n\r\n${exec}`;
    expect(await exchange(socket, execRequest)).toMatch(/^HTTP\/1\.1 403/);
    expect(await ours()).toEqual(before);
  });
});
