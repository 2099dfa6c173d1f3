import { openChannelProfiles } from "../../src/app/channel-profiles.ts";
import { type Core, type CoreParts, openCore } from "../../src/app/core.ts";
import type { Config } from "../../src/config.ts";
import type { Adapter } from "../../src/contract/platform/adapter.ts";
import type { Incoming } from "../../src/contract/platform/incoming.ts";
import { createRedactor } from "../../src/redaction/redactor.ts";

export interface BotParts
  extends Pick<CoreParts, "store" | "workspaces" | "tools" | "holder" | "pace" | "egress"> {
  readonly config: Config;
  readonly adapter: Adapter;
  /** Is given what was logged for the operator to look at. */
  readonly problems: string[];
  /** Told of each event once it was received, with the time that took. */
  readonly onReceived?: (incoming: Incoming, ms: number) => void;
}

/** The core at work on one platform, as the application puts it together. Disposing of it ends both. */
export async function startBot(parts: BotParts): Promise<Core> {
  const { adapter, config, problems, onReceived } = parts;
  const core = await openCore({
    ...parts,
    redactor: createRedactor({ secrets: config.secrets }),
    log: (level, message, fields) => {
      if (level !== "warn" && level !== "error") return;
      problems.push(`${message} ${String(fields?.error ?? "")}`);
    },
    adapterOf: () => adapter,
    channels: openChannelProfiles(config.channelsFile),
  });
  await core.start();
  const receive = async (incoming: Incoming) => {
    const from = performance.now();
    const receipt = await core.receive(incoming);
    onReceived?.(incoming, performance.now() - from);
    return receipt;
  };
  await adapter.start(receive, () => void core.conversations.restore(adapter.platform));
  return {
    ...core,
    [Symbol.asyncDispose]: async () => {
      await adapter[Symbol.asyncDispose]();
      await core[Symbol.asyncDispose]();
    },
  };
}
