import { LocalWorkspaces } from "./local-workspaces.ts";
import type { SeenRequest } from "./model-server/seen.ts";
import type { ModelServer, Script } from "./model-server/server.ts";
import { startModelServer } from "./model-server.ts";
import type { Room } from "./room.ts";
import { WholeBot } from "./whole-bot.ts";

/** One thread, and what the model was asked in it. */
interface Scene {
  readonly room: Room;
  /** Has to stand in the first message: by it the model knows its script. */
  readonly marker: string;
  readonly asked: () => SeenRequest[];
  readonly files: ReturnType<LocalWorkspaces["of"]>["files"];
}

/** The whole bot, a model that says what its script says, and workspaces that are directories. */
export class ScriptedBot implements AsyncDisposable {
  readonly model: ModelServer;
  readonly workspaces: LocalWorkspaces;
  readonly bot: WholeBot;
  #scenes = 0;

  private constructor(model: ModelServer, bot: WholeBot, workspaces: LocalWorkspaces) {
    this.model = model;
    this.bot = bot;
    this.workspaces = workspaces;
  }

  static async start(wire: "chat" | "responses"): Promise<ScriptedBot> {
    const model = await startModelServer();
    const workspaces = new LocalWorkspaces();
    // One more attempt is enough to see that there is one.
    const env = { ...model.env, LLM_API: wire, MODEL_RETRIES: "1" };
    const bot = await WholeBot.start({ env, workspaces: workspaces.port });
    return new ScriptedBot(model, bot, workspaces);
  }

  /** A thread of its own, and the model's replies for it alone: scenes can be played at the same time. */
  async scene(replies: Script["replies"]): Promise<Scene> {
    this.#scenes += 1;
    const marker = `marker-${this.#scenes}.`;
    const isHere = ({ users }: SeenRequest) => users.some((text) => text.includes(marker));
    this.model.script(replies, { when: isHere });
    const room = await this.bot.room();
    return {
      room,
      marker,
      asked: () => this.model.requests.filter(isHere),
      files: this.workspaces.of(room.thread).files,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.bot[Symbol.asyncDispose]();
    await this.model[Symbol.asyncDispose]();
    this.workspaces[Symbol.dispose]();
    if (this.model.problems.length > 0) {
      throw new Error(`The model had to refuse: ${this.model.problems.join("\n")}`);
    }
  }
}
