import type { MiniPrompt } from "../../../contract/conversation/prompt.ts";
import { actorKey } from "../../../contract/platform/actor.ts";
import { brief } from "../brief.ts";
import type { CommandDeps } from "../deps.ts";
import {
  type Answer,
  type Asked,
  CommandRefusedError,
  notice,
  saying,
  type Verb,
} from "../verb.ts";

const KNOWN_ID = { id: /^[\w.-]{1,100}$/ };
const NEW_ID = { id: /^[a-z0-9][a-z0-9-]{0,49}$/i };
/** What people write themselves is sent with every request. */
const MOST_CHARS = 4000;
const MOST_OWN = 20;

export const mini: Verb = {
  name: "mini",
  forms: [
    {
      usage: "mini",
      summary: "standing requests to the agent (mini prompts)",
      act: "readThread",
      run: list,
    },
    { usage: "mini list", summary: "the same", act: "readThread", run: list },
    {
      usage: "mini enable <id>",
      summary: "turn a standing request on in this thread",
      takes: KNOWN_ID,
      act: "changeSettings",
      run: (deps, asked, { id = "" }) => turn(deps, asked, id, true),
    },
    {
      usage: "mini disable <id>",
      summary: "turn it off",
      takes: KNOWN_ID,
      act: "changeSettings",
      run: (deps, asked, { id = "" }) => turn(deps, asked, id, false),
    },
    {
      usage: "mini add <id> <text…>",
      summary: "write or replace one for this thread",
      takes: NEW_ID,
      act: "changeSettings",
      run: (deps, asked, { id = "", text = "" }) => add(deps, asked, id.toLowerCase(), text),
    },
    {
      usage: "mini remove <id>",
      summary: "delete one that was written here",
      takes: NEW_ID,
      act: "changeSettings",
      run: (deps, asked, { id = "" }) => remove(deps, asked, id.toLowerCase()),
    },
  ],
};

async function list(deps: CommandDeps, { conversation }: Asked): Promise<Answer> {
  const all = await deps.prompts.miniPrompts(conversation);
  if (all.length === 0) {
    return saying("There are no mini prompts. Write one with `mini add <id> <text…>`.");
  }
  return saying(all.map((one) => `- ${described(deps, one)}`).join("\n"));
}

function described(deps: CommandDeps, { id, name, content, enabled, scope }: MiniPrompt): string {
  const where = scope === "global" ? "" : ", here only";
  const words = name === id ? content : `${name}. ${content}`;
  return `\`${id}\` (${enabled ? "on" : "off"}${where}): ${brief(deps, words, 200)}`;
}

async function turn(deps: CommandDeps, asked: Asked, id: string, isOn: boolean): Promise<Answer> {
  const { conversation } = asked;
  const known = (await deps.prompts.miniPrompts(conversation)).map((one) => one.id);
  if (!known.includes(id)) {
    throw new CommandRefusedError(
      `There is no mini prompt ${id}. There are: ${known.join(", ") || "none"}.`,
    );
  }
  await record(deps, asked, id, isOn ? "on" : "off");
  await deps.choices.change(conversation, ({ minisOff = [], ...chosen }) => {
    const [on, off] = [chosen.minis, minisOff].map((ids) => ids.filter((one) => one !== id));
    return isOn
      ? { ...chosen, minis: [...(on ?? []), id], ...some("minisOff", off) }
      : { ...chosen, minis: on ?? [], minisOff: [...(off ?? []), id] };
  });
  return changed(`The mini prompt ${id} is ${isOn ? "on" : "off"} in this thread`);
}

async function add(deps: CommandDeps, asked: Asked, id: string, text: string): Promise<Answer> {
  const { conversation } = asked;
  const { ownMinis = [] } = await deps.choices.of(conversation);
  const others = ownMinis.filter((one) => one.id !== id);
  const isOwn = others.length < ownMinis.length;
  const known = await deps.prompts.miniPrompts(conversation);
  if (!isOwn && known.some((one) => one.id === id)) {
    throw new CommandRefusedError(`The mini prompt ${id} already exists. Choose another id.`);
  }
  if (text.length > MOST_CHARS) {
    throw new CommandRefusedError(
      `A mini prompt can have at most ${MOST_CHARS} characters; this one has ${text.length}.`,
    );
  }
  if (others.length >= MOST_OWN) {
    throw new CommandRefusedError(
      `A thread can have at most ${MOST_OWN} mini prompts of its own. Remove one first.`,
    );
  }
  await record(deps, asked, id, text);
  await deps.choices.change(conversation, ({ minisOff = [], ...chosen }) => ({
    ...chosen,
    ...some(
      "minisOff",
      minisOff.filter((one) => one !== id),
    ),
    ownMinis: [...(chosen.ownMinis ?? []).filter((one) => one.id !== id), { id, text }],
  }));
  return changed(`The mini prompt ${id} was ${isOwn ? "replaced" : "added"} and is on`);
}

async function remove(deps: CommandDeps, asked: Asked, id: string): Promise<Answer> {
  const { conversation } = asked;
  const { ownMinis = [] } = await deps.choices.of(conversation);
  if (ownMinis.every((one) => one.id !== id)) {
    const own = ownMinis.map((one) => one.id).join(", ") || "none";
    throw new CommandRefusedError(
      `No mini prompt ${id} was written in this thread. There are: ${own}. Others can be turned off with \`mini disable\`.`,
    );
  }
  await record(deps, asked, id, null);
  await deps.choices.change(conversation, ({ minisOff = [], ownMinis: own = [], ...chosen }) => ({
    ...chosen,
    minis: chosen.minis.filter((one) => one !== id),
    ...some(
      "minisOff",
      minisOff.filter((one) => one !== id),
    ),
    ...some(
      "ownMinis",
      own.filter((one) => one.id !== id),
    ),
  }));
  return changed(`The mini prompt ${id} was removed`);
}

function changed(what: string): Answer {
  return { announced: [notice(`${what}. This takes effect with the agent's next turn.`)] };
}

/** A list that is empty is left out. */
function some<Key extends string, One>(
  key: Key,
  ones: readonly One[] | undefined,
): { [Name in Key]?: One[] } {
  return (ones && ones.length > 0 ? { [key]: [...ones] } : {}) as { [Name in Key]?: One[] };
}

async function record(
  { audit }: CommandDeps,
  { actor, conversation }: Asked,
  id: string,
  to: string | null,
): Promise<void> {
  const setting = `mini ${id}`;
  await audit.record({
    kind: "setting.changed",
    actor: actorKey(actor),
    conversation,
    setting,
    to,
  });
}
