import WebSocket from "ws";
import { until } from "../until.ts";
import type { Human } from "./human.ts";
import type { Interaction } from "./interactions.ts";
import { DiscordServer, type DiscordServerOptions } from "./server.ts";
import { type Fields, isFields } from "./values.ts";
import type { DiscordChannel } from "./world.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Fields;
}

interface RequestOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly files?: readonly { readonly name: string; readonly bytes: Uint8Array }[];
}

/** The double with somebody in a channel, and a plain client without any library of Discord's. */
export class DiscordLab implements AsyncDisposable {
  readonly discord: DiscordServer;
  readonly ada: Human;
  readonly channel: DiscordChannel;

  private constructor(discord: DiscordServer) {
    this.discord = discord;
    this.ada = discord.human({ username: "ada" });
    this.channel = discord.channel();
  }

  static async start(options: DiscordServerOptions = {}): Promise<DiscordLab> {
    return new DiscordLab(await DiscordServer.start(options));
  }

  /** `call("POST /channels/1/messages", {content: "x"})` */
  async call(what: string, body?: unknown, options: RequestOptions = {}): Promise<Answer> {
    const [method = "GET", path = ""] = what.split(" ");
    const { headers = {}, files } = options;
    const response = await fetch(`${this.discord.apiUrl}/v10${path}`, {
      method,
      headers: {
        authorization: `Bot ${this.discord.app.token}`,
        "user-agent": "DiscordBot (https://example.org, 1.0)",
        ...(body !== undefined && !files && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: files ? formOf(body, files) : JSON.stringify(body) }),
    });
    const text = await response.text();
    const json: unknown = text === "" ? {} : JSON.parse(text);
    const fields = isFields(json) ? json : { list: json };
    return { status: response.status, headers: response.headers, body: fields };
  }

  async post(body: Fields = { content: "x" }, channel = this.channel): Promise<Answer> {
    return this.call(`POST /channels/${channel.id}/messages`, body);
  }

  /** The id of a message of the bot. */
  async posted(body: Fields = { content: "x" }, channel = this.channel): Promise<string> {
    const answer = await this.post(body, channel);
    if (answer.status !== 200) throw new Error(`Discord refused: ${JSON.stringify(answer.body)}`);
    return String(answer.body.id);
  }

  /** Ada has clicked a button, and the app has not answered yet. */
  async clicked(channel = this.channel): Promise<Interaction> {
    const button = { type: 2, style: 1, label: "x", custom_id: "x" };
    const id = await this.posted(
      { content: "?", components: [{ type: 1, components: [button] }] },
      channel,
    );
    const message = this.discord.world.find(channel.id, id);
    if (!message) throw new Error("there is no message");
    void this.ada.clicks(message, "x");
    return this.lastInteraction();
  }

  /** Ada has run a command, and the app has not answered yet. */
  async ran(): Promise<Interaction> {
    this.discord.commands.put(undefined, { name: "go", description: "Goes." });
    void this.ada.runs(this.channel, "go");
    return this.lastInteraction();
  }

  lastInteraction(): Interaction {
    const interaction = this.discord.interactions.all.at(-1);
    if (!interaction) throw new Error("nobody has done anything");
    return interaction;
  }

  /** The first answer to an interaction. */
  respond({ id, token }: Interaction, body: Fields): Promise<Answer> {
    return this.call(`POST /interactions/${id}/${token}/callback`, body);
  }

  webhook({ token }: Interaction, path = ""): string {
    return `/webhooks/${this.discord.app.id}/${token}${path}`;
  }

  async connect(query = "v=10&encoding=json"): Promise<GatewayClient> {
    const address = this.discord.origin.replace(/^http/, "ws");
    return GatewayClient.connect(`${address}/?${query}`);
  }

  /** A connection that has identified itself. */
  async identified(intents = 33_281 | 4_096): Promise<GatewayClient> {
    const client = await this.connect();
    client.send(2, this.identity({ intents }));
    await client.event("READY");
    return client;
  }

  identity(more: Fields = {}): Fields {
    const properties = { os: "linux", browser: "lab", device: "lab" };
    return { token: this.discord.app.token, intents: 513, properties, ...more };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.discord[Symbol.asyncDispose]();
    if (this.discord.problems.length > 0)
      throw new AggregateError(this.discord.problems, "the double broke");
  }
}

function formOf(body: unknown, files: RequestOptions["files"] = []): FormData {
  const form = new FormData();
  form.set("payload_json", JSON.stringify(body));
  for (const [index, { name, bytes }] of files.entries())
    form.set(`files[${index}]`, new Blob([new Uint8Array(bytes)]), name);
  return form;
}

/** An app's side of the gateway, without any manners. */
export class GatewayClient implements Disposable {
  readonly heard: Fields[] = [];
  readonly #socket: WebSocket;
  closeCode: number | undefined;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("error", () => undefined);
    socket.on("close", (code) => {
      this.closeCode = code;
    });
    socket.on("message", (data) => this.heard.push(JSON.parse(String(data))));
  }

  static async connect(url: string): Promise<GatewayClient> {
    const client = new GatewayClient(new WebSocket(url));
    await until(() => client.heard.length > 0 || client.closeCode !== undefined, "a greeting");
    return client;
  }

  send(op: number, d: unknown): void {
    this.#socket.send(JSON.stringify({ op, d }));
  }

  sendRaw(text: string): void {
    this.#socket.send(text);
  }

  close(code = 1_000): void {
    this.#socket.close(code);
  }

  /** What was said in the last event of this kind. */
  async event(type: string): Promise<Fields> {
    await until(() => this.events(type).length > 0, type);
    return this.events(type).at(-1) ?? {};
  }

  events(type: string): Fields[] {
    return this.heard.filter(({ t }) => t === type).map(({ d }) => (isFields(d) ? d : {}));
  }

  async closed(): Promise<number> {
    await until(() => this.closeCode !== undefined, "the end");
    return this.closeCode ?? 0;
  }

  async op(op: number): Promise<Fields> {
    await until(() => this.heard.some((one) => one.op === op), `op ${op}`);
    return this.heard.findLast((one) => one.op === op) ?? {};
  }

  [Symbol.dispose](): void {
    this.#socket.terminate();
  }
}
