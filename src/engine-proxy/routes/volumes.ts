import { volumeRequest } from "../../workspace/docker/engine-requests.ts";
import { INSTANCE_LABEL, Names } from "../../workspace/names.ts";
import type { EngineAnswer } from "../engine-client.ts";
import { parseVolumeName } from "../own-names.ts";
import { RefusedError } from "../request.ts";
import {
  checkBody,
  narrowAnswer,
  pickFields,
  pickFieldsOfEach,
  type Route,
  type RouteParts,
  type RouteRequest,
} from "./route.ts";

export const VOLUME_ROUTES: readonly Route[] = [
  { method: "GET", path: /^\/volumes$/, query: { filters: /^/ }, run: listVolumes },
  { method: "POST", path: /^\/volumes\/create$/, hasBody: true, run: createVolume },
  { method: "GET", path: /^\/volumes\/([^/]+)$/, run: describeVolume },
  { method: "DELETE", path: /^\/volumes\/([^/]+)$/, run: removeVolume },
];

/** The engine's answer about a volume, which must be a plain one of the bot's. */
export async function ownVolume(
  name: string,
  { engine, instance }: RouteParts,
): Promise<EngineAnswer> {
  const own = parseVolumeName(name);
  if (!own) throw new RefusedError("This volume does not belong to the bot.");
  await instance.check(own.instance);
  const answer = await engine.ask({ method: "GET", path: `/volumes/${name}` });
  if (answer.status !== 200) return answer;
  const { Labels, Driver, Options } = JSON.parse(answer.body) as Record<string, unknown>;
  const labels = (Labels ?? {}) as Record<string, string>;
  const isPlain = Driver === "local" && Object.keys(Options ?? {}).length === 0;
  if (!isPlain || labels[INSTANCE_LABEL] !== own.instance) {
    throw new RefusedError("This volume does not belong to the bot.");
  }
  return answer;
}

async function listVolumes(
  { query }: RouteRequest,
  { engine, instance }: RouteParts,
): Promise<EngineAnswer> {
  const filters = await instance.checkFilters(query.filters);
  const answer = await engine.ask({ method: "GET", path: "/volumes", query: { filters } });
  return narrowAnswer(answer, ({ Volumes }) => ({
    Volumes: pickFieldsOfEach(Volumes, ["Name", "Labels", "CreatedAt"]),
  }));
}

async function createVolume(
  { body }: RouteRequest,
  { engine, instance }: RouteParts,
): Promise<EngineAnswer> {
  const name = /^\{"Name":"([a-z0-9-]+)"/.exec(body)?.[1] ?? "";
  const own = parseVolumeName(name);
  if (!own) throw new RefusedError("The volume name is not a valid workspace volume.");
  await instance.check(own.instance);
  const volume = volumeRequest(name, new Names(own.instance).labels(own.workspace));
  checkBody(body, volume);
  const made = await engine.ask({ method: "POST", path: "/volumes/create", body: volume });
  return narrowAnswer(made, ({ Name }) => ({ Name }));
}

async function describeVolume({ target }: RouteRequest, parts: RouteParts): Promise<EngineAnswer> {
  const fields = ["Name", "Labels", "Mountpoint", "CreatedAt"];
  return narrowAnswer(await ownVolume(target, parts), (volume) => pickFields(volume, fields));
}

async function removeVolume({ target }: RouteRequest, parts: RouteParts): Promise<EngineAnswer> {
  const found = await ownVolume(target, parts);
  if (found.status !== 200) return found;
  return parts.engine.ask({ method: "DELETE", path: `/volumes/${target}` });
}
