import type { OpenTurn } from "../../journal/conversation/state.ts";
import type { ConversationParts } from "../parts.ts";
import { TurnCard } from "../shown/turn-card.ts";
import type { Run } from "./run.ts";

/** Everything that the handlers of a turn need. */
export interface TurnScope {
  readonly parts: ConversationParts;
  readonly run: Run;
  readonly card: TurnCard;
}

/** The scope of one turn after the other. */
export class TurnScopes implements Disposable {
  readonly parts: ConversationParts;
  readonly #newRun: () => Run;
  #run: Run;
  #card: TurnCard | undefined;

  constructor(parts: ConversationParts, newRun: () => Run) {
    this.parts = parts;
    this.#newRun = newRun;
    this.#run = newRun();
  }

  get run(): Run {
    return this.#run;
  }

  inTurn(turn: OpenTurn): TurnScope {
    const run = this.#run;
    this.#card ??= new TurnCard(
      { ...this.parts, reply: whileOurs(this.parts.reply, run) },
      run.conversation,
      turn,
    );
    return { parts: this.parts, run, card: this.#card };
  }

  /** The turn is over: the next one cannot be stopped by what stopped this. */
  empty(): Run {
    this[Symbol.dispose]();
    this.#run = this.#newRun();
    return this.#run;
  }

  [Symbol.dispose](): void {
    this.#card?.[Symbol.dispose]();
    this.#card = undefined;
  }
}

/** The journal refuses those who have lost the conversation; a platform would show what they say. */
function whileOurs(reply: ConversationParts["reply"], run: Run): ConversationParts["reply"] {
  return {
    ...reply,
    show: (...shown) => {
      if (run.isOurs) reply.show(...shown);
    },
    share: (...shared) => {
      if (run.isOurs) reply.share(...shared);
    },
  };
}
