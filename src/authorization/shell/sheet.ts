import { highest, type Level } from "../../contract/permission/level.ts";
import { CodeNotes } from "./code-notes.ts";
import { type CommandClass, type Reason, worstFirst } from "./command-class.ts";
import { Effort } from "./effort.ts";
import type { GrantReach } from "./grant-reach.ts";
import { RunTimeSources } from "./run-time-sources.ts";
import type { Word } from "./word.ts";
import type { Content } from "./written-code.ts";

const MAXIMUM_SEGMENT_CHARS = 200;

const MAXIMUM_SOURCE_CHARS = 100;
/** Besides the first. */
const MOST_SOURCES = 3;

/** Everything found about one command while it is read. */
export class Sheet {
  /** The whole command. */
  text = "";
  /** Shared with the sheets of all that is judged apart. */
  readonly effort: Effort;
  asksRoot = false;
  /** A part of it that may run names root, in whatever way. */
  namesRoot = false;
  discards = false;
  unparsed: string | undefined;
  /** The text does not tell all that runs. */
  hidesCode = false;
  /** Credentials are read somewhere in it; something is sent to another machine somewhere in it. */
  readsCredentials = false;
  sends = false;
  /** A redirection opened a connection to another machine. */
  hasConnection = false;
  /** It hands texts to a service as they are. */
  carriesTexts = false;
  /** It fetches files whose names the text does not tell. */
  downloadsUnknown = false;
  /** Everything that is done: calls, what wrappers start, redirections, definitions. A grant is for one thing. */
  parts = 0;
  grantKey: string | undefined;
  grantReach: GrantReach = "none";
  /** Variables are set, which programs may obey. */
  assigns = false;
  readonly writes = new Set<string>();
  /** Files whose contents the command has written, with what its text tells about them. */
  readonly authored = new Map<string, Content>();
  /** Variables and files that hold all variables of the environment. */
  readonly environmentCopies = new Set<string>();
  /** Names that the command has given to commands of git. */
  readonly gitAliases = new Map<string, readonly Word[]>();
  /** Files that programs make of others: unlike a text that is written here, they may be run. */
  readonly outputs = new Set<string>();
  readonly code = new CodeNotes(() => this.asksRoot);
  readonly sources = new RunTimeSources();
  /** What came from another machine, by path. */
  readonly downloads = new Set<string>();
  readonly #programs = new Set<string>();
  readonly #reasons = new Map<string, Reason>();
  #risk: Level = "free";
  #isTooLong = false;
  /** How often it was said that people must be asked. */
  asked = 0;

  constructor(effort = new Effort()) {
    this.effort = effort;
  }

  get risk(): Level {
    return this.#risk;
  }

  say(risk: Level, why: string, segment: string): void {
    if (risk !== "free") this.asked++;
    const known = this.#reasons.get(why);
    if (known && highest([known.risk, risk]) === known.risk) return;
    this.#risk = highest([this.#risk, risk]);
    this.#reasons.set(why, { risk, why, segment: cut(segment, MAXIMUM_SEGMENT_CHARS) });
  }

  /** Whether this work sends something to another machine. */
  sendsDuring(work: () => void): boolean {
    const before = this.sends;
    this.sends = false;
    work();
    const sends = this.sends;
    this.sends ||= before;
    return sends;
  }

  cannotRead(why: string, segment: string): void {
    this.unparsed ??= why;
    this.hidesCode = true;
    // The guard cannot tell, so the card shows the worse.
    if (/(?:^|[^\w-])(?:sudo|doas)(?:[^\w-]|$)/.test(segment)) this.asksRoot = true;
    this.say("click", `cannot be judged: ${why}`, segment);
  }

  /** What follows is not looked at, so it may be anything: only the highest level is not too low. */
  tooLong(segment: string): void {
    if (this.#isTooLong) return;
    this.#isTooLong = true;
    this.effort.exhaust();
    this.cannotRead("it is too long", segment);
    this.say("phrase", "it does more than the guard can look at", segment);
  }

  program(written: string, name: string): void {
    this.#programs.add(written).add(name);
  }

  hasProgram(names: readonly string[]): boolean {
    return names.some((name) => this.#programs.has(name));
  }

  /** Takes over what another reading of a part has found, except for its identity. */
  absorb(other: Sheet): void {
    for (const name of other.#programs) this.#programs.add(name);
    for (const { risk, why, segment } of other.#reasons.values()) this.say(risk, why, segment);
    this.readsCredentials ||= other.readsCredentials;
    this.sends ||= other.sends;
    this.namesRoot ||= other.namesRoot;
  }

  result(): CommandClass {
    if (this.readsCredentials && this.sends)
      this.say("phrase", "credentials may leave the sandbox", "");
    if (this.asksRoot) this.#askAboutSources();
    const { asksRoot, unparsed, discards, code } = this;
    return {
      risk: this.#risk,
      asksRoot,
      programs: [...this.#programs],
      reasons: worstFirst([...this.#reasons.values()]),
      writes: [...this.writes, ...this.outputs],
      discards,
      get code() {
        return code.report;
      },
      ...(unparsed === undefined ? {} : { unparsed }),
      ...(this.parts === 1 && !this.assigns ? { isOneCall: true } : {}),
      ...this.#grant(),
    };
  }

  /** The workload may choose what root gets from such a source, so that a click would not be enough. */
  #askAboutSources(): void {
    const { unparsed } = this;
    const unread = unparsed === undefined ? [] : [`a part that cannot be read: ${unparsed}`];
    const sources = [...this.sources.all.map((one) => cut(one, MAXIMUM_SOURCE_CHARS)), ...unread];
    const [first, ...others] = sources;
    if (first === undefined) return;
    const more = others.length > MOST_SOURCES ? `, and ${others.length - MOST_SOURCES} more` : "";
    const named = [first, ...others.slice(0, MOST_SOURCES)].join(", ");
    const why = `what root does depends at run time on ${named}${more}`;
    this.say("phrase", why, this.text);
  }

  #grant(): Pick<CommandClass, "grantKey" | "mayRepeat"> {
    const { asksRoot, unparsed, grantKey, grantReach } = this;
    const isNever = this.#risk === "phrase" || asksRoot || unparsed !== undefined;
    if (isNever || this.parts !== 1 || !grantKey || grantReach === "none") return {};
    return grantReach === "program" && !this.assigns ? { grantKey } : { mayRepeat: true };
  }
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
