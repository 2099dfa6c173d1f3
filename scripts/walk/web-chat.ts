import { randomBytes, randomUUID } from "node:crypto";
import { type App, createApp } from "../../src/app.ts";
import { until } from "../../test/support/until.ts";
import { Watcher } from "../../test/support/web-lab.ts";

const THREAD = "web:00112233445566778899aabb";
const TOKEN = randomBytes(24).toString("hex");

interface ChatOptions {
  readonly dataDir: string;
  readonly image: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The whole bot of this process behind its web chat, and one person who uses it. */
export class WebChat implements AsyncDisposable {
  readonly #app: App;
  readonly #origin: string;
  readonly #page: Watcher;

  private constructor(app: App, origin: string, page: Watcher) {
    this.#app = app;
    this.#origin = origin;
    this.#page = page;
  }

  static async start({ dataDir, image, env }: ChatOptions): Promise<WebChat> {
    const app = await createApp({
      env: {
        ...env,
        DECKHAND_DATA_DIR: dataDir,
        DOCKER_HOST: process.env.DOCKER_HOST,
        WEB_PORT: "0",
        WEB_TOKEN: TOKEN,
        WORKSPACE_IMAGE: image,
        WORKSPACE_POOL: "0",
      },
      write: (line) => process.stderr.write(line),
    });
    const { origin } = new URL(app.web?.address ?? "");
    const page = await Watcher.connect(`${origin.replace("http", "ws")}/live`, TOKEN);
    const chat = new WebChat(app, origin, page);
    await chat.#send("PUT", "", {});
    page.tell({ type: "open", thread: THREAD, since: 0 });
    return chat;
  }

  async mention(text: string): Promise<void> {
    await this.#send("POST", "/messages", { id: randomUUID(), text });
  }

  /** Clicks on the card of the approval, once it is there. */
  async approve(): Promise<void> {
    const action = () => /"action":"([^"]+)","label":"Approve once"/.exec(this.#shown())?.[1];
    await until(action, "the card", { seen: () => this.#shown() });
    await this.#send("POST", "/clicks", { id: randomUUID(), action: action() });
  }

  async sees(text: string): Promise<void> {
    await until(() => this.#shown().includes(text), text, { seen: () => this.#shown() });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#page[Symbol.dispose]();
    await this.#app[Symbol.asyncDispose]();
  }

  #shown(): string {
    return JSON.stringify(this.#page.heard);
  }

  async #send(method: string, path: string, body: object): Promise<void> {
    const headers = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
    const url = `${this.#origin}/api/threads/${THREAD}${path}`;
    const answer = await fetch(url, { method, headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  }
}
