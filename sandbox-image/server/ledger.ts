import { fdatasync, fdatasyncSync, ftruncateSync, readSync, writeSync } from "node:fs";
import { promisify } from "node:util";
import { z } from "zod";
import { OperationResult } from "../../src/contract/tools/operation.ts";
import { codeOf } from "./error-code.ts";
import { Exchange, type ExchangeLog } from "./files/exchange-log.ts";

const sync = promisify(fdatasync);

/** What is known of a call id. */
export type LedgerEntry =
  | { state: "started"; digest: string }
  | { state: "finished"; digest: string; result: OperationResult }
  /** Another process of this workspace runs it; `wait` resolves when it has ended. */
  | { state: "elsewhere"; digest: string; wait: () => Promise<OperationResult>; stop: () => void };

/** Remembers calls, so that one id runs at most once, whatever dies in between. */
export interface Ledger {
  /** The highest fence ever seen. */
  readonly fence: number;
  raiseFence(fence: number): void;
  find(id: string): LedgerEntry | undefined;
  /** Resolves once the start is durable. False: somebody else was first; look again. */
  start(id: string, digest: string): Promise<boolean>;
  finish(id: string, digest: string, result: OperationResult): void;
}

/** Which container name the workspace belongs to. */
export interface Ownership {
  /** Null: it is still in the pool. */
  readonly owner: string | null;
  /** Resolves with the first owner, for good, once that is durable. */
  claim(owner: string): Promise<string>;
  /** Makes durable what was written so far, the new files themselves above all, so that a claim has less to wait for. */
  flush(): Promise<void>;
}

const Line = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("header"), generation: z.int(), fence: z.int() }),
  z.object({ kind: z.literal("started"), id: z.string(), digest: z.string(), fence: z.int() }),
  z.object({
    kind: z.literal("finished"),
    id: z.string(),
    digest: z.string(),
    result: OperationResult,
  }),
  z.object({ kind: z.literal("exchange"), id: z.string(), exchanges: z.array(Exchange) }),
  z.object({ kind: z.literal("exchanged"), id: z.string() }),
  z.object({ kind: z.literal("tidied"), id: z.string() }),
  z.object({ kind: z.literal("claimed"), owner: z.string() }),
  /** Ends a compacted file: without it the rewrite was cut, and the other file counts. */
  z.object({ kind: z.literal("complete") }),
]);
type Line = z.infer<typeof Line>;

type Kept = Exclude<LedgerEntry, { state: "elsewhere" }>;

export interface LedgerLimits {
  /** Calls that are remembered; older ones are forgotten, the bot does not repeat calls that old. */
  readonly calls: number;
  /** Bytes of the file at which it is written anew. */
  readonly fileBytes: number;
  /** Characters of results that are kept; of older calls only the fact that they finished. */
  readonly resultChars: number;
}

const DEFAULT_LIMITS: LedgerLimits = {
  calls: 10_000,
  fileBytes: 16 * 1024 * 1024,
  resultChars: 4 * 1024 * 1024,
};

/**
 * The ledger on two already opened files that the workload cannot open: one is appended to, the other
 * takes the compacted copy, and then they change places. A start is synced before the call runs; an
 * end that a power cut swallows only makes the outcome unknown.
 */
export class FileLedger implements Ledger, ExchangeLog, Ownership {
  #entries = new Map<string, Kept>();
  /** Changes to several files that are being made, or were when the server died. */
  #exchanges = new Map<string, { exchanges: readonly Exchange[]; isDone: boolean }>();
  #fence = 0;
  #owner: string | null = null;
  #generation = 0;
  #resultChars = 0;
  #active: number;
  #spare: number;
  #end = 0;
  readonly #limits: LedgerLimits;

  constructor(files: readonly [number, number], limits: LedgerLimits = DEFAULT_LIMITS) {
    this.#limits = limits;
    const [first, second] = files.map((fd) => ({ fd, ...readLedger(fd) })) as [Read, Read];
    const [active, spare] =
      second.generation > first.generation ? [second, first] : [first, second];
    this.#active = active.fd;
    this.#spare = spare.fd;
    this.#end = active.bytes;
    this.#generation = active.generation;
    for (const line of active.lines) this.#apply(line);
    if (active.generation === 0) this.#compact();
  }

  get fence(): number {
    return this.#fence;
  }

  raiseFence(fence: number): void {
    this.#fence = Math.max(this.#fence, fence);
  }

  get owner(): string | null {
    return this.#owner;
  }

  async claim(owner: string): Promise<string> {
    if (this.#owner === null) this.#append({ kind: "claimed", owner });
    const first = this.#owner ?? owner;
    await sync(this.#active);
    return first;
  }

  flush(): Promise<void> {
    return sync(this.#active);
  }

  find(id: string): LedgerEntry | undefined {
    return this.#entries.get(id);
  }

  async start(id: string, digest: string): Promise<boolean> {
    this.#append({ kind: "started", id, digest, fence: this.#fence });
    await sync(this.#active);
    return true;
  }

  finish(id: string, digest: string, result: OperationResult): void {
    const line: Line = { kind: "finished", id, digest, result };
    // The result still reaches its caller, and repeats of the call. After a crash its outcome is unknown.
    if (!unlessFull(() => this.#append(line))) this.#apply(line);
    if (this.#end > this.#limits.fileBytes) unlessFull(() => this.#compact());
  }

  async begin(id: string, exchanges: readonly Exchange[]): Promise<void> {
    this.#append({ kind: "exchange", id, exchanges: [...exchanges] });
    await sync(this.#active);
  }

  exchanged(id: string): void {
    this.#append({ kind: "exchanged", id });
  }

  end(id: string): void {
    this.#append({ kind: "tidied", id });
  }

  /** Changes that a crash cut off, newest first, for a worker to take back before it changes any file. */
  unfinished(): { id: string; exchanges: readonly Exchange[]; isDone: boolean }[] {
    return [...this.#exchanges].map(([id, exchange]) => ({ id, ...exchange })).toReversed();
  }

  /** What could not be written is not remembered either: a start that is not on the disk must not run. */
  #append(line: Line): void {
    this.#end += writeLine(this.#active, line, this.#end);
    this.#apply(line);
  }

  #apply(line: Line): void {
    if (line.kind === "header" || line.kind === "started") this.raiseFence(line.fence);
    if (line.kind === "started")
      this.#entries.set(line.id, { state: "started", digest: line.digest });
    if (line.kind === "finished") this.#remember(line.id, line.digest, line.result);
    if (line.kind === "claimed") this.#owner = line.owner;
    this.#applyExchange(line);
  }

  #applyExchange(line: Line): void {
    if (line.kind === "exchange") {
      this.#exchanges.set(line.id, { exchanges: line.exchanges, isDone: false });
    }
    const known = line.kind === "exchanged" && this.#exchanges.get(line.id);
    if (known) known.isDone = true;
    if (line.kind === "tidied") this.#exchanges.delete(line.id);
  }

  #remember(id: string, digest: string, result: OperationResult): void {
    this.#entries.delete(id);
    this.#entries.set(id, { state: "finished", digest, result });
    this.#resultChars += sizeOf(result);
    this.#forgetOldest();
  }

  /** A call that was cut off goes like any other: if it stayed for ever, such calls would crowd finished ones out. */
  #forgetOldest(): void {
    for (const [id, entry] of this.#entries) {
      const tooMany = this.#entries.size > this.#limits.calls;
      const tooLarge = this.#resultChars > this.#limits.resultChars;
      if (!tooMany && !tooLarge) return;
      if (entry.state === "finished") this.#resultChars -= sizeOf(entry.result);
      if (tooMany) this.#entries.delete(id);
      else if (entry.state === "finished") this.#entries.set(id, { ...entry, result: FORGOTTEN });
    }
  }

  #compact(): void {
    ftruncateSync(this.#spare, 0);
    const lines: Line[] = [
      { kind: "header", generation: this.#generation + 1, fence: this.#fence },
      ...(this.#owner === null ? [] : [{ kind: "claimed", owner: this.#owner } as const]),
      ...[...this.#entries].map(([id, entry]): Line => {
        const { digest } = entry;
        if (entry.state === "started") return { kind: "started", id, digest, fence: this.#fence };
        return { kind: "finished", id, digest, result: entry.result };
      }),
      ...[...this.#exchanges].flatMap(([id, { exchanges, isDone }]): Line[] => [
        { kind: "exchange", id, exchanges: [...exchanges] },
        ...(isDone ? [{ kind: "exchanged", id } as const] : []),
      ]),
      { kind: "complete" },
    ];
    let end = 0;
    for (const line of lines) end += writeLine(this.#spare, line, end);
    [this.#active, this.#spare] = [this.#spare, this.#active];
    const isReplaced = this.#end > 0;
    this.#end = end;
    this.#generation += 1;
    if (!isReplaced) return;
    fdatasyncSync(this.#active); // before the other copy gives its room back
    ftruncateSync(this.#spare, 0);
  }
}

const FULL = new Set(["ENOSPC", "EDQUOT"]);

/** False, and a line for the operator, when the disk had no room. */
function unlessFull(write: () => void): boolean {
  try {
    write();
    return true;
  } catch (error) {
    if (!FULL.has(codeOf(error))) throw error;
    process.stderr.write("deckhand: the ledger's disk is full; results are kept in memory only.\n");
    return false;
  }
}

const FORGOTTEN: OperationResult = {
  success: false,
  kind: "executionFailed",
  message: "This call has finished, but its result is no longer stored.",
};

function sizeOf(result: OperationResult): number {
  return result === FORGOTTEN ? 0 : JSON.stringify(result).length;
}

/** Whole or an error: a disk that fills up in the middle of a line accepts a part of it without one. */
function writeLine(fd: number, line: Line, position: number): number {
  const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
  for (let done = 0; done < bytes.length; ) {
    done += writeSync(fd, bytes, done, bytes.length - done, position + done);
  }
  return bytes.length;
}

interface LedgerFile {
  readonly lines: Line[];
  readonly bytes: number;
  readonly generation: number;
}

interface Read extends LedgerFile {
  readonly fd: number;
}

/** Reads what is whole: a line that a crash cut off ends the reading, and is written over. */
function readLedger(fd: number): LedgerFile {
  const content = readAll(fd);
  const lines: Line[] = [];
  let bytes = 0;
  for (let end = content.indexOf(0x0a); end >= 0; end = content.indexOf(0x0a, bytes)) {
    const line = parseLine(content.toString("utf8", bytes, end));
    if (!line) break;
    lines.push(line);
    bytes = end + 1;
  }
  const header = lines[0];
  const whole = header?.kind === "header" && lines.some((line) => line.kind === "complete");
  return whole
    ? { lines, bytes, generation: header.generation }
    : { lines: [], bytes: 0, generation: 0 };
}

function parseLine(text: string): Line | undefined {
  try {
    return Line.parse(JSON.parse(text));
  } catch {
    return undefined; // the cut-off end of the file
  }
}

function readAll(fd: number): Buffer {
  const pieces: Buffer[] = [];
  for (let position = 0; ; ) {
    const piece = Buffer.alloc(1024 * 1024);
    const read = readSync(fd, piece, 0, piece.length, position);
    if (read === 0) return Buffer.concat(pieces);
    pieces.push(piece.subarray(0, read));
    position += read;
  }
}
