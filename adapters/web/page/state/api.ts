import type { Attachment, ThreadId } from "../../../../src/contract/platform/incoming.ts";
import type {
  FormAnswer,
  Item,
  Outcome,
  SettingShown,
  TerminalInfo,
  ThreadInfo,
  TimelineEntry,
  WorkspaceFiles,
} from "../../protocol.ts";
import { parseShown } from "./parse-shown.ts";

/** The server has answered that it cannot be done. Trying the same again is of no use. */
export class RequestRefusedError extends Error {
  override readonly name = "RequestRefusedError";
}

/** Everything the page asks for, as the person with this token. */
export class Api {
  readonly #token: string;

  constructor(token: string) {
    this.#token = token;
  }

  createThread = (thread: ThreadId) => this.#json<ThreadInfo>("PUT", at(thread), {});
  rename = (thread: ThreadId, title: string) =>
    this.#json<ThreadInfo>("PATCH", at(thread), { title });
  archive = (thread: ThreadId) =>
    this.#json<Outcome>("POST", `${at(thread)}/archive`, { id: newId() });
  send = (
    thread: ThreadId,
    message: {
      readonly id: string;
      readonly text: string;
      readonly attachments: string[];
      readonly isAside: boolean;
    },
  ) => this.#json<Outcome>("POST", `${at(thread)}/messages`, message);
  edit = (thread: ThreadId, message: string, text: string) =>
    this.#json<Outcome>("PATCH", `${at(thread)}/messages/${message}`, { id: newId(), text });
  remove = (thread: ThreadId, message: string) =>
    this.#json<Outcome>("DELETE", `${at(thread)}/messages/${message}`, { id: newId() });
  click = (thread: ThreadId, click: { readonly action: string; readonly typed?: string }) =>
    this.#json<Outcome>("POST", `${at(thread)}/clicks`, { id: newId(), ...click });
  openForm = (thread: ThreadId, action: string) =>
    this.#json<FormAnswer>("POST", `${at(thread)}/forms`, { action });
  stop = (thread: ThreadId) => this.#json<Outcome>("POST", `${at(thread)}/stop`, { id: newId() });
  earlier = (thread: ThreadId, before: number) =>
    this.#json<{ items: Item[]; hasEarlier: boolean }>(
      "GET",
      `${at(thread)}/items?before=${before}`,
    );
  terminals = (thread: ThreadId) => this.#json<TerminalInfo[]>("GET", `${at(thread)}/terminals`);
  sendInput = (thread: ThreadId, input: string) =>
    this.#json<Outcome>("POST", `${at(thread)}/terminal/input`, { id: newId(), input });
  resize = (thread: ThreadId, terminal: string, size: { rows: number; cols: number }) =>
    this.#json<Outcome>(
      "POST",
      `${at(thread)}/terminals/${encodeURIComponent(terminal)}/size`,
      size,
    );
  listFiles = (thread: ThreadId, path: string) =>
    this.#json<WorkspaceFiles>("GET", `${at(thread)}/workspace?path=${encodeURIComponent(path)}`);
  wakeWorkspace = (thread: ThreadId) =>
    this.#json<Outcome>("POST", `${at(thread)}/workspace/wake`, {});
  timeline = (thread: ThreadId, before?: number) =>
    this.#json<TimelineEntry[]>(
      "GET",
      `${at(thread)}/timeline${before === undefined ? "" : `?before=${before}`}`,
    );
  settings = (thread: ThreadId) => this.#json<SettingShown[]>("GET", `${at(thread)}/settings`);
  changeSetting = (thread: ThreadId, name: string, value: SettingShown["value"]) =>
    this.#json<Outcome>("POST", `${at(thread)}/settings`, { name, value });

  async upload(thread: ThreadId, file: File): Promise<Attachment> {
    const headers = {
      "content-type": file.type || "application/octet-stream",
      "x-file-name": encodeURIComponent(file.name),
    };
    const answer = await this.#ask("POST", `${at(thread)}/files`, { body: file, headers });
    return answer.json();
  }

  async sharedFile(thread: ThreadId, id: string): Promise<Blob> {
    return (await this.#ask("GET", `${at(thread)}/files/${id}`)).blob();
  }

  async workspaceFile(thread: ThreadId, path: string): Promise<Blob> {
    const url = `${at(thread)}/workspace/file?path=${encodeURIComponent(path)}`;
    return (await this.#ask("GET", url)).blob();
  }

  async #json<Answer>(method: string, url: string, body?: object): Promise<Answer> {
    const headers = { "content-type": "application/json" };
    const sent = body === undefined ? {} : { body: JSON.stringify(body), headers };
    return parseShown(await (await this.#ask(method, url, sent)).text());
  }

  async #ask(
    method: string,
    url: string,
    { body, headers = {} }: { body?: BodyInit; headers?: Record<string, string> } = {},
  ): Promise<Response> {
    const answer = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${this.#token}`, ...headers },
      ...(body === undefined ? {} : { body }),
    });
    if (answer.ok) return answer;
    const { message } = await answer.json().catch(() => ({ message: "The request was rejected." }));
    if (answer.status >= 500 || answer.status === 429) throw new Error(message);
    throw new RequestRefusedError(message);
  }
}

export function newId(): string {
  return crypto.randomUUID();
}

export function sentence(error: unknown): string {
  if (error instanceof TypeError) return "The server does not respond. Try again in a moment.";
  return error instanceof Error ? error.message : String(error);
}

function at(thread: ThreadId): string {
  return `/api/threads/${encodeURIComponent(thread)}`;
}
