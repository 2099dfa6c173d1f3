import { LiveWorkspace, type WorkspaceContext } from "../live-workspace.ts";
import { newWorkspaceId } from "../names.ts";
import { claimWorkspace, discardWorkspace } from "./claim-workspace.ts";

interface Entry {
  readonly live: Promise<LiveWorkspace>;
  isReady: boolean;
}

/** Long enough that the first command of a new thread does not compete with making the next workspace. */
const REFILL_PAUSE_MS = 300;
const RETRY_PAUSE_MS = 5_000;

/** Workspaces that are started, attached and at their prompt before anybody asks. */
export class Pool {
  readonly #context: WorkspaceContext;
  readonly #size: number;
  #entries: Entry[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(context: WorkspaceContext, size: number) {
    this.#context = context;
    this.#size = size;
  }

  /** Claims one. "taken": a container of that name exists already. Undefined: the pool is empty. */
  async take(name: string): Promise<LiveWorkspace | "taken" | undefined> {
    for (let entry = this.#next(); entry; entry = this.#next()) {
      this.#refillAfter(REFILL_PAUSE_MS);
      const live = await entry.live.catch(() => undefined); // whoever made it has said why
      if (!live) continue;
      const claimed = await claimWorkspace(this.#context, live, name);
      if (claimed === "ours") return live;
      if (claimed === "taken") return claimed;
    }
    return undefined;
  }

  /** Takes back a container that an earlier run of this bot had put into the pool. */
  adopt(live: LiveWorkspace): boolean {
    if (this.#isClosed || this.#entries.length >= this.#size) return false;
    this.#entries.push({ live: Promise.resolve(live), isReady: true });
    return true;
  }

  fill(): void {
    while (!this.#isClosed && this.#entries.length < this.#size) this.#entries.push(this.#make());
  }

  /** Resolves when all that is being made is ready. */
  async ready(): Promise<void> {
    await Promise.allSettled(this.#entries.map((entry) => entry.live));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const entries = this.#entries.splice(0);
    await Promise.all(entries.map((entry) => this.#discard(entry)));
  }

  /** One that is ready, else the one that has been in the making longest. */
  #next(): Entry | undefined {
    const ready = this.#entries.findIndex((entry) => entry.isReady);
    return this.#entries.splice(Math.max(ready, 0), 1)[0];
  }

  #make(): Entry {
    const entry: Entry = { live: this.#start(), isReady: false };
    entry.live.then(
      () => {
        entry.isReady = true;
      },
      (error: unknown) => {
        this.#entries = this.#entries.filter((one) => one !== entry);
        this.#context.log("warn", "Failed to fill the warm pool; retrying.", {
          error: String(error),
        });
        this.#refillAfter(RETRY_PAUSE_MS);
      },
    );
    return entry;
  }

  async #start(): Promise<LiveWorkspace> {
    const { log } = this.#context;
    const workspace = newWorkspaceId();
    const container = this.#context.names.pooled(workspace);
    const live = new LiveWorkspace(this.#context, { workspace, container, isNew: true });
    try {
      await live.container.createNew();
      const channel = await live.begin();
      // Nice to have: a server that cannot do it is still a server.
      await channel.request("prewarm", {}).catch((error: unknown) => log("debug", String(error)));
      return live;
    } catch (error) {
      live.link.close();
      // Another process may have claimed it; reconcile removes what is left.
      await live.container.destroyUnclaimed().catch(() => undefined);
      throw error;
    }
  }

  async #discard(entry: Entry): Promise<void> {
    const live = await entry.live.catch(() => undefined); // it was never made
    if (live) await discardWorkspace(this.#context, live);
  }

  #refillAfter(pauseMs: number): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.fill(), pauseMs);
    this.#timer.unref();
  }
}
