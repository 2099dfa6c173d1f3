import type { Core } from "../../src/app/core.ts";
import type { Store } from "../../src/contract/store.ts";
import type { WorkspaceCall } from "../../src/contract/workspace/workspace.ts";
import { nextOf } from "../../src/conversation/turn/next.ts";
import { until } from "./until.ts";
import type { NotedWorkspaces } from "./web-bot.ts";

/** The whole bot on some platform; its workspaces only note what they are asked for. */
export abstract class PlatformBot {
  abstract readonly core: Core;
  abstract readonly store: Store;
  abstract readonly workspaces: NotedWorkspaces;
  readonly problems: string[] = [];

  begunIn(thread: string): WorkspaceCall[] {
    const here = this.workspaces.begun.filter(({ conversation }) => conversation === thread);
    return here.map(({ call }) => call);
  }

  /** Everything that has arrived for this conversation is seen to, and what had to be shown is shown. */
  async rests(thread: string, withinMs = 30_000): Promise<void> {
    const isAtRest = async () => {
      const rows = await this.store.inbox.pending();
      if (rows.some(({ conversation }) => conversation === thread)) return false;
      const { kind } = nextOf(await this.core.conversations.state(thread));
      return kind === "idle" || kind === "wait";
    };
    await until(isAtRest, `${thread} to rest`, {
      withinMs,
      seen: async () => ({
        inbox: await this.store.inbox.pending(),
        journal: (await this.store.read(thread)).map(({ kind }) => kind),
        problems: this.problems,
      }),
    });
  }
}
