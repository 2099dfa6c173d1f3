import type { Store } from "../../../src/contract/store.ts";
import type { Person, Said } from "../../contracts/adapter/rig.ts";
import type { TestEngine } from "../../support/engine.ts";
import type { MemoryRig } from "../../support/memory-adapter.ts";
import type { ModelServer } from "../../support/model-server/server.ts";
import type { CrashPlan } from "./messages.ts";
import type { Story } from "./stories.ts";

/** A bot is killed at a crash point, or by somebody else so many milliseconds after it was told. */
export type Fate = CrashPlan | number;

/** One telling of a story. */
export interface Run {
  readonly id: string;
  readonly story: Story;
  readonly thread: string;
  readonly said: Said[];
  /** Journal line after which it happened. */
  readonly since: number;
  /** How many messages of the bot there were before. */
  readonly postsBefore: number;
}

export interface Violation {
  readonly kind: "lost" | "doubled" | "unapproved" | "other";
  readonly text: string;
}

export interface Outcome {
  readonly run: Run;
  readonly kills: readonly Fate[];
  /** Points that nobody came by any more. */
  readonly missed: readonly Fate[];
  readonly violations: readonly Violation[];
  /** How often the last bot came by each point. */
  readonly visits: Readonly<Record<string, number>>;
}

/** Everything that a bot does not take with it when it dies, for those who look at it from outside. */
export interface World {
  readonly rig: MemoryRig;
  readonly model: ModelServer;
  readonly store: Store;
  readonly engine: TestEngine;
  readonly ada: Person;
  /** The lines that commands have left in the conversation's container. */
  effects(run: Run): Promise<string[]>;
  /** What had happened before people were asked, where it should not have. */
  earlyEffects(run: Run): readonly string[] | undefined;
  /** What runs in the conversation's container. */
  processes(run: Run): Promise<string>;
}

/** Where stories are told. */
export interface Stage {
  /** Tells a story while bots die, one after the other, each at its fate. */
  play(story: Story, fates: readonly Fate[], inNewThread?: boolean): Promise<Outcome>;
}
