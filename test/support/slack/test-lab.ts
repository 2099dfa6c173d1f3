import WebSocket from "ws";
import { until } from "../until.ts";
import type { Human } from "./human.ts";
import { SlackServer, type SlackServerOptions } from "./server.ts";
import { type Fields, isFields } from "./values.ts";
import type { SlackChannel } from "./world.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Fields & { readonly ok: boolean; readonly error?: string };
}

/** The double with somebody in a channel, and a plain client without any library of Slack's. */
export class SlackLab implements AsyncDisposable {
  readonly slack: SlackServer;
  readonly ada: Human;
  readonly channel: SlackChannel;

  private constructor(slack: SlackServer) {
    this.slack = slack;
    this.ada = slack.human({ name: "ada" });
    this.channel = slack.channel([this.ada]);
  }

  static async start(options: SlackServerOptions = {}): Promise<SlackLab> {
    return new SlackLab(await SlackServer.start(options));
  }

  /** As Slack's own client does it: a form, with JSON in it. */
  async call(method: string, args: Fields = {}, token = this.slack.app.botToken): Promise<Answer> {
    const form = Object.entries(args)
      .filter(([, value]) => value !== undefined)
      .map(
        ([name, value]) =>
          [name, typeof value === "string" ? value : JSON.stringify(value)] as const,
      );
    return this.request(method, {
      method: "POST",
      headers: token === "" ? {} : { authorization: `Bearer ${token}` },
      body: new URLSearchParams(Object.fromEntries(form)),
    });
  }

  async request(method: string, init: RequestInit): Promise<Answer> {
    const response = await fetch(this.slack.apiUrl + method, init);
    const body = (await response.json()) as Answer["body"];
    return { status: response.status, headers: response.headers, body };
  }

  /** Its `ts`. */
  async post(args: Fields = { text: "x" }): Promise<string> {
    const text = ["text", "blocks", "markdown_text"].some((name) => name in args)
      ? {}
      : { text: "x" };
    const channel = this.channel.id;
    const { body } = await this.call("chat.postMessage", { channel, ...text, ...args });
    if (!body.ok) throw new Error(`Slack refused: ${JSON.stringify(body)}`);
    return String(body.ts);
  }

  async connect(): Promise<SocketClient> {
    const { body } = await this.call("apps.connections.open", {}, this.slack.app.appToken);
    return SocketClient.connect(String(body.url));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.slack[Symbol.asyncDispose]();
    if (this.slack.problems.length > 0)
      throw new AggregateError(this.slack.problems, "the double broke");
  }
}

/** An app's side of Socket Mode, without any manners. */
export class SocketClient implements Disposable {
  readonly heard: Fields[] = [];
  readonly socket: WebSocket;
  /** What is acknowledged, and with what; undefined: nothing is. */
  answer: ((envelope: Fields) => Fields | undefined) | undefined = () => ({});
  isClosed = false;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on("error", () => undefined);
    socket.on("close", () => {
      this.isClosed = true;
    });
    socket.on("message", (data) => this.#hear(JSON.parse(String(data))));
  }

  static async connect(url: string): Promise<SocketClient> {
    const client = new SocketClient(new WebSocket(url));
    await until(() => client.heard.length > 0 || client.isClosed, "a greeting");
    return client;
  }

  get envelopes(): Fields[] {
    return this.heard.filter(({ envelope_id }) => envelope_id !== undefined);
  }

  /** What the events say, without their envelopes. */
  get events(): Fields[] {
    return this.envelopes.flatMap(({ payload }) =>
      isFields(payload) && isFields(payload.event) ? [payload.event] : [],
    );
  }

  /** What the last envelope says. */
  get payload(): Fields {
    const payload = this.envelopes.at(-1)?.payload;
    if (!isFields(payload)) throw new Error("nothing has come");
    return payload;
  }

  async atLeast(envelopes: number): Promise<Fields[]> {
    await until(() => this.envelopes.length >= envelopes, `${envelopes} envelopes`);
    return this.envelopes;
  }

  [Symbol.dispose](): void {
    this.socket.terminate();
  }

  #hear(message: Fields): void {
    this.heard.push(message);
    const payload = message.envelope_id === undefined ? undefined : this.answer?.(message);
    if (payload) this.socket.send(JSON.stringify({ envelope_id: message.envelope_id, payload }));
  }
}
