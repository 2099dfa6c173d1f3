import { createAudit } from "../../../src/audit/audit.ts";
import { verifyStore } from "../../../src/audit/verify.ts";
import { TodoList } from "../../../src/contract/conversation/todo.ts";
import { createRedactor } from "../../../src/redaction/redactor.ts";
import type { KeptPost } from "../../support/memory-platform.ts";
import { readTurns, type SeenTurn } from "./turns.ts";
import type { Run, Violation, World } from "./world.ts";

/** Everything that must be true once a run is over, from what stands outside of the bot. */
export async function checkRun(world: World, run: Run): Promise<Violation[]> {
  const turns = await readTurns(world.store, run);
  const posts = world.rig.platform
    .posts(run.thread)
    .filter(({ only }) => only === undefined && run.story !== undefined);
  const violations = [
    ...(await effectViolations(world, run)),
    ...endViolations(run, posts, turns),
    ...cardViolations(run, posts),
    ...(await decisionViolations(world, run, turns)),
    ...(await todoViolations(world, run)),
    ...world.model.problems.splice(0).map((text) => other(`the model was asked wrongly: ${text}`)),
  ];
  return violations.map(({ kind, text }) => ({
    kind,
    text: `${run.id} ${run.story.name}: ${text}`,
  }));
}

const lost = (text: string): Violation => ({ kind: "lost", text });
const doubled = (text: string): Violation => ({ kind: "doubled", text });
const unapproved = (text: string): Violation => ({ kind: "unapproved", text });
const other = (text: string): Violation => ({ kind: "other", text });

async function effectViolations(world: World, run: Run): Promise<Violation[]> {
  const wanted = run.story.effects(run.id);
  // What runs in the background may need a moment.
  let found = await world.effects(run);
  for (let look = 0; look < 300 && found.length < wanted.length; look += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    found = await world.effects(run);
  }
  const times = (effect: string) => found.filter((one) => one === effect).length;
  const violations = wanted.flatMap((effect): Violation[] => {
    if (times(effect) === 0) return [lost(`${effect} never happened`)];
    return times(effect) === 1 ? [] : [doubled(`${effect} happened ${times(effect)} times`)];
  });
  const surplus = found.filter((effect) => !wanted.includes(effect));
  violations.push(...surplus.map((effect) => unapproved(`${effect} happened`)));
  const early = world.earlyEffects(run);
  if (early) violations.push(unapproved(`before anybody was asked: ${early}`));
  if (run.story.stopAfter && (await world.processes(run)).includes("sleep 600")) {
    violations.push(other("what was stopped still runs"));
  }
  return violations;
}

/** Every turn ends where people can see it, once. */
function endViolations(
  run: Run,
  posts: readonly KeptPost[],
  turns: readonly SeenTurn[],
): Violation[] {
  const violations: Violation[] = [];
  for (const words of run.story.sees(run.id)) {
    const seen = posts.filter((post) => isAnswer(post) && post.text.includes(words));
    if (seen.length === 0) violations.push(lost(`nobody has read "${words}"`));
    if (seen.length > 1) violations.push(doubled(`"${words}" was said ${seen.length} times`));
  }
  for (const { id, outcome } of turns) {
    const own = posts.filter(({ key }) => key.startsWith(`${run.thread}/${id}:`));
    const ends = own.filter(isAnswer);
    if (ends.length === 0) violations.push(lost(`turn ${id} (${outcome}) ended unseen`));
    const cards = own.flatMap(({ view }) => (view?.kind === "activity" ? [view] : []));
    if (cards.length > 1) violations.push(doubled(`turn ${id} has ${cards.length} cards`));
    for (const { status } of cards) {
      if (status === "working" || status === "waiting") {
        violations.push(other(`the card of turn ${id} still says ${status}`));
      }
    }
    const wanted = run.story.stopAfter ? "stopped" : "done";
    if (outcome !== wanted) {
      const said = ends.map(({ text }) => text).join(" / ");
      violations.push(other(`turn ${id} ended ${outcome}: ${said}`));
    }
  }
  return violations;
}

/** Words for people, and complete: neither a card nor the beginning of an answer. */
function isAnswer({ view }: KeptPost): boolean {
  if (view?.kind === "reply") return view.isFinal;
  return (
    view === undefined || !["activity", "approval", "question", "todoBoard"].includes(view.kind)
  );
}

function cardViolations(run: Run, posts: readonly KeptPost[]): Violation[] {
  const { approvals = 0, questions = 0 } = run.story;
  const wanted = [
    ["approval", approvals],
    ["question", questions],
  ] as const;
  return wanted.flatMap(([kind, count]): Violation[] => {
    const cards = posts.filter(({ view, text }) => view?.kind === kind && text.includes(run.id));
    const alive = cards.filter(({ buttons }) => buttons.length > 0);
    return [
      ...(cards.length < count ? [lost(`there is no ${kind} card`)] : []),
      ...(cards.length > count ? [doubled(`there are ${cards.length} ${kind} cards`)] : []),
      ...alive.map(() => other(`the ${kind} card still has its buttons`)),
    ];
  });
}

/** Whatever has begun was allowed, on record, before; what had to be asked was decided by a human before. */
async function decisionViolations(
  { store }: World,
  run: Run,
  turns: readonly SeenTurn[],
): Promise<Violation[]> {
  const audit = createAudit({ store, redactor: createRedactor({ secrets: {} }) });
  const records = await audit.forConversation(run.thread, { limit: 1000 });
  const violations: Violation[] = [];
  for (const callId of turns.flatMap(({ started }) => started)) {
    const own = records.map(({ entry }) => entry).filter((entry) => entry.callId === callId);
    const isAllowed = own.some((entry) => entry.kind === "call" && entry.decision === "allowed");
    if (!isAllowed) violations.push(unapproved(`call ${callId} has no decision on record`));
  }
  const lines = await store.read(run.thread, { after: run.since });
  const asked = lines.filter(({ kind }) => kind === "approval.asked");
  const wanted = run.story.approvals ?? 0;
  if (asked.length > wanted) violations.push(doubled(`it was asked ${asked.length} times`));
  for (const { data } of asked) {
    const { id, callId } = data as { id: string; callId: string };
    const decided = lines.find(
      ({ kind, data: given }) =>
        kind === "approval.decided" && (given as { approval: string }).approval === id,
    );
    const started = lines.find(
      ({ kind, data: given }) =>
        kind === "call.started" && (given as { callId: string }).callId === callId,
    );
    if (started && !(decided && decided.seq < started.seq)) {
      violations.push(unapproved(`call ${callId} began without an answer`));
    }
  }
  return violations;
}

async function todoViolations({ store }: World, run: Run): Promise<Violation[]> {
  const { todos } = run.story;
  if (todos === undefined) return [];
  const line = await store.last(run.thread, "todo");
  const items = line ? TodoList.parse(line.data).items : [];
  const own = items.filter(({ title }) => title.includes(`${run.id}`) && title.endsWith(run.id));
  if (own.length < todos) return [lost(`${own.length} of ${todos} todos are there`)];
  return own.length > todos ? [doubled(`there are ${own.length} of ${todos} todos`)] : [];
}

/** The record as a whole, after everything. */
export async function checkEnd({ store, engine }: World): Promise<Violation[]> {
  const { breaks } = await verifyStore(store);
  const violations = breaks.map(({ number, why }) => other(`audit record ${number}: ${why}`));
  const names = await engine.containers();
  const strange = names.filter((name) => !/-[0-9a-f]{40}$/.test(name));
  return [...violations, ...strange.map((name) => other(`the container ${name} is left over`))];
}
