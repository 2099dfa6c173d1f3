import { randomBytes, randomUUID } from "node:crypto";
import { until } from "./until.ts";

const TOKENS = {
  owner: `owner-${randomBytes(16).toString("hex")}`,
  member: `member-${randomBytes(16).toString("hex")}`,
};

type Person = keyof typeof TOKENS;

/** What the web chat of a bot under compose needs to know, and one thread of it as its page uses it. */
export class WebChat {
  readonly settings: Readonly<Record<string, string>>;
  readonly #port: number;
  readonly #thread = `web:${randomBytes(12).toString("hex")}`;

  constructor(port: number) {
    this.#port = port;
    const people = `mia:member:${TOKENS.member}`;
    this.settings = { WEB_PORT: `${port}`, WEB_TOKEN: TOKENS.owner, WEB_PEOPLE: people };
  }

  async open(): Promise<void> {
    await until("the web chat answers", () => this.#ask("owner", "PUT", "", {}));
  }

  /** Runs it as the owner, and waits until the thread shows the text. */
  async command(text: string, expected: string): Promise<void> {
    await this.say("owner", `$ ${text}`);
    await this.shows(expected);
  }

  /** Sends a message under one id until it is taken. */
  async say(person: Person, text: string): Promise<void> {
    const body = { id: randomUUID(), text };
    await until(`"${text}" is taken`, () => this.#ask(person, "POST", "/messages", body));
  }

  async shows(text: string): Promise<void> {
    let seen = "";
    const isShown = async () => {
      seen = await this.#items();
      return seen.includes(text);
    };
    await until(`the thread shows ${text}`, isShown, () => seen.slice(-2_000));
  }

  /** The button of the approval that waits. */
  async approveButton(): Promise<string | undefined> {
    return /"action":"(approve:[^"]*:once)"/.exec(await this.#items())?.[1];
  }

  /** Waits for the card, clicks on it as the owner, and waits until it is answered. */
  async approve(): Promise<void> {
    const action = await until("an approval waits", () => this.approveButton());
    const typed = /"label":"To approve it, type","code":"([^"]+)"/.exec(await this.#items())?.[1];
    const click = { id: randomUUID(), action, ...(typed ? { typed } : {}) };
    await this.#ask("owner", "POST", "/clicks", click);
    await until("the approval is answered", async () => !(await this.approveButton()));
  }

  #items(): Promise<string> {
    return this.#ask("owner", "GET", "/items");
  }

  async #ask(person: Person, method: string, path: string, body?: object): Promise<string> {
    const url = `http://127.0.0.1:${this.#port}/api/threads/${this.#thread}${path}`;
    const answer = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${TOKENS[person]}`, "content-type": "application/json" },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text || "ok";
  }
}
