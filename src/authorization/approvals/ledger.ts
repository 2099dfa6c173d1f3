import type { Audit } from "../../contract/audit.ts";
import type { Proposal as AnyProposal, Journal } from "../../journal/journal.ts";
import type { PermissionLine } from "../../journal/lines.ts";
import { type Permissions, permissions } from "../../journal/permissions.ts";
import { recorded } from "./recorded.ts";

/** An answer, and the lines about permissions that must stand in the journal before it is given. */
export type Proposal<Answer> = AnyProposal<Answer, PermissionLine>;

/** The permissions of conversations, as their journals have them. */
export class Ledger {
  readonly #journal: Journal;
  readonly #audit: Pick<Audit, "record"> | undefined;

  /** With an audit, nothing that was decided takes effect here before it is on record. */
  constructor(journal: Journal, audit?: Pick<Audit, "record">) {
    this.#journal = journal;
    this.#audit = audit;
  }

  read(conversation: string): Promise<Permissions> {
    return this.#journal.read(conversation, permissions);
  }

  conversations(): Promise<string[]> {
    return this.#journal.conversations();
  }

  /** Decides on what is true now and writes it in the same instant. */
  async write<Answer>(
    conversation: string,
    propose: (known: Permissions) => Proposal<Answer>,
  ): Promise<Answer> {
    let written: readonly PermissionLine[] = [];
    const answer = await this.#journal.decide(conversation, permissions, (known) => {
      const proposal = propose(known);
      written = proposal.lines ?? [];
      return proposal;
    });
    if (this.#audit && written.length > 0) await this.#record(this.#audit, conversation, written);
    return answer;
  }

  async #record(
    audit: Pick<Audit, "record">,
    conversation: string,
    lines: readonly PermissionLine[],
  ): Promise<void> {
    const known = await this.read(conversation);
    const entries = lines.flatMap((line) => recorded(conversation, line, known));
    await Promise.all(entries.map((entry) => audit.record(entry)));
  }
}
