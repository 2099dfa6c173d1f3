import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import type { Log } from "../lib/log.ts";

/** More than anybody writes, and few enough to be looked at before every turn. */
const MOST_FILES = 200;
const MOST_BYTES = 64 * 1024;

/** What an id may be: the name of its file without the ending. */
const Id = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,49}$/, "must be at most 50 lowercase letters, digits and dashes");
const line = z.string().trim().min(1).max(300);

const SystemHead = z.strictObject({ id: Id, name: line, description: line });
const MiniHead = SystemHead.extend({
  /** Ids of the threads and channels that it is for; a channel's id is what the ids of its threads begin with. */
  scope: z.array(z.string().min(1).max(200)).min(1).max(100).optional(),
  /** Whether it is on where nobody has chosen. */
  enabled: z.boolean().default(false),
});

type SystemFile = z.infer<typeof SystemHead> & { readonly text: string };
export type MiniFile = z.infer<typeof MiniHead> & { readonly text: string };

/** The prompts that the operator keeps as files. Whatever is wrong with one of them is told once and costs only that one. */
export interface PromptFiles {
  /** By their ids. */
  system(): Promise<readonly SystemFile[]>;
  minis(): Promise<readonly MiniFile[]>;
}

/** Files that change are read anew with the next question, without a restart. */
export function createPromptFiles(directory: string, log: Log): PromptFiles {
  const system = new PromptFolder(join(directory, "system"), SystemHead, log);
  const minis = new PromptFolder(join(directory, "mini"), MiniHead, log);
  return { system: () => system.read(), minis: () => minis.read() };
}

interface Known<Prompt> {
  /** Another one for every other content. */
  readonly version: string;
  /** The last that could be used. */
  readonly prompt: Prompt | undefined;
}

class PromptFolder<Head extends { readonly id: string }> {
  readonly #directory: string;
  readonly #head: z.ZodType<Head>;
  readonly #log: Log;
  #known: ReadonlyMap<string, Known<Head & { readonly text: string }>> = new Map();
  #reading: Promise<void> | undefined;
  #problem = "";

  constructor(directory: string, head: z.ZodType<Head>, log: Log) {
    this.#directory = directory;
    this.#head = head;
    this.#log = log;
  }

  async read(): Promise<readonly (Head & { readonly text: string })[]> {
    // Those who ask at the same time look once.
    this.#reading ??= this.#look().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
    return [...this.#known.values()].flatMap(({ prompt }) => prompt ?? []);
  }

  async #look(): Promise<void> {
    const names = await this.#names();
    if (!names) return;
    const known = new Map<string, Known<Head & { readonly text: string }>>();
    for (const name of names) {
      const found = await this.#file(name, this.#known.get(name));
      if (found) known.set(name, found);
    }
    this.#known = known;
  }

  /** Undefined: what was known stays. */
  async #names(): Promise<string[] | undefined> {
    try {
      const all = (await readdir(this.#directory)).filter((name) => name.endsWith(".md")).sort();
      const tooMany = `${this.#directory} has more than ${MOST_FILES} prompts, so those after ${all[MOST_FILES - 1]} are ignored. Move some elsewhere.`;
      this.#tell(all.length > MOST_FILES ? tooMany : "");
      return all.slice(0, MOST_FILES);
    } catch (error) {
      if (isMissing(error)) return [];
      this.#tell(
        `${this.#directory} cannot be read, so its prompts stay as they were: ${reasonOf(error)}. Give the bot read access.`,
      );
      return undefined;
    }
  }

  #tell(problem: string): void {
    if (problem !== "" && problem !== this.#problem) this.#log("warn", problem);
    this.#problem = problem;
  }

  async #file(
    name: string,
    before: Known<Head & { readonly text: string }> | undefined,
  ): Promise<Known<Head & { readonly text: string }> | undefined> {
    const path = join(this.#directory, name);
    let version = "unreadable";
    try {
      const { mtimeNs, size, ino } = await stat(path, { bigint: true });
      version = `${mtimeNs}:${size}:${ino}`;
      if (before?.version === version) return before;
      if (size > MOST_BYTES) throw new Error(`it is larger than ${MOST_BYTES} bytes`);
      const prompt = readPrompt(this.#head, await readFile(path, "utf8"));
      if (`${prompt.id}.md` !== name)
        throw new Error(`its id is ${prompt.id}, not its file's name`);
      return { version, prompt };
    } catch (error) {
      if (isMissing(error)) return undefined;
      const kept = before?.prompt ? "its last valid version is used" : "it is ignored";
      if (before?.version !== version) {
        this.#log("warn", `${path}: ${reasonOf(error)}. Until you correct it, ${kept}.`);
      }
      return { version, prompt: before?.prompt };
    }
  }
}

/** Reads a prompt file: a head in YAML between lines of three dashes, then the prompt itself. */
function readPrompt<Head>(schema: z.ZodType<Head>, file: string): Head & { text: string } {
  const [, head, text = ""] =
    /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n([\s\S]*))?$/.exec(file) ?? [];
  if (head === undefined) {
    throw new Error("it must start with a YAML head between two lines of three dashes");
  }
  if (text.trim() === "") throw new Error("it has no text after its head");
  const parsed = schema.safeParse(parse(head, { maxAliasCount: 0 }));
  if (parsed.success) return { ...parsed.data, text: text.trim() };
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join(".")} ${message}`);
  throw new Error(`its head is invalid: ${problems.join("; ").trim()}`);
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.trim().replace(/\.$/, "");
}
