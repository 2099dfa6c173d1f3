import { statfs } from "node:fs/promises";
import { ProtocolError, ProtocolErrorCode, type Server } from "@modelcontextprotocol/server";
import type { z } from "zod";
import {
  ACK_METHOD,
  CallMeta,
  channelMethods,
  OUTPUT_METHOD,
  OutputAck,
} from "../../src/contract/channel.ts";
import { ToolError } from "../../src/contract/operation.ts";
import type { Calls } from "./calls.ts";
import { resolveAll } from "./paths.ts";
import type { ServerSettings } from "./settings.ts";
import type { Terminals } from "./terminal/terminals.ts";

type Methods = typeof channelMethods;
type MethodName = keyof Methods;
type Answers = {
  readonly [Name in MethodName]: (
    params: z.output<Methods[Name]["params"]>,
    server: Server,
  ) => Promise<z.input<Methods[Name]["result"]>>;
};

interface MethodParts {
  readonly calls: Calls;
  readonly terminals: Terminals;
  readonly settings: ServerSettings;
}

/** Serves the methods of the channel contract on one connection's server. */
export function addMethods(parts: MethodParts, server: Server): void {
  const answers = answersOf(parts);
  for (const name of Object.keys(answers) as MethodName[]) {
    addMethod(server, parts.calls, name, answers[name] as Answer);
  }
  server.setNotificationHandler(ACK_METHOD, { params: OutputAck }, (ack) =>
    parts.terminals.ack(ack.session_id, ack.upto_index),
  );
}

/** The one method that a server for a single root call needs. */
export function addCancel(calls: Calls, server: Server): void {
  addMethod(server, calls, "cancel", cancelOf(calls) as Answer);
}

type Answer = (params: unknown, server: Server) => Promise<object>;

function addMethod(server: Server, calls: Calls, name: MethodName, answer: Answer): void {
  const { method, params } = channelMethods[name];
  server.setRequestHandler(method, { params }, async (given, context) => {
    try {
      calls.admit(CallMeta.parse(context.mcpReq._meta ?? {}));
      return { ...(await answer(given, server)) };
    } catch (error) {
      throw error instanceof ToolError ? refusal(error) : error;
    }
  });
}

function cancelOf(calls: Calls): Answers["cancel"] {
  return ({ call }) => calls.cancel(call);
}

function refusal(error: ToolError): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, error.message, {
    kind: error.kind,
    ...error.details,
  });
}

function answersOf({ calls, terminals, settings }: MethodParts): Answers {
  return {
    census: async () => terminals.census(),
    state: async () => ({
      conversation: calls.conversation,
      fence: calls.fence,
      runningCalls: calls.running,
      backgroundRunning: terminals.backgroundRunning(),
      disk: await spaceOf(settings.workspaceDir),
    }),
    terminals: async () => ({ terminals: terminals.list() }),
    resolve: async ({ paths }) => ({ paths: await resolveAll(settings, paths) }),
    resize: async ({ session_id, rows, cols }) => {
      terminals.resize(session_id, { rows, cols });
      return {};
    },
    killAll: async () => terminals.killAll(),
    cancel: cancelOf(calls),
    prewarm: async () => {
      await terminals.prewarm();
      return {};
    },
    follow: async ({ session_id, from_index }, server) =>
      terminals.follow(session_id, from_index, (piece) => {
        void server.notification({ method: OUTPUT_METHOD, params: { ...piece } });
      }),
    unfollow: async ({ session_id }) => {
      terminals.unfollow(session_id);
      return {};
    },
    annotate: async ({ call, text }) => {
      terminals.annotate(calls.conversation ?? "main", call, text);
      return {};
    },
  };
}

async function spaceOf(path: string): Promise<{ totalBytes: number; freeBytes: number }> {
  const { bsize, blocks, bavail } = await statfs(path);
  return { totalBytes: bsize * blocks, freeBytes: bsize * bavail };
}
