import type { BenchOptions } from "./figures.ts";

type Figures = Readonly<Record<string, unknown>> & { readonly ok: boolean };
type Bench = (options: BenchOptions) => Promise<Figures>;

/** Each is loaded only when it runs: in a tree of an earlier revision others may not load. */
export const BENCHES = {
  call: async () => (await import("./call.ts")).benchCall,
  proxy: async () => (await import("./proxy.ts")).benchProxy,
  start: async () => (await import("./start.ts")).benchStart,
  terminal: async () => (await import("./terminal.ts")).benchTerminal,
  idle: async () => (await import("./idle.ts")).benchIdle,
  grep: async () => (await import("./grep.ts")).benchGrep,
  edit: async () => (await import("./edit.ts")).benchEdit,
  checkpoint: async () => (await import("./checkpoint.ts")).benchCheckpoint,
  prompt: async () => (await import("./prompt.ts")).benchPrompt,
  prefix: async () => (await import("./prefix.ts")).benchPrefix,
  page: async () => (await import("./page.ts")).benchPage,
  turn: async () => (await import("./turn.ts")).benchTurn,
  threads: async () => (await import("./threads.ts")).benchThreads,
  redact: async () => (await import("./redact.ts")).benchRedact,
  slack: async () => (await import("./slack.ts")).benchSlack,
  discord: async () => (await import("./discord.ts")).benchDiscord,
  egress: async () => (await import("./egress.ts")).benchEgress,
  guard: async () => (await import("./guard.ts")).benchGuard,
} satisfies Record<string, () => Promise<Bench>>;

export type BenchName = keyof typeof BENCHES;

export function isBenchName(text: string): text is BenchName {
  return Object.hasOwn(BENCHES, text);
}
