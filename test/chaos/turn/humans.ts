import type { KeptPost } from "../../support/memory-platform.ts";
import { readTurns } from "./turns.ts";
import type { Run, World } from "./world.ts";

/** Those who talk to the bot. Each does what he has to do once: what was done must not get lost. */
export class Humans {
  readonly #world: World;
  readonly #done = new Set<string>();
  /** What happened before people should have been asked. */
  readonly early = new Map<string, string[]>();

  constructor(world: World) {
    this.#world = world;
  }

  /** "resting": nothing is under way and nothing can be done, but it is not over. */
  async look(run: Run): Promise<"busy" | "resting" | "over"> {
    if (await this.#act(run)) return "busy";
    if ((await this.#open(run)).length > 0) return "busy";
    return (await this.#missing(run)).length === 0 ? "over" : "resting";
  }

  async why(run: Run): Promise<string> {
    return [...(await this.#open(run)), ...(await this.#missing(run))].join("; ");
  }

  /** What is under way. */
  async #open({ said, thread }: Run): Promise<string[]> {
    const { rig, store } = this.#world;
    const open: string[] = [];
    for (const one of said) {
      if (!(await rig.people.isAcknowledged(one))) open.push(`${one.event} is not acknowledged`);
    }
    const pending = await store.inbox.pending(thread);
    if (pending.length > 0) open.push(`${pending.map(({ id }) => id)} in the inbox`);
    const marks = await store.documents("open-turns").keys();
    if (marks.length > 0) open.push(`${marks} marked as open`);
    return open;
  }

  /** What should have come of what was said. */
  async #missing(run: Run): Promise<string[]> {
    const turns = await readTurns(this.#world.store, run);
    const missing: string[] = [];
    const { verb } = run.story;
    if (verb) return this.#answers(run).length > 0 ? [] : [`no answer among ${this.#said(run)}`];
    if (turns.length === 0) missing.push("there was no turn");
    for (const { id, outcome, isShown } of turns) {
      if (outcome === undefined) missing.push(`turn ${id} has not ended`);
      else if (!isShown) missing.push(`the end of turn ${id} was not shown`);
    }
    const { stopAfter, steer } = run.story;
    if (stopAfter && !this.#done.has(`stop ${run.id}`)) missing.push("nobody could say stop");
    const taken = new Set(turns.flatMap(({ messages }) => messages));
    for (const { event } of steer ? run.said : run.said.slice(0, 1)) {
      if (!taken.has(`memory:${event}`)) missing.push(`${event} is in no turn`);
    }
    return missing;
  }

  /** What was answered to a verb, or to a click on its answer: to everybody, or to whoever asked alone. */
  #answers({ thread, said, story, postsBefore }: Run): KeptPost[] {
    const posts = this.#world.rig.platform.posts(thread).slice(postsBefore);
    return posts.filter(({ key, text, files, only }) => {
      const isOurs = said.some(({ event }) => key.includes(`/command:memory:${event}:`));
      const words = [text, ...files.map(({ name }) => name)].join(" ");
      return (isOurs || only === this.#world.ada.id) && story.verb?.answer.test(words);
    });
  }

  #said({ thread, postsBefore }: Run): string {
    const posts = this.#world.rig.platform.posts(thread).slice(postsBefore);
    return JSON.stringify(posts.map(({ key, text }) => `${key} ${text.slice(0, 200)}`));
  }

  /** True: somebody has done something. */
  async #act(run: Run): Promise<boolean> {
    const { story, id, thread } = run;
    if (story.verb?.press !== undefined) return this.#confirm(run, story.verb.press);
    const posts = this.#world.rig.platform.posts(thread).filter(({ text }) => text.includes(id));
    for (const post of posts) {
      if (story.press && post.view?.kind === "approval") return await this.#press(run, post);
      if (story.answer && post.view?.kind === "question") return await this.#answer(run, post);
    }
    return story.stopAfter ? this.#stop(run) : false;
  }

  async #press(run: Run, { post, buttons, view }: KeptPost): Promise<boolean> {
    const button = buttons.find(({ label }) => label === run.story.press);
    if (!button || !this.#first(`press ${post}`)) return false;
    const { effects, approvals = 0 } = run.story;
    const before = await this.#world.effects(run);
    const allowed = effects(run.id).length - approvals;
    if (before.length > Math.max(0, allowed)) this.early.set(run.id, before);
    const phrase = view?.kind === "approval" ? view.approval.effect.phrase : undefined;
    return this.#click(run, post, button.action, button.asksText ? phrase : undefined);
  }

  async #confirm(run: Run, wanted: string): Promise<boolean> {
    const own = `/command:memory:${run.said[0]?.event}:`;
    const asked = this.#world.rig.platform.posts(run.thread).find(({ key }) => key.includes(own));
    const button = asked?.buttons.find(({ label }) => label === wanted);
    if (!asked || !button || !this.#first(`confirm ${run.id}`)) return false;
    return this.#click(run, asked.post, button.action);
  }

  async #answer(run: Run, { post, buttons }: KeptPost): Promise<boolean> {
    const [button] = buttons;
    if (!button || !this.#first(`answer ${run.id}`)) return false;
    if (run.story.answer === "button") return this.#click(run, post, button.action);
    const { people } = this.#world.rig;
    const { ada } = this.#world;
    run.said.push(await people.say(ada, run.thread, "the first one", { mention: false }));
    return true;
  }

  async #click(run: Run, post: string, action: string, typed?: string): Promise<boolean> {
    const { rig, ada } = this.#world;
    const click = { post, action, ...(typed === undefined ? {} : { typed }) };
    run.said.push(await rig.people.click(ada, run.thread, click));
    return true;
  }

  async #stop(run: Run): Promise<boolean> {
    const { story, id, thread } = run;
    if (this.#done.has(`stop ${id}`)) return false;
    if (!(await this.#world.effects(run)).includes(story.stopAfter?.(id) ?? "")) return false;
    this.#first(`stop ${id}`);
    run.said.push(await this.#world.rig.people.say(this.#world.ada, thread, "stop"));
    return true;
  }

  #first(deed: string): boolean {
    if (this.#done.has(deed)) return false;
    this.#done.add(deed);
    return true;
  }
}
