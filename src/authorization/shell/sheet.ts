import { type CommandClass, type Reason, type Risk, worst, worstFirst } from "./command-class.ts";

const MAXIMUM_SEGMENT_CHARS = 200;

/** Everything found about one command while it is read. */
export class Sheet {
  asksRoot = false;
  unparsed: string | undefined;
  /** Everything that is done: calls, what wrappers start, redirections, definitions. A grant is for one thing. */
  parts = 0;
  grantKey: string | undefined;
  readonly writes = new Set<string>();
  readonly #programs = new Set<string>();
  readonly #reasons = new Map<string, Reason>();
  #risk: Risk = "low";

  say(risk: Risk, why: string, segment: string): void {
    this.#risk = worst(this.#risk, risk);
    const shown =
      segment.length > MAXIMUM_SEGMENT_CHARS
        ? `${segment.slice(0, MAXIMUM_SEGMENT_CHARS)}…`
        : segment;
    if (!this.#reasons.has(why)) this.#reasons.set(why, { risk, why, segment: shown });
  }

  cannotRead(why: string, segment: string): void {
    this.unparsed ??= why;
    // Nobody can tell, so the human who is asked is told the worse.
    if (/(?:^|[^\w-])(?:sudo|doas)(?:[^\w-]|$)/.test(segment)) this.asksRoot = true;
    this.say("high", `cannot be judged: ${why}`, segment);
  }

  program(written: string, name: string): void {
    this.#programs.add(written).add(name);
  }

  result(): CommandClass {
    const { asksRoot, unparsed, grantKey } = this;
    const grantable = this.#risk !== "high" && !asksRoot && this.parts === 1 && grantKey;
    return {
      risk: this.#risk,
      asksRoot,
      programs: [...this.#programs],
      reasons: worstFirst([...this.#reasons.values()]),
      writes: [...this.writes],
      ...(unparsed === undefined ? {} : { unparsed }),
      ...(grantable ? { grantKey } : {}),
    };
  }
}
