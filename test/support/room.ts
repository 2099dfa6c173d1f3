import type { Store } from "../../src/contract/store.ts";
import type { Person, Said, SayOptions } from "../contracts/adapter/rig.ts";
import type { MemoryRig } from "./memory-adapter.ts";
import type { KeptPost } from "./memory-platform.ts";
import { until } from "./until.ts";

/** What a room needs of the bot in it. */
interface RoomBot {
  readonly rig: MemoryRig;
  readonly store: Pick<Store, "read">;
  readonly problems: readonly string[];
}

interface Doer {
  readonly by?: Person;
}

/** A thread and people in it: say something, and see what people see. */
export class Room {
  /** Where it goes on; can be another one from here on. */
  thread: string;
  readonly ada: Person;
  readonly bob: Person;
  readonly #bot: RoomBot;

  constructor(bot: RoomBot, thread: string) {
    this.#bot = bot;
    this.thread = thread;
    this.ada = bot.rig.people.person();
    this.bob = bot.rig.people.person();
  }

  say(text: string, { by = this.ada, ...options }: SayOptions & Doer = {}): Promise<Said> {
    return this.#bot.rig.people.say(by, this.thread, text, options);
  }

  /** What everybody sees, message by message. */
  posts(): KeptPost[] {
    return this.#bot.rig.platform.posts(this.thread).filter(({ only }) => only === undefined);
  }

  texts(): string[] {
    return this.posts().map(({ text }) => text);
  }

  whispers({ id }: Person = this.ada): string[] {
    const all = this.#bot.rig.platform.posts(this.thread);
    return all.filter(({ only }) => only === id).map(({ text }) => text);
  }

  cards(kind: "approval" | "question"): KeptPost[] {
    return this.posts().filter(({ view }) => view?.kind === kind);
  }

  /** Waits until something can be read here, and gives the message. */
  async sees(text: string | RegExp, withinMs?: number): Promise<string> {
    const isIt = (one: string) => (typeof text === "string" ? one.includes(text) : text.test(one));
    await this.#until(() => this.texts().some(isIt), String(text), withinMs);
    return this.texts().find(isIt) ?? "";
  }

  /** The same of what one person alone can read. */
  async hears(text: string, person: Person = this.ada): Promise<void> {
    const isThere = () => this.whispers(person).some((one) => one.includes(text));
    await this.#until(isThere, `${text} (whispered)`);
  }

  /** Presses a button as soon as there is one with this label. */
  async press(label: string, { by = this.ada, typed }: Doer & { typed?: string } = {}) {
    const find = () =>
      this.posts()
        .flatMap(({ post, buttons }) => buttons.map((button) => ({ post, ...button })))
        .find((button) => button.label === label);
    await this.#until(() => find() !== undefined, `a button ${label}`);
    const button = find();
    if (!button) throw new Error(`There is no button ${label} any more.`);
    const { post, action } = button;
    const clicked = { post, action, ...(typed === undefined ? {} : { typed }) };
    const said = await this.#bot.rig.people.click(by, this.thread, clicked);
    return { ...button, said };
  }

  /** The kinds of the journal's lines, in order. */
  async lines(): Promise<string[]> {
    return (await this.#bot.store.read(this.thread)).map(({ kind }) => kind);
  }

  /** Waits until so many turns have ended and were shown. */
  async ends(turns: number, withinMs?: number): Promise<void> {
    const shown = async () => (await this.lines()).filter((kind) => kind === "turn.shown").length;
    await this.#until(async () => (await shown()) >= turns, `the end of ${turns} turns`, withinMs);
  }

  async #until(
    isTrue: () => boolean | Promise<boolean>,
    what: string,
    withinMs?: number,
  ): Promise<void> {
    const seen = () => [...this.texts(), ...this.#bot.problems].join("\n---\n");
    await until(isTrue, what, { seen, ...(withinMs && { withinMs }) });
  }
}
