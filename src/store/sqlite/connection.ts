import { statSync } from "node:fs";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { StoreError } from "../../contract/store.ts";
import { openFile } from "./database-file.ts";
import { isBusy, isFatal, sqliteProblem } from "./problems.ts";
import { MIGRATIONS, schemaVersion } from "./schema.ts";

/** One for all that wait in the same tick: the disk's answer is what a write costs. */
const BATCH = 256;
/** So many go on after a write in one round of the event loop: what they do next may take them milliseconds. */
const ANSWERED_AT_ONCE = 4;
const BUSY_WAIT_MS = 5_000;
const BUSY_PAUSE_MS = 5;

type Work = (sql: Sql) => unknown;

interface Job {
  readonly work: Work;
  readonly isUrgent: boolean;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: StoreError) => void;
}

/** Gives the prepared statement of a text, the same one each time. */
export type Sql = (text: string) => StatementSync;

/** One open file. Whatever goes wrong with it is thrown as a StoreError. */
export class Connection {
  readonly file: string;
  readonly #database: DatabaseSync;
  readonly #inode: number;
  readonly #statements = new Map<string, StatementSync>();
  readonly #queue: Job[] = [];
  readonly #answers: (() => void)[] = [];
  #flushing: Promise<void> | undefined;
  #isAnswering = false;
  #unusable: StoreError | undefined;

  private constructor(file: string, database: DatabaseSync) {
    this.file = file;
    this.#database = database;
    this.#inode = statSync(file).ino;
  }

  static async open(file: string): Promise<Connection> {
    try {
      return await whileBusy(() => new Connection(file, openFile(file)));
    } catch (error) {
      throw sqliteProblem(file, error);
    }
  }

  async read<T>(work: (sql: Sql) => T): Promise<T> {
    try {
      return await whileBusy(() => {
        this.#refuseUnusable();
        return work(this.#sql);
      });
    } catch (error) {
      throw this.#problem(error);
    }
  }

  /**
   * Resolves once what `work` wrote is on the disk. It runs in a transaction, together with others, and may run
   * again: it must depend on nothing but the database. If it throws, nothing of the transaction is kept. What is
   * urgent is told before the rest: somebody stands at the door.
   */
  write<T>(work: (sql: Sql) => T, { isUrgent = false } = {}): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ work, isUrgent, resolve: resolve as Job["resolve"], reject });
      this.#flushing ??= this.#flush();
    });
  }

  async close(): Promise<void> {
    await this.#flushing;
    this.#unusable ??= new StoreError("The store is closed.");
    if (this.#database.isOpen) this.#database.close();
  }

  /** Once per round of the event loop: whoever goes on after a write and writes again does not keep others out. */
  async #flush(): Promise<void> {
    while (this.#queue.length > 0) {
      await new Promise(setImmediate);
      await this.#commit(this.#queue.splice(0, BATCH));
    }
    this.#flushing = undefined;
  }

  async #commit(batch: readonly Job[]): Promise<void> {
    try {
      const values = await whileBusy(() => this.#transaction(batch));
      for (const [index, { resolve, isUrgent }] of batch.entries()) {
        if (isUrgent) resolve(values[index]);
        else this.#answers.push(() => resolve(values[index]));
      }
    } catch (error) {
      const problem = this.#problem(error);
      for (const { reject } of batch) reject(problem);
    }
    if (!this.#isAnswering) this.#answer();
  }

  /** In order, and not all at once: a hundred conversations that go on together would keep everybody else out. */
  #answer(): void {
    for (const answer of this.#answers.splice(0, ANSWERED_AT_ONCE)) answer();
    this.#isAnswering = this.#answers.length > 0;
    if (this.#isAnswering) setImmediate(() => this.#answer());
  }

  #transaction(batch: readonly Job[]): unknown[] {
    this.#refuseUnusable();
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      this.#refuseOther();
      const values = batch.map(({ work }) => work(this.#sql));
      this.#database.exec("COMMIT");
      return values;
    } catch (error) {
      // SQLite may have rolled back by itself, as it does when the disk is full.
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  readonly #sql: Sql = (text) => {
    const known = this.#statements.get(text);
    if (known) return known;
    const statement = this.#database.prepare(text);
    this.#statements.set(text, statement);
    return statement;
  };

  #refuseUnusable(): void {
    if (this.#unusable) throw this.#unusable;
  }

  /** Whoever writes on into a file that was deleted, replaced or migrated acknowledges what nobody will find again. */
  #refuseOther(): void {
    if (statSync(this.file, { throwIfNoEntry: false })?.ino !== this.#inode) {
      throw new StoreError(
        `The database ${this.file} was moved or replaced while Deckhand used it: put it back, then restart Deckhand. Nothing was written.`,
      );
    }
    if (schemaVersion(this.#database) !== MIGRATIONS.length) {
      throw new StoreError(
        `The database ${this.file} was upgraded by another version of Deckhand: stop this one, or restart it with that version. Nothing was written.`,
      );
    }
  }

  #problem(error: unknown): StoreError {
    const problem = sqliteProblem(this.file, error);
    if (isFatal(error)) this.#unusable = problem;
    return problem;
  }
}

/** Tries again while another process writes, without stopping this one. */
export async function whileBusy<T>(attempt: () => T): Promise<T> {
  for (const end = Date.now() + BUSY_WAIT_MS; ; ) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || Date.now() > end) throw error;
    }
    await sleep(BUSY_PAUSE_MS * (1 + Math.random()));
  }
}
