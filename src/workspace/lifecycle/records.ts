import { randomBytes } from "node:crypto";
import { link, mkdir, open, readdir, readFile, rename, unlink } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { RecordedTerminal } from "../../contract/workspace/recorded-terminal.ts";
import { conversationKey } from "../names.ts";

/** What is kept about a conversation's workspace while no container of it may exist. */
export const WorkspaceRecord = z.object({
  conversation: z.string(),
  workspace: z.string(),
  createdAt: z.string(),
  lastUsedAt: z.string(),
  keep: z.boolean(),
  /** Set first when a workspace is removed: a removal that was cut off is finished, never undone. */
  removing: z.boolean(),
});
export type WorkspaceRecord = z.infer<typeof WorkspaceRecord>;

/** Where the mapping from conversations to workspaces is kept. */
export interface Records {
  /** This bot's own name on an engine; made once. */
  instance(): Promise<string>;
  find(conversation: string): Promise<WorkspaceRecord | undefined>;
  list(): Promise<WorkspaceRecord[]>;
  /** First wins: resolves with the record that is there afterwards. */
  claim(record: WorkspaceRecord): Promise<WorkspaceRecord>;
  /** Does nothing when there is no record. */
  update(conversation: string, change: Partial<WorkspaceRecord>): Promise<void>;
  /** The recorded output of its terminals. */
  terminals(conversation: string): Promise<RecordedTerminal[]>;
  recordTerminals(conversation: string, terminals: readonly RecordedTerminal[]): Promise<void>;
  /** Removes everything that is recorded about the conversation's workspace. */
  remove(conversation: string): Promise<void>;
}

const Instance = z.object({ instance: z.string().regex(/^[0-9a-f]{8,}$/) });

/** One small file per conversation, each written whole and synced before it gets its name. */
export class FileRecords implements Records {
  readonly #directory: string;
  readonly #instanceFile: string;

  constructor(dataDir: string) {
    this.#directory = join(dataDir, "workspaces");
    this.#instanceFile = join(dataDir, "instance.json");
  }

  async instance(): Promise<string> {
    const made = { instance: randomBytes(6).toString("hex") };
    await this.#prepare();
    const kept = await readJson(this.#instanceFile, Instance);
    if (kept) return kept.instance;
    await this.#writeFirst(this.#instanceFile, made);
    return ((await readJson(this.#instanceFile, Instance)) ?? made).instance;
  }

  find(conversation: string): Promise<WorkspaceRecord | undefined> {
    return readJson(this.#file(conversation), WorkspaceRecord);
  }

  async list(): Promise<WorkspaceRecord[]> {
    await this.#prepare();
    const names = (await readdir(this.#directory)).filter((name) => name.endsWith(".json"));
    const records = await Promise.all(
      names.map((name) => readJson(join(this.#directory, name), WorkspaceRecord)),
    );
    return records.filter((record) => record !== undefined);
  }

  async claim(record: WorkspaceRecord): Promise<WorkspaceRecord> {
    await this.#prepare();
    await this.#writeFirst(this.#file(record.conversation), record);
    return (await this.find(record.conversation)) ?? record;
  }

  async update(conversation: string, change: Partial<WorkspaceRecord>): Promise<void> {
    const record = await this.find(conversation);
    if (!record) return;
    const temporary = await this.#writeTemporary({ ...record, ...change });
    await rename(temporary, this.#file(conversation));
    await this.#syncDirectory();
  }

  async terminals(conversation: string): Promise<RecordedTerminal[]> {
    return (await readJson(this.#terminalsFile(conversation), z.array(RecordedTerminal))) ?? [];
  }

  async recordTerminals(
    conversation: string,
    terminals: readonly RecordedTerminal[],
  ): Promise<void> {
    const temporary = await this.#writeTemporary(terminals);
    await rename(temporary, this.#terminalsFile(conversation));
    await this.#syncDirectory();
  }

  async remove(conversation: string): Promise<void> {
    await unlink(this.#terminalsFile(conversation)).catch(ignore("ENOENT"));
    await unlink(this.#file(conversation)).catch(ignore("ENOENT"));
    await this.#syncDirectory();
  }

  #file(conversation: string): string {
    return join(this.#directory, `${conversationKey(conversation)}.json`);
  }

  #terminalsFile(conversation: string): string {
    return join(this.#directory, `${conversationKey(conversation)}.terminals`);
  }

  async #prepare(): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
  }

  /** A link fails when the name is taken, so the first writer wins, and nobody ever reads half a file. */
  async #writeFirst(file: string, value: unknown): Promise<void> {
    const temporary = await this.#writeTemporary(value);
    await link(temporary, file).catch(ignore("EEXIST"));
    await unlink(temporary);
    await this.#syncDirectory();
  }

  async #writeTemporary(value: unknown): Promise<string> {
    const file = join(this.#directory, `.${randomBytes(8).toString("hex")}.tmp`);
    const handle = await open(file, "wx", 0o600);
    try {
      await handle.writeFile(`${JSON.stringify(value)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    return file;
  }

  async #syncDirectory(): Promise<void> {
    const handle = await open(this.#directory, "r");
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
}

async function readJson<T>(file: string, schema: z.ZodType<T>): Promise<T | undefined> {
  const text = await readFile(file, "utf8").catch(ignore("ENOENT"));
  return text === undefined ? undefined : schema.parse(JSON.parse(text));
}

function ignore(code: string) {
  return (error: NodeJS.ErrnoException): undefined => {
    if (error.code !== code) throw error;
    return undefined;
  };
}
