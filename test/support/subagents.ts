import { childrenPrefix } from "../../src/contract/conversation/subagent.ts";
import { call, type Reply } from "./model-server/replies.ts";
import type { Talk } from "./talk.ts";

/** An order to a subagent whose instructions carry a marker. */
export const order = (marker: string, more: Readonly<Record<string, unknown>> = {}) =>
  ["run_subagent", { task: `Task ${marker}`, instructions: `[${marker}] do it`, ...more }] as const;

export const requestsOf = (talk: Talk, marker: string) =>
  talk.model.requests.filter(({ users }) => users.some((text) => text.includes(`[${marker}]`)));

/** What a conversation is answered, step by step. */
export function script(talk: Talk, marker: string, replies: readonly Reply[]): void {
  talk.model.script(replies, { when: `[${marker}]` });
}

export async function childrenOf(talk: Talk): Promise<string[]> {
  return talk.store.documents("subagents").keys(childrenPrefix(talk.thread));
}

export const createFile = (filePath: string, content = "made") =>
  call("file_operations", { operation: "create_file", filePath, content });

export const subagentFile = async (talk: Talk, name: string) => {
  const [child = ""] = await childrenOf(talk);
  const id = child.split(":").at(-1);
  return talk.workspaces.of(talk.thread).files.path(`.deckhand/subagents/${id}/${name}`);
};
