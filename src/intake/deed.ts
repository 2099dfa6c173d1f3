import type { ApprovalDesk, QuestionDesk } from "../contract/permission/permissions.ts";
import type { Authorize, Presence } from "../contract/platform/actor.ts";
import type { Adapter } from "../contract/platform/adapter.ts";
import type { Incoming } from "../contract/platform/incoming.ts";
import type { Inbox, InboxRow } from "../contract/store.ts";
import type { Conversations } from "../conversation/conversations.ts";
import type { ConversationParts } from "../conversation/parts.ts";
import type { Commands } from "./commands.ts";

export interface HandleParts {
  readonly inbox: Pick<Inbox, "put">;
  readonly conversations: Conversations;
  readonly commands: Commands;
  readonly authorize: Authorize;
  readonly approvals: ApprovalDesk;
  readonly questions: QuestionDesk;
  readonly grants: {
    revoke(conversation: string, given: { readonly by: string }): Promise<number>;
  };
  readonly autoApprove: {
    revoke(conversation: string, given: { readonly by: string }): Promise<void>;
  };
  readonly subagents: {
    /** Those that work for a conversation now. */
    live(conversation: string): Promise<string[]>;
    /** All that ever worked in a thread. */
    ofThread(thread: string): Promise<string[]>;
    /** Somebody has answered one: those that it works for go on. */
    resume(child: string): Promise<void>;
  };
  readonly reply: ConversationParts["reply"];
  readonly adapterOf: (thread: string) => Pick<Adapter, "earlier">;
}

/** Something that somebody did, with all that is needed to answer them. */
export interface Deed<Event extends Incoming = Incoming> {
  readonly parts: HandleParts;
  readonly incoming: Event;
  readonly presence: Presence;
  readonly conversation: string;
  readonly row: InboxRow;
  /** For their eyes only. */
  whisper(text: string): Promise<void>;
}
