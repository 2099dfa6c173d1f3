import { setTimeout as sleep } from "node:timers/promises";
import { ToolError } from "../../../src/contract/tools/operation.ts";
import type { terminalOperations } from "../../../src/contract/tools/terminal-operations.ts";
import type { Answer, CallContext, Handlers } from "../handlers.ts";
import { absolutePath } from "../paths.ts";
import type { ServerSettings } from "../settings.ts";
import { boundOutput, cleanOutput } from "./clean.ts";
import type { Encoding } from "./decode.ts";
import type { TerminalManager } from "./manager.ts";
import type { Terminal } from "./terminal.ts";

/** How long send_input waits for what its keystrokes bring about. */
const ANSWER_MS = 500;
/** Between the prompt's mark and the last of its characters. */
const SETTLE_MS = 10;

type SessionHandlers = Pick<
  Handlers<typeof terminalOperations>,
  "create_session" | "send_input" | "get_output" | "get_history" | "close_session"
>;

export function sessionHandlers(
  settings: ServerSettings,
  manager: TerminalManager,
): SessionHandlers {
  return {
    create_session: async ({ conversation_id, ...options }, context) => {
      assertOwn(conversation_id ?? context.conversation, context.conversation);
      return createSession(settings, manager, context, options);
    },
    send_input: async ({ session_id, input }, { conversation }) => {
      assertOwn(session_id, conversation);
      return sendInput(manager, session_id, input);
    },
    get_output: async ({ session_id, from_index }, { conversation }) => {
      assertOwn(session_id, conversation);
      const { dropped, ...piece } = manager.getOutput(session_id, from_index);
      return {
        session_id,
        ...piece,
        ...(dropped > 0 && { dropped }),
        ...exitOf(manager.get(session_id)),
      };
    },
    get_history: async ({ session_id }, { conversation }) => {
      assertOwn(session_id, conversation);
      const history = manager.getHistory(session_id);
      return { session_id, history, ...exitOf(manager.get(session_id)) };
    },
    close_session: async ({ session_id }, { conversation }) => {
      assertOwn(session_id, conversation);
      await manager.close(session_id);
      return { session_id, status: "closed" };
    },
  };
}

function assertOwn(sessionId: string, conversation: string): void {
  if (sessionId === conversation) return;
  throw new ToolError(
    "permissionDenied",
    `Terminal "${sessionId}" does not belong to this conversation. Omit the id in create_session ` +
      "and use the session_id that it returns.",
  );
}

interface SessionOptions {
  readonly working_directory?: string | undefined;
  readonly encoding?: Encoding | undefined;
}

async function createSession(
  settings: ServerSettings,
  manager: TerminalManager,
  { conversation, startDirectory = ".", shell }: CallContext,
  { working_directory: path, encoding }: SessionOptions,
): Promise<Answer> {
  const directory = path === undefined ? undefined : absolutePath(settings, path);
  const { terminal, status } = await manager.create(conversation, {
    ...(directory === undefined ? {} : { directory }),
    ...(encoding === undefined ? {} : { encoding }),
    startDirectory: absolutePath(settings, startDirectory),
    shell,
  });
  return {
    session_id: conversation,
    tty_name: terminal.ttyName,
    status,
    working_directory: terminal.directory,
    message: status === "created" ? "A new terminal is open." : "The terminal was already open.",
  };
}

async function sendInput(
  manager: TerminalManager,
  sessionId: string,
  input: string,
): Promise<Answer> {
  const { shell, ring } = manager.get(sessionId);
  const from = ring.end;
  const hint = hintFor(input, shell.phase === "prompt");
  const lines = input.match(/[\r\n]/g)?.length ?? 0;
  const enough = shell.prompts + lines;
  manager.sendInput(sessionId, input);
  const isAnswered = () => shell.phase === "exited" || (lines > 0 && shell.prompts >= enough);
  if (await shell.until(isAnswered, ANSWER_MS)) await sleep(SETTLE_MS);
  const end = ring.end;
  const { output, truncated } = boundOutput(cleanOutput(ring.slice(from, end)));
  return {
    session_id: sessionId,
    status: "sent",
    input,
    output,
    from_index: from,
    end_index: end,
    ...(truncated && { truncated }),
    ...(hint && { hint }),
  };
}

/** Keystrokes without Enter are legal; a whole command without Enter is mostly a mistake. */
function hintFor(input: string, isAtPrompt: boolean): string | null {
  const looksLikeCommand = /^\s*[\w./~][\w./~+-]+(\s|$)/.test(input) && !/\p{Cc}/u.test(input);
  if (!isAtPrompt || !looksLikeCommand) return null;
  return "This was typed but not run: it does not end with \\r (Enter). Send \\r to run it.";
}

function exitOf({ shell }: Terminal): Answer {
  return shell.phase === "exited" ? { state: "exited", exit_code: shell.exitCode } : {};
}
