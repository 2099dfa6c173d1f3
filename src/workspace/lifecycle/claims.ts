import { WorkspaceError } from "../../contract/workspace/workspace.ts";
import { Container } from "../docker/container.ts";
import { LiveWorkspace, type WorkspaceContext } from "../live-workspace.ts";
import { conversationKey, newWorkspaceId, WORKSPACE_LABEL } from "../names.ts";
import type { WorkspacesOptions } from "../options.ts";
import type { Pool } from "./pool.ts";
import type { Records } from "./records.ts";
import type { TerminalRecorder } from "./terminal-records.ts";

/**
 * Which workspace is whose. A container's name tells it: Docker lets only one container have it, and a workspace of the
 * pool gets it only when its own server has recorded the claim. The record keeps the claim when the container is gone.
 * Callers take turns per conversation.
 */
export class Claims {
  readonly #context: WorkspaceContext;
  readonly #records: Records;
  readonly #pool: Pool;
  readonly #imageOf: (conversation: string) => string | undefined;
  readonly #terminals: TerminalRecorder;
  readonly #writes = new Set<Promise<unknown>>();

  constructor(
    context: WorkspaceContext,
    records: Records,
    pool: Pool,
    {
      imageOf = () => undefined,
      terminals,
    }: Pick<WorkspacesOptions, "imageOf"> & { readonly terminals: TerminalRecorder },
  ) {
    this.#context = context;
    this.#records = records;
    this.#pool = pool;
    this.#imageOf = imageOf;
    this.#terminals = terminals;
  }

  /** Resolves when every record of a claim is on disk. */
  async settled(): Promise<void> {
    await Promise.all(this.#writes);
  }

  /** The conversation's workspace: the one it has, one from the pool, or a new one. */
  async find(conversation: string, key: string): Promise<LiveWorkspace> {
    const record = await this.#records.find(conversation);
    if (!record) return this.#claim(conversation, key);
    if (record.removing) {
      await this.destroy(conversation, key);
      return this.#claim(conversation, key);
    }
    const container = this.#context.names.claimed(key);
    return this.#known(conversation, record.workspace, container);
  }

  async #known(conversation: string, workspace: string, container: string): Promise<LiveWorkspace> {
    const image = this.#imageOf(conversation);
    const live = new LiveWorkspace(this.#context, { workspace, container, isNew: false, image });
    await this.#renew(conversationKey(conversation), live);
    return live;
  }

  /** A workspace made to an older recipe gets a new container, unless something runs in it. */
  async #renew(key: string, live: LiveWorkspace): Promise<void> {
    const state = await live.container.inspect();
    if (!state || !(await live.container.isOutdated(state))) return;
    if (["busy", "background"].includes(await live.activity())) return;
    await this.#terminals.record(key, live);
    live.link.close();
    await live.container.removeContainer();
  }

  async #claim(conversation: string, key: string): Promise<LiveWorkspace> {
    const name = this.#context.names.claimed(key);
    // Those of the pool are made from the image of the settings.
    const isUsual = this.#imageOf(conversation) === undefined;
    const pooled = isUsual ? await this.#pool.take(name) : undefined;
    const live =
      pooled instanceof LiveWorkspace ? pooled : await this.#make(conversation, name, pooled);
    // The container's name proves the claim. The record may follow: reconcile can do without it.
    this.#write(this.#record(conversation, live.container.workspace));
    return live;
  }

  async #make(
    conversation: string,
    container: string,
    pooled: "taken" | undefined,
  ): Promise<LiveWorkspace> {
    const image = this.#imageOf(conversation);
    const workspace = newWorkspaceId();
    const live = new LiveWorkspace(this.#context, { workspace, container, isNew: true, image });
    if (pooled === "taken" || (await live.container.createNew()) === "taken")
      return this.#adopt(conversation, container);
    await live.begin();
    return live;
  }

  /** The bot died after the claim and before the record was written. */
  async #adopt(conversation: string, container: string): Promise<LiveWorkspace> {
    const state = await this.#context.engine.inspect(container);
    const workspace = state?.labels[WORKSPACE_LABEL];
    if (!workspace) throw new WorkspaceError("Another thread took this workspace. Try again.");
    return this.#known(conversation, workspace, container);
  }

  async #record(conversation: string, workspace: string): Promise<void> {
    const now = new Date().toISOString();
    const fresh = { createdAt: now, lastUsedAt: now, keep: false, removing: false };
    await this.#records.claim({ conversation, workspace, ...fresh });
  }

  #write(work: Promise<unknown>): void {
    const write = work
      .catch((error: unknown) => {
        this.#context.log("error", "Failed to write a workspace's record.", { error });
      })
      .finally(() => this.#writes.delete(write));
    this.#writes.add(write);
  }

  /** Removes the container, every file, and then the record. */
  async destroy(conversation: string, key: string): Promise<void> {
    const name = this.#context.names.claimed(key);
    const record = await this.#records.find(conversation);
    const labels = (await this.#context.engine.inspect(name))?.labels;
    const workspaces = new Set([record?.workspace, labels?.[WORKSPACE_LABEL]]);
    for (const workspace of workspaces) {
      if (workspace) await new Container(this.#context, workspace, name).destroy();
    }
    await this.#records.remove(conversation);
  }
}
