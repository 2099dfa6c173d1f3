import type { RedisSettings } from "../settings.ts";
import { RedisConnection, type Script } from "./connection.ts";
import { refuseForgetful } from "./durability.ts";
import { type Keys, keysUnder } from "./keys.ts";
import { redisProblem } from "./problems.ts";
import { prepareSchema } from "./schema.ts";

/** One bot's keys in one Redis, each question bound to the store that was opened. */
export class RedisStore {
  readonly connection: RedisConnection;
  readonly keys: Keys;
  readonly #mark: string;

  private constructor(connection: RedisConnection, keys: Keys, mark: string) {
    this.connection = connection;
    this.keys = keys;
    this.#mark = mark;
  }

  static async open(settings: RedisSettings): Promise<RedisStore> {
    const connection = await RedisConnection.open(settings);
    try {
      await refuseForgetful(connection, settings);
      const mark = await prepareSchema(connection, settings);
      return new RedisStore(connection, keysUnder(settings.prefix), mark);
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  /** Runs a script whose first key and argument are the store's mark. */
  readonly run = (script: Script, keys: readonly string[], args: readonly (string | number)[]) =>
    this.connection.run(script, [this.keys.schema, ...keys], [this.#mark, ...args]);

  /** For what is no script: the mark is asked for in the same breath. */
  async ask<T>(question: () => Promise<T>): Promise<T> {
    const [mark, answer] = await this.connection.ask((client) =>
      Promise.all([client.get(this.keys.schema), question()]),
    );
    if (mark === this.#mark) return answer;
    throw redisProblem(this.connection.place, new Error("OTHERSTORE the schema mark has changed"));
  }
}
