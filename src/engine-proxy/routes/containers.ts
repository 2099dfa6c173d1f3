import { INSTANCE_LABEL, WORKSPACE_LABEL } from "../../workspace/names.ts";
import { type EngineAnswer, EngineAnswerError } from "../engine-client.ts";
import { parseContainerName } from "../own-names.ts";
import { RefusedError } from "../request.ts";
import {
  narrowAnswer,
  pickFields,
  pickFieldsOfEach,
  type Route,
  type RouteParts,
  type RouteRequest,
} from "./route.ts";
import { ownVolume } from "./volumes.ts";

const NAME = /^[a-z0-9-]{1,200}$/;

export const CONTAINER_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: /^\/containers\/json$/,
    query: { all: "true", filters: /^/ },
    run: listContainers,
  },
  {
    method: "POST",
    path: /^\/containers\/create$/,
    query: { name: NAME },
    hasBody: true,
    run: createContainer,
  },
  { method: "GET", path: containerPath("/json"), run: describeContainer },
  { method: "POST", path: containerPath("/start"), run: startContainer },
  ...(["stop", "kill", "unpause"] as const).map(
    (verb): Route => ({
      method: "POST",
      path: containerPath(`/${verb}`),
      run: async ({ target }, parts) => {
        const { Id } = await ownContainer(target, parts);
        return parts.engine.ask({ method: "POST", path: `/containers/${Id}/${verb}` });
      },
    }),
  ),
  { method: "POST", path: containerPath("/rename"), query: { name: NAME }, run: renameContainer },
  {
    method: "DELETE",
    path: containerPath(""),
    query: { force: "true" },
    run: async ({ target, query }, parts) => {
      const { Id } = await ownContainer(target, parts);
      return parts.engine.ask({ method: "DELETE", path: `/containers/${Id}`, query });
    },
  },
];

/** The path of one container, with this behind it. */
export function containerPath(rest: string): RegExp {
  return new RegExp(`^/containers/([A-Za-z0-9][A-Za-z0-9_.-]{0,127})${rest}$`);
}

interface ContainerDetails {
  readonly Id: string;
  readonly Config: { readonly Labels?: Readonly<Record<string, string>> | null };
}

/**
 * A container of the bot's own, by its name: of others the bot does not even learn whether they exist. The proxy calls it
 * by its id from here on: a rename in between leads nowhere else. Throws the engine's answer where it has none of that name.
 */
export async function ownContainer(
  target: string,
  { engine, instance }: RouteParts,
): Promise<ContainerDetails> {
  const named = parseContainerName(target);
  if (!named) throw new RefusedError("This container does not belong to the bot.");
  await instance.check(named.instance);
  const answer = await engine.ask({ method: "GET", path: `/containers/${target}/json` });
  if (answer.status !== 200) throw new EngineAnswerError(answer);
  const details = JSON.parse(answer.body) as ContainerDetails;
  const labels = details.Config.Labels ?? {};
  if (labels[INSTANCE_LABEL] !== named.instance || labels[WORKSPACE_LABEL] === undefined) {
    throw new RefusedError("This container does not belong to the bot.");
  }
  return details;
}

async function listContainers(
  { query }: RouteRequest,
  { engine, instance }: RouteParts,
): Promise<EngineAnswer> {
  const filters = await instance.checkFilters(query.filters);
  const path = "/containers/json";
  const answer = await engine.ask({ method: "GET", path, query: { all: "true", filters } });
  const fields = ["Id", "Names", "State", "Status", "Labels", "Created"];
  return narrowAnswer(answer, (containers) => pickFieldsOfEach(containers, fields));
}

async function createContainer(
  { query: { name = "" }, body }: RouteRequest,
  parts: RouteParts,
): Promise<EngineAnswer> {
  await checkNewName(name, parts);
  const spec = await parts.golden.match(name, body);
  if (spec === "no-image") return { status: 404, body: '{"message":"No such image"}' };
  const { HostConfig } = spec as { HostConfig: { Mounts: { Source: string }[] } };
  // A volume of that name could have been made by someone else, to lead to a directory of the host.
  for (const { Source } of HostConfig.Mounts) await ownVolume(Source, parts);
  const path = "/containers/create";
  return parts.engine.ask({ method: "POST", path, query: { name }, body: spec });
}

async function startContainer({ target }: RouteRequest, parts: RouteParts): Promise<EngineAnswer> {
  const { Id, Config } = await ownContainer(target, parts);
  const { engine, running } = parts;
  const label = `${INSTANCE_LABEL}=${Config.Labels?.[INSTANCE_LABEL]}`;
  const countRunning = async () => {
    const query = { filters: JSON.stringify({ label: [label] }) };
    const answer = await engine.ask({ method: "GET", path: "/containers/json", query });
    if (answer.status !== 200) throw new EngineAnswerError(answer);
    return (JSON.parse(answer.body) as unknown[]).length;
  };
  const start = () => engine.ask({ method: "POST", path: `/containers/${Id}/start` });
  return running.start(countRunning, start);
}

async function describeContainer(
  { target }: RouteRequest,
  parts: RouteParts,
): Promise<EngineAnswer> {
  const details = await ownContainer(target, parts);
  const { Labels } = details.Config;
  const seen = { ...pickFields(details, ["Id", "Name", "Created", "State"]), Config: { Labels } };
  return { status: 200, body: JSON.stringify(seen) };
}

async function renameContainer(
  { target, query: { name = "" } }: RouteRequest,
  parts: RouteParts,
): Promise<EngineAnswer> {
  await checkNewName(name, parts);
  const { Id } = await ownContainer(target, parts);
  return parts.engine.ask({ method: "POST", path: `/containers/${Id}/rename`, query: { name } });
}

async function checkNewName(name: string, { instance }: RouteParts): Promise<void> {
  const own = parseContainerName(name);
  if (!own) throw new RefusedError("The container name is not a valid workspace name.");
  await instance.check(own.instance);
}
