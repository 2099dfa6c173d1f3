import { statfs } from "node:fs/promises";
import { z } from "zod";
import {
  ACK_METHOD,
  type Census,
  channelMethods,
  OUTPUT_METHOD,
  OutputAck,
  type OutputPiece,
  type TerminalInfo,
} from "../../src/contract/workspace/channel.ts";
import type { CallRequest, Calls } from "./calls.ts";
import { type DirectMethods, type DirectRequest, InvalidParamsError } from "./direct.ts";
import type { Ownership } from "./ledger.ts";
import { resolveAll } from "./paths.ts";
import { metaOf, serveCalls } from "./server.ts";
import type { ServerSettings } from "./settings.ts";

type Methods = typeof channelMethods;
type MethodName = keyof Methods;
type Answers = {
  readonly [Name in MethodName]: (
    params: z.output<Methods[Name]["params"]>,
    request: DirectRequest,
  ) => Promise<z.input<Methods[Name]["result"]>>;
};

/** The workspace's terminals, as people and the bot use them. */
export interface TerminalService {
  census(): Promise<Census>;
  killAll(): Promise<Census>;
  backgroundRunning(): Promise<number>;
  list(): Promise<TerminalInfo[]>;
  resize(sessionId: string, size: { rows: number; cols: number }): Promise<void>;
  prewarm(): Promise<void>;
  follow(
    sessionId: string,
    fromIndex: number,
    send: (piece: OutputPiece) => void,
  ): Promise<{ from_index: number; dropped: number }>;
  unfollow(sessionId: string): Promise<void>;
  annotate(conversation: string, callId: string, text: string): Promise<void>;
  ack(sessionId: string, upToIndex: number): void;
}

interface MethodParts {
  readonly calls: Calls;
  readonly ownership: Ownership;
  readonly terminals: TerminalService;
  readonly settings: ServerSettings;
}

/** Everything that one connection may ask and tell, beside what the SDK serves. */
export function directMethods(parts: MethodParts): DirectMethods {
  const { calls, terminals } = parts;
  const answers = answersOf(parts);
  const names = Object.keys(answers) as MethodName[];
  return {
    requests: new Map([
      ["tools/call", serveCalls(calls)],
      ...names.map((name) => serveMethod(calls, name, answers[name] as Answer)),
    ]),
    notifications: new Map([[ACK_METHOD, (params) => takeAck(terminals, params)]]),
  };
}

/** All that a server for a single root call needs. */
export function rootMethods(calls: Calls): DirectMethods {
  return {
    requests: new Map([
      ["tools/call", serveCalls(calls)],
      serveMethod(calls, "cancel", cancelOf(calls) as Answer),
    ]),
    notifications: new Map(),
  };
}

type Answer = (params: unknown, request: DirectRequest) => Promise<object>;

function serveMethod(
  calls: Calls,
  name: MethodName,
  answer: Answer,
): [string, (request: DirectRequest) => Promise<object>] {
  const { method, params } = channelMethods[name];
  return [
    method,
    async (request) => {
      calls.admit(metaOf(request));
      const parsed = params.safeParse(request.params);
      if (parsed.success) return answer(parsed.data, request);
      throw new InvalidParamsError(`${method}: ${z.prettifyError(parsed.error)}`);
    },
  ];
}

function takeAck(terminals: TerminalService, params: unknown): void {
  const ack = OutputAck.safeParse(params);
  if (ack.success) terminals.ack(ack.data.session_id, ack.data.upto_index);
}

function cancelOf(calls: Calls): Answers["cancel"] {
  return ({ call }) => calls.cancel(call);
}

/** Goes the way of every call and changes nothing, so that the first real one finds all code loaded. */
const REHEARSAL: CallRequest = {
  tool: "terminal_operations",
  args: { operation: "get_last_command" },
  meta: {},
  signal: new AbortController().signal,
  onProgress: () => {},
};

function answersOf({ calls, ownership, terminals, settings }: MethodParts): Answers {
  return {
    census: () => terminals.census(),
    state: async () => ({
      owner: ownership.owner,
      conversation: calls.conversation,
      fence: calls.fence,
      runningCalls: calls.running,
      backgroundRunning: await terminals.backgroundRunning(),
      disk: await spaceOf(settings.workspaceDir),
    }),
    claim: async ({ owner }) => ({ owner: await ownership.claim(owner) }),
    terminals: async () => ({ terminals: await terminals.list() }),
    resolve: async ({ paths }) => ({ paths: await resolveAll(settings, paths) }),
    resize: async ({ session_id, rows, cols }) => {
      await terminals.resize(session_id, { rows, cols });
      return {};
    },
    killAll: () => terminals.killAll(),
    cancel: cancelOf(calls),
    prewarm: async () => {
      await Promise.all([terminals.prewarm(), ownership.flush()]);
      await calls.run(REHEARSAL);
      return {};
    },
    follow: async ({ session_id, from_index }, { notify }) =>
      terminals.follow(session_id, from_index, (piece) => notify(OUTPUT_METHOD, { ...piece })),
    unfollow: async ({ session_id }) => {
      await terminals.unfollow(session_id);
      return {};
    },
    annotate: async ({ call, text }) => {
      await terminals.annotate(calls.conversation ?? "main", call, text);
      return {};
    },
  };
}

async function spaceOf(path: string): Promise<{ totalBytes: number; freeBytes: number }> {
  const { bsize, blocks, bavail } = await statfs(path);
  return { totalBytes: bsize * blocks, freeBytes: bsize * bavail };
}
