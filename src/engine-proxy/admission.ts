import { ATTACH, EXEC_START, execRequest, volumeRequest } from "../workspace/engine-requests.ts";
import { ownExec } from "../workspace/exec-commands.ts";
import { INSTANCE_LABEL, Names, WORKSPACE_LABEL } from "../workspace/names.ts";
import type { EngineAnswer, EngineClient, EngineRequest, EngineStream } from "./engine-client.ts";
import type { GoldenSpec } from "./golden-spec.ts";
import type { OwnInstance } from "./own-instance.ts";
import { parseContainerName, parseVolumeName } from "./own-names.ts";
import { type ParsedRequest, RefusedError } from "./request.ts";

export interface AdmissionParts {
  readonly engine: EngineClient;
  readonly golden: GoldenSpec;
  readonly instance: OwnInstance;
  readonly images: readonly string[];
}

type Outcome = EngineAnswer | EngineStream;
type Query = ParsedRequest["query"];

/** One kind of request that the bot makes. `target` is what the path names. */
interface Route {
  readonly method: EngineRequest["method"];
  readonly path: RegExp;
  /** The parameters with their only value, or a check of it. */
  readonly query?: Readonly<Record<string, string | RegExp>>;
  /** Only where there is one: others have no body. */
  readonly hasBody?: true;
  readonly isUpgrade?: true;
  readonly run: (asked: Asked, parts: AdmissionParts, execs: OwnExecs) => Promise<Outcome>;
}

interface Asked {
  readonly target: string;
  readonly query: Query;
  readonly body: string;
}

const CONTAINER = "[A-Za-z0-9][A-Za-z0-9_.-]{0,127}";
const CONTAINER_NAME = /^[a-z0-9-]{1,200}$/;
const ANSWERED = (value: unknown): EngineAnswer => ({ status: 200, body: JSON.stringify(value) });
const ATTACH_QUERY = Object.fromEntries(Object.keys(ATTACH).map((name) => [name, "true"]));

/** Everything that the bot may ask of the engine. What is not here is refused. */
const ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: /^\/_ping$/,
    run: (_, { engine }) => engine.ask({ method: "GET", path: "/_ping" }),
  },
  { method: "GET", path: /^\/info$/, run: (_, { engine }) => describeHost(engine) },
  { method: "GET", path: /^\/images\/(.+)\/json$/, run: describeImage },
  {
    method: "GET",
    path: /^\/containers\/json$/,
    query: { all: "true", filters: /^/ },
    run: listContainers,
  },
  { method: "GET", path: /^\/volumes$/, query: { filters: /^/ }, run: listVolumes },
  { method: "POST", path: /^\/volumes\/create$/, hasBody: true, run: createVolume },
  { method: "GET", path: /^\/volumes\/([^/]+)$/, run: describeVolume },
  { method: "DELETE", path: /^\/volumes\/([^/]+)$/, run: removeVolume },
  {
    method: "POST",
    path: /^\/containers\/create$/,
    query: { name: CONTAINER_NAME },
    hasBody: true,
    run: createContainer,
  },
  { method: "GET", path: ofContainer("/json"), run: describeContainer },
  ...(["start", "stop", "kill", "unpause"] as const).map(
    (verb): Route => ({
      method: "POST",
      path: ofContainer(`/${verb}`),
      run: async ({ target }, parts) => {
        const { Id } = await ownContainer(target, parts);
        return parts.engine.ask({ method: "POST", path: `/containers/${Id}/${verb}` });
      },
    }),
  ),
  { method: "POST", path: ofContainer("/rename"), query: { name: CONTAINER_NAME }, run: rename },
  {
    method: "DELETE",
    path: ofContainer(""),
    query: { force: "true" },
    run: async ({ target, query }, parts) => {
      const { Id } = await ownContainer(target, parts);
      return parts.engine.ask({ method: "DELETE", path: `/containers/${Id}`, query });
    },
  },
  {
    method: "POST",
    path: ofContainer("/attach"),
    query: ATTACH_QUERY,
    hasBody: true,
    isUpgrade: true,
    run: attach,
  },
  { method: "POST", path: ofContainer("/exec"), hasBody: true, run: createExec },
  {
    method: "POST",
    path: /^\/exec\/([0-9a-f]{64})\/start$/,
    hasBody: true,
    isUpgrade: true,
    run: startExec,
  },
  { method: "GET", path: /^\/exec\/([0-9a-f]{64})\/json$/, run: describeExec },
];

/** Decides about each request, and sends the engine one of the proxy's own in its place. */
export class Admission {
  readonly #parts: AdmissionParts;
  readonly #execs = new OwnExecs();

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
  }

  /** Throws a RefusedError for everything that the bot does not send. */
  async answer({ method, path, query, body, isUpgrade }: ParsedRequest): Promise<Outcome> {
    for (const route of ROUTES) {
      const found = route.method === method ? route.path.exec(path) : null;
      if (!found) continue;
      if (Boolean(route.isUpgrade) !== isUpgrade) throw new RefusedError("Wrong kind of stream.");
      if (!route.hasBody && body !== "") throw new RefusedError("No body belongs here.");
      checkQuery(query, route.query ?? {});
      return route.run({ target: found[1] ?? "", query, body }, this.#parts, this.#execs);
    }
    throw new RefusedError(`The bot never asks for ${method} ${path}.`);
  }
}

/** Processes that were made through this proxy, the latest of them. */
class OwnExecs {
  readonly #ids = new Set<string>();

  add(id: string): void {
    this.#ids.add(id);
    const [oldest] = this.#ids;
    if (this.#ids.size > MOST_EXECS && oldest !== undefined) this.#ids.delete(oldest);
  }

  check(id: string): void {
    if (!this.#ids.has(id)) throw new RefusedError("That process was not made here.");
  }
}

const MOST_EXECS = 10_000;

function ofContainer(rest: string): RegExp {
  return new RegExp(`^/containers/(${CONTAINER})${rest}$`);
}

function checkQuery(query: Query, expected: NonNullable<Route["query"]>): void {
  for (const name of new Set([...Object.keys(query), ...Object.keys(expected)])) {
    const value = query[name];
    const rule = Object.hasOwn(expected, name) ? expected[name] : undefined;
    const isRight = typeof rule === "string" ? value === rule : rule?.test(value ?? "") === true;
    if (value === undefined || !isRight) throw new RefusedError(`The parameter ${name} is wrong.`);
  }
}

/** Throws unless the text has exactly the bytes of this JSON. */
function checkBody(text: string, expected: object): void {
  if (text !== JSON.stringify(expected)) throw new RefusedError("The bot sends another body.");
}

async function describeHost(engine: EngineClient): Promise<EngineAnswer> {
  return narrowed(await engine.ask({ method: "GET", path: "/info" }), (info) =>
    only(info, ["NCPU", "SecurityOptions"]),
  );
}

async function describeImage(
  { target }: Asked,
  { engine, images }: AdmissionParts,
): Promise<EngineAnswer> {
  if (!images.includes(target)) throw new RefusedError("Workspaces are not made from that image.");
  const answer = await engine.ask({ method: "GET", path: `/images/${target}/json` });
  return narrowed(answer, (image) => only(image, ["Id"]));
}

async function listContainers(
  { query }: Asked,
  { engine, instance }: AdmissionParts,
): Promise<EngineAnswer> {
  const filters = await ownFilter(query, instance);
  const asked = {
    method: "GET",
    path: "/containers/json",
    query: { all: "true", filters },
  } as const;
  const fields = ["Id", "Names", "State", "Status", "Labels", "Created"];
  return narrowed(await engine.ask(asked), (found) => listed(found, fields));
}

async function listVolumes(
  { query }: Asked,
  { engine, instance }: AdmissionParts,
): Promise<EngineAnswer> {
  const filters = await ownFilter(query, instance);
  const answer = await engine.ask({ method: "GET", path: "/volumes", query: { filters } });
  return narrowed(answer, ({ Volumes }) => ({
    Volumes: listed(Volumes, ["Name", "Labels", "CreatedAt"]),
  }));
}

/** The filter for everything of one bot, which must be ours. */
async function ownFilter({ filters = "" }: Query, own: OwnInstance): Promise<string> {
  const instance = /^\{"label":\["deckhand\.instance=([0-9a-f]{8,64})"\]\}$/.exec(filters)?.[1];
  if (instance === undefined) throw new RefusedError("Only what belongs to the bot is listed.");
  await own.check(instance);
  return JSON.stringify({ label: [`${INSTANCE_LABEL}=${instance}`] });
}

async function createVolume(
  { body }: Asked,
  { engine, instance }: AdmissionParts,
): Promise<EngineAnswer> {
  const name = /^\{"Name":"([a-z0-9-]+)"/.exec(body)?.[1] ?? "";
  const own = parseVolumeName(name);
  if (!own) throw new RefusedError("A workspace has no such volume.");
  await instance.check(own.instance);
  const volume = volumeRequest(name, new Names(own.instance).labels(own.workspace));
  checkBody(body, volume);
  const made = await engine.ask({ method: "POST", path: "/volumes/create", body: volume });
  return narrowed(made, ({ Name }) => ({ Name }));
}

async function describeVolume({ target }: Asked, parts: AdmissionParts): Promise<EngineAnswer> {
  const answer = await ownVolume(target, parts);
  return narrowed(answer, (found) => only(found, ["Name", "Labels", "Mountpoint", "CreatedAt"]));
}

async function removeVolume({ target }: Asked, parts: AdmissionParts): Promise<EngineAnswer> {
  const found = await ownVolume(target, parts);
  if (found.status !== 200) return found;
  return parts.engine.ask({ method: "DELETE", path: `/volumes/${target}` });
}

/** The engine's answer about a volume, which must be a plain one of the bot's. */
async function ownVolume(
  name: string,
  { engine, instance }: AdmissionParts,
): Promise<EngineAnswer> {
  const own = parseVolumeName(name);
  if (!own) throw new RefusedError("That volume is not the bot's.");
  await instance.check(own.instance);
  const answer = await engine.ask({ method: "GET", path: `/volumes/${name}` });
  if (answer.status !== 200) return answer;
  const { Labels, Driver, Options } = JSON.parse(answer.body) as Record<string, unknown>;
  const labels = (Labels ?? {}) as Record<string, string>;
  const isPlain = Driver === "local" && Object.keys(Options ?? {}).length === 0;
  if (!isPlain || labels[INSTANCE_LABEL] !== own.instance) {
    throw new RefusedError("That volume is not the bot's.");
  }
  return answer;
}

async function createContainer(
  { query: { name = "" }, body }: Asked,
  parts: AdmissionParts,
): Promise<EngineAnswer> {
  const own = parseContainerName(name);
  if (!own) throw new RefusedError("A workspace's container has no such name.");
  await parts.instance.check(own.instance);
  const spec = await parts.golden.match(name, body);
  if (spec === "no-image") return { status: 404, body: '{"message":"No such image"}' };
  const { HostConfig } = spec as { HostConfig: { Mounts: { Source: string }[] } };
  // A volume of that name could have been made by someone else, to lead to a directory of the host.
  for (const { Source } of HostConfig.Mounts) await ownVolume(Source, parts);
  const path = "/containers/create";
  return parts.engine.ask({ method: "POST", path, query: { name }, body: spec });
}

async function describeContainer({ target }: Asked, parts: AdmissionParts): Promise<EngineAnswer> {
  const { Id, Name, Created, State, Config } = await ownContainer(target, parts);
  return ANSWERED({ Id, Name, Created, State, Config: { Labels: Config.Labels } });
}

async function rename(
  { target, query: { name = "" } }: Asked,
  parts: AdmissionParts,
): Promise<EngineAnswer> {
  const own = parseContainerName(name);
  if (!own) throw new RefusedError("A workspace's container has no such name.");
  await parts.instance.check(own.instance);
  const { Id } = await ownContainer(target, parts);
  return parts.engine.ask({ method: "POST", path: `/containers/${Id}/rename`, query: { name } });
}

async function attach({ target, body }: Asked, parts: AdmissionParts): Promise<Outcome> {
  checkBody(body, ATTACH);
  const { Id } = await ownContainer(target, parts);
  const query = { stream: "1", stdin: "1", stdout: "1", stderr: "1" };
  return parts.engine.open({ method: "POST", path: `/containers/${Id}/attach`, query });
}

async function createExec(
  { target, body }: Asked,
  parts: AdmissionParts,
  execs: OwnExecs,
): Promise<EngineAnswer> {
  const command = ownExec(commandIn(body));
  if (!command) throw new RefusedError("The bot never starts such a process.");
  const exec = execRequest(command);
  checkBody(body, exec);
  const { Id } = await ownContainer(target, parts);
  const path = `/containers/${Id}/exec`;
  const made = await parts.engine.ask({ method: "POST", path, body: exec });
  return narrowed(made, (answer) => {
    if (typeof answer.Id === "string") execs.add(answer.Id);
    return { Id: answer.Id };
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
  { target, body }: Asked,
  { engine }: AdmissionParts,
  execs: OwnExecs,
): Promise<Outcome> {
  execs.check(target);
  checkBody(body, EXEC_START);
  const start = { Detach: false, Tty: false };
  return engine.open({ method: "POST", path: `/exec/${target}/start`, body: start });
}

async function describeExec(
  { target }: Asked,
  { engine }: AdmissionParts,
  execs: OwnExecs,
): Promise<EngineAnswer> {
  execs.check(target);
  const answer = await engine.ask({ method: "GET", path: `/exec/${target}/json` });
  return narrowed(answer, (exec) => only(exec, ["ID", "Running", "ExitCode"]));
}

interface ContainerDetails {
  readonly Id: string;
  readonly Name: string;
  readonly Created: string;
  readonly State: unknown;
  readonly Config: { readonly Labels?: Readonly<Record<string, string>> | null };
}

/**
 * A container of the bot's own. From here on it is called by its id: a rename in between leads nowhere else. The
 * engine's own answer where it has none of that name.
 */
async function ownContainer(
  target: string,
  { engine, instance }: AdmissionParts,
): Promise<ContainerDetails> {
  const named = parseContainerName(target)?.instance;
  if (named !== undefined) await instance.check(named);
  const answer = await engine.ask({ method: "GET", path: `/containers/${target}/json` });
  if (answer.status !== 200) throw new EngineRefusal(answer);
  const details = JSON.parse(answer.body) as ContainerDetails;
  const labels = details.Config.Labels ?? {};
  const owner = labels[INSTANCE_LABEL];
  if (owner === undefined || labels[WORKSPACE_LABEL] === undefined) {
    throw new RefusedError("That container is not the bot's.");
  }
  await instance.check(owner);
  return details;
}

/** The engine itself does not do what it was asked. */
export class EngineRefusal extends Error {
  override readonly name = "EngineRefusal";
  readonly answer: EngineAnswer;

  constructor(answer: EngineAnswer) {
    super(`The engine answered ${answer.status}.`);
    this.answer = answer;
  }
}

type Fields = Record<string, unknown>;

/** Only what the bot reads of an answer; a refusal of the engine's stays as it is. */
function narrowed(answer: EngineAnswer, narrow: (value: Fields) => unknown): EngineAnswer {
  if (answer.status >= 300) return answer;
  return { status: answer.status, body: JSON.stringify(narrow(JSON.parse(answer.body) as Fields)) };
}

function only(value: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.flatMap((name) => (name in value ? [[name, value[name]]] : [])));
}

function listed(value: unknown, names: readonly string[]): Fields[] {
  return Array.isArray(value) ? value.map((one: Fields) => only(one, names)) : [];
}
