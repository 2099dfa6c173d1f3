import { ATTACH, EXEC_START, execRequest } from "../../workspace/docker/engine-requests.ts";
import { ownExec } from "../../workspace/docker/exec-commands.ts";
import type { EngineAnswer } from "../engine-client.ts";
import { RefusedError } from "../request.ts";
import { containerPath, ownContainer } from "./containers.ts";
import {
  checkBody,
  narrowAnswer,
  type Outcome,
  pickFields,
  type Route,
  type RouteParts,
  type RouteRequest,
} from "./route.ts";

const ATTACH_QUERY = Object.fromEntries(Object.keys(ATTACH).map((name) => [name, "true"]));

/** The channel to a workspace's server, and the processes that are started beside it. */
export const PROCESS_ROUTES: readonly Route[] = [
  {
    method: "POST",
    path: containerPath("/attach"),
    query: ATTACH_QUERY,
    hasBody: true,
    isUpgrade: true,
    run: attach,
  },
  { method: "POST", path: containerPath("/exec"), hasBody: true, run: createExec },
  {
    method: "POST",
    path: /^\/exec\/([0-9a-f]{64})\/start$/,
    hasBody: true,
    isUpgrade: true,
    run: startExec,
  },
  { method: "GET", path: /^\/exec\/([0-9a-f]{64})\/json$/, run: describeExec },
];

async function attach({ target, body }: RouteRequest, parts: RouteParts): Promise<Outcome> {
  checkBody(body, ATTACH);
  const { Id } = await ownContainer(target, parts);
  const query = { stream: "1", stdin: "1", stdout: "1", stderr: "1" };
  return parts.engine.open({ method: "POST", path: `/containers/${Id}/attach`, query });
}

async function createExec(
  { target, body }: RouteRequest,
  parts: RouteParts,
): Promise<EngineAnswer> {
  const command = ownExec(commandIn(body));
  if (!command) throw new RefusedError("This exec is not in the list of allowed processes.");
  const exec = execRequest(command);
  checkBody(body, exec);
  const { Id } = await ownContainer(target, parts);
  const path = `/containers/${Id}/exec`;
  const made = await parts.engine.ask({ method: "POST", path, body: exec });
  return narrowAnswer(made, (answer) => {
    if (typeof answer.Id === "string") parts.execs.add(answer.Id);
    return pickFields(answer, ["Id"]);
  });
}

function commandIn(body: string): string[] {
  try {
    const { Cmd } = JSON.parse(body) as { Cmd?: unknown };
    return Array.isArray(Cmd) ? Cmd.map(String) : [];
  } catch {
    return [];
  }
}

async function startExec(
  { target, body }: RouteRequest,
  { engine, execs }: RouteParts,
): Promise<Outcome> {
  execs.check(target);
  checkBody(body, EXEC_START);
  const start = { Detach: false, Tty: false };
  return engine.open({ method: "POST", path: `/exec/${target}/start`, body: start });
}

async function describeExec(
  { target }: RouteRequest,
  { engine, execs }: RouteParts,
): Promise<EngineAnswer> {
  execs.check(target);
  const answer = await engine.ask({ method: "GET", path: `/exec/${target}/json` });
  return narrowAnswer(answer, (exec) => pickFields(exec, ["ID", "Running", "ExitCode"]));
}
