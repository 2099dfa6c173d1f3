import { randomUUID } from "node:crypto";
import { alreadyText } from "../../contract/approval-text.ts";
import type {
  Approval,
  ApprovalQuestion,
  Decision,
  Grant,
} from "../../contract/permission/approval.ts";
import { APPROVING, type Approving, approves } from "../../contract/permission/approves.ts";
import { OPEN_HOST } from "../../contract/permission/hosts.ts";
import {
  type Authorize,
  actorKey,
  type People,
  type Presence,
  presenceNow,
} from "../../contract/platform/actor.ts";
import { NAMELESS } from "../../contract/platform/nameless.ts";
import type { PermissionLine } from "../../journal/lines.ts";
import { plainLine } from "../../lib/text/write-markdown.ts";
import { parseDuration } from "../grants/durations.ts";
import { newGrant } from "../grants/grants.ts";
import type { Policy } from "../policy/policy.ts";
import {
  already,
  approveAct,
  type Click,
  type ClickOutcome,
  claimOf,
  decided,
  isOpen,
  isSame,
  refused,
  settle,
  UNKNOWN,
  unknown,
  type Waiting,
  waitingIn,
} from "./click.ts";
import type { Ledger, Proposal } from "./ledger.ts";
import { meaningOf } from "./words.ts";

const PHRASE_TRIES = 3;
const SEVERAL = "Several requests are waiting here. Use the buttons on the one you mean.";
const MISTYPED = "You mistyped the phrase three times. Ask another approver.";

export interface ApprovalParts {
  readonly ledger: Ledger;
  readonly policy: Policy;
  readonly authorize: Authorize;
  readonly people: People;
  readonly grantSeconds: number;
  /** Whether 👍 and 👎 count as typed answers. */
  readonly emojiAnswers: boolean;
  readonly now: () => Date;
}

export interface Asked {
  readonly approval: Approval;
  /** False: it waits already, and its card is there. */
  readonly isNew: boolean;
}

/** Questions to people, each bound to one call. A question that waits is nothing but a line in the journal. */
export class Approvals {
  readonly #parts: ApprovalParts;

  constructor(parts: ApprovalParts) {
    this.#parts = parts;
  }

  /**
   * Asks once: what still waits is not asked about again, and neither is a call on which somebody decided before the asker
   * heard of it. With `isAgain` the asker knows of that decision, and it was not enough.
   */
  ask(
    conversation: string,
    question: ApprovalQuestion,
    callId: string,
    { isAgain = false }: { readonly isAgain?: boolean } = {},
  ): Promise<Asked> {
    return this.#parts.ledger.write<Asked>(conversation, ({ approvals }) => {
      const now = this.#parts.now();
      const same = [...approvals.values()].filter(({ digest }) => digest === question.digest);
      const isUnheard = (one: Approval) => !isAgain && one.callId === callId && one.decision;
      const known = same.find((one) => isOpen(one, now)) ?? same.findLast(isUnheard);
      if (known) return { answer: { approval: known, isNew: false } };
      const earlier = [...approvals.values()].findLast((one) => one.callId === callId);
      const asked = this.#newApproval(explained(question, earlier), callId, now);
      return {
        lines: [{ kind: "approval.asked", data: asked }],
        answer: { approval: { ...asked, votes: [], wrongPhrases: {} }, isNew: true },
      };
    });
  }

  /** The first decision counts; who may decide is looked at now, and again for everybody who has approved before. */
  async decide(click: Click): Promise<ClickOutcome> {
    const before = (await this.#parts.ledger.read(click.conversation)).approvals;
    const lapsed = await this.#lapsedVoters(click, before.get(click.approval));
    return this.#parts.ledger.write<ClickOutcome>(click.conversation, ({ approvals }) => {
      const approval = approvals.get(click.approval);
      if (!approval) return { answer: unknown() };
      if (approval.decision) return { answer: already(approval, approval.decision) };
      if (!isOpen(approval, this.#parts.now())) return this.#expire(approval);
      const refusal = this.#refusal(click, approval);
      if (refusal) return { answer: { outcome: "refused", reason: refusal } };
      if (click.choice === "deny" || click.choice === "cancel") return this.#close(click, approval);
      return this.#approve({ ...click, choice: click.choice }, approval, lapsed);
    });
  }

  /** A typed answer. "neither" is nobody's decision and goes on as plain text. */
  async answer(typed: {
    readonly conversation: string;
    readonly presence: Presence;
    readonly name?: string;
    readonly text: string;
    /** Others that are answered in the same thread. */
    readonly among?: readonly string[];
  }): Promise<ClickOutcome | { readonly outcome: "neither" }> {
    const { text, among = [], ...said } = typed;
    const places = await Promise.all([said.conversation, ...among].map((one) => this.waiting(one)));
    const open = places.flat();
    const [byPhrase, another] = open.filter(
      ({ approval }) => approval.effect.phrase === text.trim(),
    );
    if (byPhrase && another) return refused(SEVERAL);
    if (byPhrase) {
      const who = await this.#asOfNow(said);
      const { conversation, approval } = byPhrase;
      const phrase = text.trim();
      return this.decide({ ...who, conversation, phrase, approval: approval.id, choice: "once" });
    }
    const meaning = meaningOf(text, { emoji: this.#parts.emojiAnswers });
    const [only, ...others] = open;
    if (meaning === "neither" || !only) return { outcome: "neither" };
    if (others.length > 0) return refused(SEVERAL);
    const who = await this.#asOfNow(said);
    const choice = meaning === "approve" ? "once" : "deny";
    const { conversation, approval } = only;
    return this.decide({ ...who, conversation, approval: approval.id, choice });
  }

  async #asOfNow<Said extends { readonly conversation: string; readonly presence: Presence }>(
    said: Said,
  ): Promise<Said> {
    const { people } = this.#parts;
    return { ...said, presence: await presenceNow(people, said.presence, said.conversation) };
  }

  /** Why this person cannot answer so now; undefined when they can. Changes nothing. */
  refusalTo(
    approval: Approval | undefined,
    answer: Pick<Click, "choice" | "presence">,
  ): string | undefined {
    const now = this.#parts.now();
    if (!approval) return UNKNOWN;
    if (approval.decision) return alreadyText(approval.decision, now);
    if (!isOpen(approval, now)) return "This request has expired.";
    const refusal = this.#refusal(answer, approval);
    if (refusal !== undefined || answer.choice === "deny" || answer.choice === "cancel")
      return refusal;
    const tries = approval.wrongPhrases[actorKey(answer.presence.actor)] ?? 0;
    return tries >= PHRASE_TRIES ? MISTYPED : undefined;
  }

  /** What waits, oldest first: in one conversation, or everywhere. */
  async waiting(conversation?: string): Promise<Waiting[]> {
    const { ledger, now } = this.#parts;
    const places = conversation === undefined ? await ledger.conversations() : [conversation];
    const found: Waiting[] = [];
    for (const place of places) {
      const { approvals } = await ledger.read(place);
      const open = [...approvals.values()].filter((approval) => isOpen(approval, now()));
      found.push(...open.map((approval) => waitingIn(place, approval)));
    }
    return found.sort((one, other) => (one.since < other.since ? -1 : 1));
  }

  async find(conversation: string, id: string): Promise<Approval | undefined> {
    return (await this.#parts.ledger.read(conversation)).approvals.get(id);
  }

  /** Ends every wait of a conversation whose run was stopped. Answers what it has ended. */
  async cancelAll(conversation: string, by: string, name?: string): Promise<Approval[]> {
    const { ledger, now } = this.#parts;
    return ledger.write<Approval[]>(conversation, ({ approvals }) => {
      const at = now().toISOString();
      const open = [...approvals.values()].filter(({ decision }) => decision === undefined);
      if (open.length === 0) return { answer: [] };
      const names = name === undefined ? {} : { names: [name] };
      const decision: Decision = { choice: "cancel", by: [by], ...names, at };
      return {
        lines: open.map(({ id }) => decided(id, decision)),
        claims: open.map(({ id }) => claimOf(id)),
        answer: open.map((approval) => ({ ...approval, decision })),
      };
    });
  }

  /** Writes down that time has run out, where it has. */
  expire(conversation: string, id: string): Promise<ClickOutcome> {
    return this.#parts.ledger.write<ClickOutcome>(conversation, ({ approvals }) => {
      const approval = approvals.get(id);
      if (!approval) return { answer: unknown() };
      if (approval.decision) return { answer: already(approval, approval.decision) };
      if (isOpen(approval, this.#parts.now()))
        return { answer: refused("This request is still open.") };
      return this.#expire(approval);
    });
  }

  #newApproval(question: ApprovalQuestion, callId: string, now: Date) {
    const id = randomUUID();
    const lasts = parseDuration(this.#parts.policy.approvalsExpireAfter ?? "");
    const end = lasts === undefined ? undefined : new Date(now.getTime() + lasts * 1000);
    return {
      ...question,
      id,
      callId,
      askedAt: now.toISOString(),
      ...(end ? { expiresAt: end.toISOString() } : {}),
    };
  }

  /** Why this person cannot answer so; undefined when they can. */
  #refusal(
    { choice, presence }: Pick<Click, "choice" | "presence">,
    approval: Approval,
  ): string | undefined {
    const { actor, place } = presence;
    // Whoever asked, or had a say in it, may always take it back.
    const { requester, contributors = [] } = approval.call;
    const isBehind = [requester, ...contributors].includes(actorKey(actor));
    const mayStop = this.#parts.authorize(actor, { kind: "stop" }, place);
    const takesBack = choice === "cancel" || choice === "deny";
    if (takesBack && isBehind && mayStop.allowed) return undefined;
    const may = this.#parts.authorize(actor, approveAct(approval), place);
    const { approvers } = approval.effect;
    if (!may.allowed)
      return approvers ? `${may.reason} It can be approved by ${approvers}.` : may.reason;
    if (choice === "timed" && !approval.timedScope)
      return "This request can only be approved once.";
    if (choice === "thread" && !isHostQuestion(approval))
      return "This request cannot be approved for the whole thread.";
    return approves(choice) ? approval.effect.notApprovable : undefined;
  }

  #close(click: Click, approval: Approval): Proposal<ClickOutcome> {
    const lines: PermissionLine[] = [];
    const decision: Decision = {
      choice: click.choice,
      by: [actorKey(click.presence.actor)],
      ...(click.name === undefined ? {} : { names: [click.name] }),
      at: this.#parts.now().toISOString(),
      ...(click.reason ? { reason: click.reason } : {}),
    };
    lines.push(decided(approval.id, decision));
    if (isHostQuestion(approval) && click.choice === "deny") {
      const { at, by } = decision;
      const hosts = [...(approval.opens ?? [])];
      lines.push({ kind: "host.denied", data: { hosts, by: by[0] ?? "bot", at } });
    }
    return settle(approval, decision, lines);
  }

  #approve(
    click: Click & { readonly choice: Approving },
    approval: Approval,
    lapsed: ReadonlySet<string>,
  ): Proposal<ClickOutcome> {
    const by = actorKey(click.presence.actor);
    const at = this.#parts.now().toISOString();
    const wrong = this.#wrongPhrase(click, approval, by, at);
    if (wrong) return wrong;
    const votes = approval.votes.filter((one) => !lapsed.has(one.by));
    if (votes.some((one) => one.by === by)) {
      return { answer: refused("You have already approved this. It needs one more person.") };
    }
    const { name, choice: chosen } = click;
    const vote = { by, choice: chosen, ...(name === undefined ? {} : { name }) };
    const all = [...votes, vote];
    const missing = approval.effect.approversNeeded - all.length;
    if (missing > 0) {
      const data = { approval: approval.id, at, ...vote };
      return {
        lines: [{ kind: "approval.voted", data }],
        answer: { outcome: "counted", approval: { ...approval, votes: all }, missing },
      };
    }
    const choice = narrowest(all);
    const isNamed = all.some((one) => one.name !== undefined);
    const names = all.map((one) => one.name ?? NAMELESS);
    const people = { by: all.map((one) => one.by), ...(isNamed ? { names } : {}) };
    return this.#grant(approval, { choice, ...people, at });
  }

  #grant(approval: Approval, decision: Decision): Proposal<ClickOutcome> {
    const grant = isHostQuestion(approval)
      ? this.#hostGrant(approval, decision)
      : this.#grantOf(approval, decision);
    const hasEnd = !grant.oneTime && decision.choice !== "thread";
    const full = { ...decision, grant: grant.id, ...(hasEnd ? { until: grant.expiresAt } : {}) };
    const grants = [
      grant,
      ...(approval.opens && !isHostQuestion(approval) ? [this.#hostGrant(approval, decision)] : []),
    ];
    const given = grants.map((one): PermissionLine => ({ kind: "grant.given", data: one }));
    return settle(approval, full, [decided(approval.id, full), ...given]);
  }

  #grantOf(
    { call, callId, digest, effect, timedScope }: Approval,
    { choice, by }: Decision,
  ): Grant {
    const timed = choice === "timed" ? timedScope : undefined;
    return newGrant(
      {
        operation: call.operation,
        scope: timed ?? { kind: "call", digest, callId },
        approvers: by,
        shown: effect.command ?? effect.paths.map(({ path }) => path).join(", "),
        seconds: this.#parts.grantSeconds,
        oneTime: !timed,
      },
      this.#parts.now(),
    );
  }

  /** What a card opens beside its call, or a host's own card by itself. Once: as long as the call runs. */
  #hostGrant(approval: Approval, { choice, by }: Decision): Grant {
    const { opens = [], callId } = approval;
    const call = isHostQuestion(approval) ? {} : { callId };
    return newGrant(
      {
        operation: OPEN_HOST,
        scope: { kind: "hosts", hosts: [...opens], ...(choice === "once" ? call : {}) },
        approvers: by,
        shown: opens.join(", "),
        seconds: choice === "thread" ? "thread" : this.#parts.grantSeconds,
        oneTime: choice === "once",
      },
      this.#parts.now(),
    );
  }

  #wrongPhrase(
    { phrase }: Click,
    approval: Approval,
    by: string,
    at: string,
  ): Proposal<ClickOutcome> | undefined {
    const wanted = approval.effect.phrase;
    if (wanted === undefined) return undefined;
    const tries = approval.wrongPhrases[by] ?? 0;
    if (tries >= PHRASE_TRIES) {
      return { answer: refused(MISTYPED) };
    }
    if (phrase === undefined) {
      return { answer: refused(`To approve this, click "Approve once" and type: ${wanted}`) };
    }
    if (isSame(phrase.trim(), wanted)) return undefined;
    const left = PHRASE_TRIES - tries - 1;
    const again = left === 0 ? "Ask another approver." : `Tries left: ${left}.`;
    return {
      lines: [{ kind: "approval.mistyped", data: { approval: approval.id, by, at } }],
      answer: refused(`The phrase does not match. ${again}`),
    };
  }

  #expire(approval: Approval): Proposal<ClickOutcome> {
    const decision: Decision = { choice: "expired", by: [], at: approval.expiresAt ?? "" };
    const proposal = settle(approval, decision, [decided(approval.id, decision)]);
    return { ...proposal, answer: already(approval, decision) };
  }

  /** Those who have approved before and may not any more. */
  async #lapsedVoters({ conversation }: Click, approval?: Approval): Promise<Set<string>> {
    const lapsed = new Set<string>();
    for (const { by } of approval?.votes ?? []) {
      const now = await this.#parts.people.find(by, conversation);
      const may =
        approval && now && this.#parts.authorize(now.actor, approveAct(approval), now.place);
      if (!may?.allowed) lapsed.add(by);
    }
    return lapsed;
  }
}

/** Two people may have meant different things; the narrowest was meant by all. */
function narrowest(votes: Approval["votes"]): Approving {
  return APPROVING.find((one) => votes.some(({ choice }) => choice === one)) ?? "once";
}

/** A card that is about hosts alone, and about no call. */
export function isHostQuestion({ call }: Pick<Approval, "call">): boolean {
  return call.operation === OPEN_HOST;
}

/** A second card for one call says why the approval of the first does not count. */
function explained(question: ApprovalQuestion, earlier: Approval | undefined): ApprovalQuestion {
  const { choice, names = [] } = earlier?.decision ?? {};
  if (!earlier || choice === undefined || !approves(choice) || isHostQuestion(question))
    return question;
  const who =
    names.length === 0 ? "This call was approved" : `${names.join(" and ")} approved this`;
  const what =
    earlier.call.policy === question.call.policy
      ? "its effect or files"
      : "the rules for approvals";
  const note = `${plainLine(who)}, but since then ${what} changed. Decide again.`;
  const { effect } = question;
  return { ...question, effect: { ...effect, notes: [note, ...effect.notes] } };
}
