import { actorKey, type Presence, presenceNow } from "../../contract/platform/actor.ts";
import { readAction } from "../../contract/platform/view-actions.ts";
import { ToolError } from "../../contract/tools/operation.ts";
import { WorkspaceError } from "../../contract/workspace/workspace.ts";
import type { ConversationLine } from "../../journal/lines.ts";
import type { Commanding, CommandOutcome, Commands } from "../commands.ts";
import { type DirectCall, writeArguments } from "./arguments.ts";
import { deliver } from "./deliver.ts";
import type { CommandDeps } from "./deps.ts";
import { type Command, parseCommand, type Vocabulary } from "./grammar.ts";
import { type Answer, type Asked, CommandRefusedError, type Form, notice, saying } from "./verb.ts";
import { verbs } from "./verbs.ts";

/** One grammar for every door: messages, slash commands and buttons say the same words and are asked the same questions. */
export function createCommands(deps: CommandDeps): Commands {
  const vocabulary: Vocabulary<Form> = {
    isOperation: (name) => deps.tools.isOperation(name),
    operations: () => deps.tools.operations(),
    typeOf: (operation, parameter) => deps.tools.typeOf(operation, parameter),
    verbs: new Map(verbs.map(({ name, forms }) => [name, forms])),
  };
  return {
    async handle(incoming, presence) {
      const said = wordsOf(incoming);
      if (said === undefined) return { kind: "none" };
      const isCommand = incoming.type !== "message";
      const command = parseCommand(said, vocabulary, { isCommand });
      // Platforms let nobody ask for everybody who speaks who they are; those who command are few.
      if (command.kind === "talk" && isForModel(deps, incoming)) return { kind: "none" };
      const asked = await askedBy(deps, incoming, presence);
      return act(deps, incoming, asked, command);
    },
  };
}

/** What was said; of a button, what it stands for. */
function wordsOf(incoming: Commanding): string | undefined {
  if (incoming.type !== "click") return incoming.text;
  const action = readAction(incoming.action);
  if (action?.kind !== "verb") return undefined;
  return [action.verb, ...(action.about?.split(":") ?? [])].join(" ");
}

/** Who asks, as they are now. */
async function askedBy(
  { people }: CommandDeps,
  { thread, actor: { platform }, id }: Commanding,
  presence: Presence,
): Promise<Asked> {
  const now = await presenceNow(people, presence, thread);
  return { conversation: thread, event: `${platform}:${id}`, ...now };
}

async function act(
  deps: CommandDeps,
  incoming: Commanding,
  asked: Asked,
  command: Command<Form>,
): Promise<CommandOutcome> {
  switch (command.kind) {
    case "call": {
      const refused = refusal(deps, asked, "command");
      if (refused === undefined) return direct(deps, incoming, asked, [command.call]);
      return told(deps, incoming, asked, refused);
    }
    case "queue":
      return { kind: "queue", text: command.text };
    case "malformed":
      return told(deps, incoming, asked, command.problem);
    case "talk":
      return talk(deps, incoming, asked, command.hint);
    case "verb":
      return runVerb(deps, incoming, asked, command);
  }
}

async function runVerb(
  deps: CommandDeps,
  incoming: Commanding,
  asked: Asked,
  { form, args }: Extract<Command<Form>, { kind: "verb" }>,
): Promise<CommandOutcome> {
  const refused = refusal(deps, asked, form.act);
  if (refused !== undefined) return told(deps, incoming, asked, refused);
  const answer = await answered(() => form.run(deps, asked, args));
  await deliver(deps, asked, answer, incoming);
  if (answer.stops) return { kind: "stop" };
  return answer.calls ? direct(deps, incoming, asked, answer.calls) : { kind: "done" };
}

/** What cannot be done is an answer, too. Everything else that goes wrong is for whoever tries it again. */
async function answered(run: () => Promise<Answer>): Promise<Answer> {
  try {
    return await run();
  } catch (error) {
    if (!isForPeople(error)) throw error;
    return { views: [notice(error.message, { level: "warning" })] };
  }
}

function isForPeople(error: unknown): error is Error {
  return (
    error instanceof CommandRefusedError ||
    error instanceof ToolError ||
    error instanceof WorkspaceError
  );
}

function refusal(
  { authorize }: CommandDeps,
  { actor, place }: Asked,
  kind: Form["act"],
): string | undefined {
  const may = authorize(actor, { kind }, place);
  return may.allowed ? undefined : may.reason;
}

function isForModel({ model }: CommandDeps, { type }: Commanding): boolean {
  return model !== undefined && type !== "click";
}

/** Nobody answers it: whoever speaks is told what can be said, unless it may be an answer that we wait for. */
async function talk(
  deps: CommandDeps,
  incoming: Commanding,
  asked: Asked,
  hint: string | undefined,
): Promise<CommandOutcome> {
  const { conversation } = asked;
  const waits =
    (await deps.questions.waiting(conversation)).length > 0 ||
    (await deps.approvals.waiting(conversation)).length > 0;
  if (waits && incoming.type !== "click") return { kind: "none" };
  const text = [
    "No model is configured, so I cannot answer that. I only run explicit commands:",
    hint ?? "`$ ls` runs a command in this thread's terminal.",
    "`help` lists everything, and `tour` shows it.",
  ].join(" ");
  await deliver(deps, asked, saying(text), incoming);
  return { kind: "done" };
}

async function told(
  deps: CommandDeps,
  incoming: Commanding,
  asked: Asked,
  text: string,
): Promise<CommandOutcome> {
  await deliver(deps, asked, { views: [notice(text, { level: "warning" })] }, incoming);
  return { kind: "done" };
}

/** One call of a message is its own; several, or those of a button, are written down here, one turn each. */
async function direct(
  deps: CommandDeps,
  incoming: Commanding,
  asked: Asked,
  calls: readonly DirectCall[],
): Promise<CommandOutcome> {
  const [call, another] = calls;
  if (call && !another && incoming.type !== "click") return { kind: "direct", call };
  await deps.journal.write(asked.conversation, ({ events }) =>
    calls
      .map((one, index) => messageLine(incoming, asked, one, index))
      .filter(({ data }) => !events.has(data.event)),
  );
  return { kind: "done" };
}

function messageLine(
  incoming: Commanding,
  { event, actor }: Asked,
  call: DirectCall,
  index: number,
): Extract<ConversationLine, { kind: "message" }> {
  const data = {
    event: `${event}#${index + 1}`,
    messageId: incoming.type === "message" ? incoming.messageId : incoming.id,
    author: actorKey(actor),
    name: incoming.actorName,
    text: `${call.name} ${writeArguments(call.arguments)}`,
    at: incoming.at,
    attachments: [],
    mode: "queue" as const,
    call,
  };
  return { kind: "message", data };
}
