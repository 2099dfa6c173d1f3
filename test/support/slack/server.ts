import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { SlackApp, type SlackAppOptions } from "./app.ts";
import { Deliveries } from "./deliveries.ts";
import { SlackEvents } from "./events.ts";
import { SlackFaults } from "./faults.ts";
import { serveFile, serveLogin, takeUpload } from "./file-server.ts";
import { HttpSender } from "./http-sender.ts";
import { Human } from "./human.ts";
import { SlackRates } from "./rates.ts";
import { answerAction } from "./response-server.ts";
import { ResponseUrls } from "./response-urls.ts";
import type { SlackServices, Upload } from "./services.ts";
import { SocketMode } from "./socket-mode.ts";
import { SlackTriggers } from "./triggers.ts";
import { type CallRecord, WebApi } from "./web-api.ts";
import { type SlackChannel, type SlackUser, SlackWorld } from "./world.ts";

export interface SlackServerOptions extends SlackAppOptions {
  readonly teamId?: string;
  /** How long an app may take to acknowledge. Slack: three seconds. */
  readonly ackMs?: number;
  /** The pauses before an event comes again. Slack: at once, after a minute, after five. */
  readonly retryMs?: readonly number[];
}

/**
 * Slack, as an app meets it: the Web API, Socket Mode or signed requests, and the people in front of it. It listens on
 * loopback and refuses what the real one refuses.
 *
 *   await using slack = await SlackServer.start();
 *   new App({ token: slack.app.botToken, appToken: slack.app.appToken, socketMode: true,
 *     clientOptions: { slackApiUrl: slack.apiUrl } });
 */
export class SlackServer implements SlackServices, AsyncDisposable {
  readonly world: SlackWorld;
  readonly app: SlackApp;
  readonly faults = new SlackFaults();
  readonly rates: SlackRates;
  readonly triggers: SlackTriggers;
  readonly responseUrls: ResponseUrls;
  readonly socketMode: SocketMode;
  readonly http: HttpSender;
  readonly deliveries: Deliveries;
  readonly events: SlackEvents;
  readonly uploads = new Map<string, Upload>();
  /** Errors of the double itself. A test that ends with some has found a fault in it. */
  readonly problems: unknown[] = [];
  readonly #api: WebApi;
  readonly #server = createServer((request, response) => void this.#serve(request, response));
  readonly #humans = new Map<string, Human>();

  private constructor(options: SlackServerOptions) {
    const { ackMs = 3_000, retryMs = [0, 60_000, 300_000], teamId } = options;
    this.world = new SlackWorld(teamId);
    this.app = new SlackApp(this.world, options);
    this.rates = new SlackRates(this.world.clock);
    this.triggers = new SlackTriggers(this.world.clock);
    this.responseUrls = new ResponseUrls(this.world.clock);
    this.socketMode = new SocketMode(this.app, ackMs);
    this.http = new HttpSender(this.app, this.world.clock, ackMs);
    const transport = () => (this.app.requestUrl === undefined ? this.socketMode : this.http);
    this.deliveries = new Deliveries({ faults: this.faults, transport, retryMs });
    this.events = new SlackEvents(this.world, this.app, this.deliveries, () => this.origin);
    this.#api = new WebApi(this, this.rates);
    this.socketMode.onConnected = () => this.deliveries.flush();
  }

  static async start(options: SlackServerOptions = {}): Promise<SlackServer> {
    const slack = new SlackServer(options);
    const server = slack.#server;
    server.on("upgrade", (request, socket, head) => {
      if (slack.faults.isReachable) slack.socketMode.upgrade(request, socket, head);
      else socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return slack;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get apiUrl(): string {
    return `${this.origin}/api/`;
  }

  /** Every call of the Web API, in its order. */
  get calls(): readonly CallRecord[] {
    return this.#api.calls;
  }

  /** Is told each call once it was carried out; where it says false, the answer is never sent. */
  set onCall(answers: (call: CallRecord) => boolean) {
    this.#api.answers = answers;
  }

  /** Somebody new, or a user who is there. */
  human(user: Partial<SlackUser> = {}): Human {
    const known = user.id === undefined ? undefined : this.#humans.get(user.id);
    if (known) return known;
    const whole = this.world.users.get(user.id ?? "") ?? this.world.addUser(user);
    const human = new Human(this, this.deliveries, whole);
    this.#humans.set(whole.id, human);
    return human;
  }

  /** A channel with the bot and these people in it. */
  channel(
    people: readonly Human[] = [],
    options: Parameters<SlackWorld["addChannel"]>[0] = {},
  ): SlackChannel {
    const members = [this.app.user.id, ...people.map(({ user }) => user.id)];
    return this.world.addChannel({ members, ...options });
  }

  /** Nothing goes in or out until `reconnect`. */
  disconnect(): void {
    this.faults.isReachable = false;
    this.socketMode.drop();
    this.#server.closeAllConnections();
  }

  reconnect(): void {
    this.faults.isReachable = true;
    if (this.app.requestUrl !== undefined || this.socketMode.connections > 0)
      this.deliveries.flush();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.deliveries.close();
    this.socketMode.close();
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!this.faults.isReachable) {
      request.socket.destroy();
      return;
    }
    const [, area = "", rest = ""] = /^\/([^/?]+)\/([^?]*)/.exec(request.url ?? "") ?? [];
    try {
      if (area === "api") await this.#api.handle(request, response, rest);
      else if (area === "upload") await takeUpload(this, request, response, rest);
      else if (area === "response") await answerAction(this, request, response, rest);
      else if (area === "signin") serveLogin(response);
      else serveFile(this, request, response, area === "files-pri" ? rest : "");
    } catch (error) {
      this.problems.push(error);
      response.writeHead(500).end();
    }
  }
}
