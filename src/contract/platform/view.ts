import type { TodoList } from "../conversation/todo.ts";
import type { Approval } from "../permission/approval.ts";

/** Something that can be clicked. What it does is known by its id alone: everything else stays with us. */
export interface ViewButton {
  /** At most 80 characters of `A-Za-z0-9_:.-`. Comes back as the click's `action`. */
  readonly action: string;
  readonly label: string;
  readonly style?: "primary" | "danger";
  /** Opens a form first; what is typed comes back with the click. */
  readonly form?: ViewForm;
}

/** One question in a window of its own. */
export interface ViewForm {
  readonly title: string;
  /** Shown above the field in monospace, exactly as it is. */
  readonly shows?: readonly { readonly label: string; readonly code: string }[];
  readonly field: { readonly label: string; readonly hint?: string; readonly isLong?: boolean };
  readonly submit: string;
}

/** One line about what the bot is doing or did, with what it found out below it. */
export interface ActivityLine {
  readonly callId: string;
  /** "Reading file: notes.md". Never changes while the call runs. */
  readonly title: string;
  readonly details: readonly string[];
  readonly status: "queued" | "running" | "success" | "error" | "userInputRequired";
  /** The newest output, a few lines at most. */
  readonly output?: string;
  /** More of it for whoever wants to read on: folded away where a platform can do that, else left out. */
  readonly folded?: string;
  /** The plan or subagent on whose behalf it is done. */
  readonly parent?: string;
}

/**
 * What people see, the same for every platform. All text is Markdown as models write it, unless its field says
 * otherwise; text that came from the model, a tool or a user is never trusted: adapters escape what their platform
 * would act upon (mentions, links that unfurl, markup).
 */
export type View =
  /** The model's answer. While it streams it is edited; `isFinal` comes once. */
  | {
      readonly kind: "reply";
      readonly text: string;
      readonly isFinal: boolean;
      readonly footer?: string;
    }
  /** One turn's card: what is going on, call by call. */
  | {
      readonly kind: "activity";
      readonly lines: readonly ActivityLine[];
      readonly status: "working" | "waiting" | "done" | "stopped" | "failed";
      /** Why it takes long, in one sentence. */
      readonly note?: string;
      /** Nothing else shows that the message was heard: there is no sign at it. */
      readonly isFirstSign?: boolean;
      readonly buttons: readonly ViewButton[];
    }
  | {
      readonly kind: "todoBoard";
      readonly todos: TodoList;
      readonly buttons: readonly ViewButton[];
    }
  /** `requester` is shown beside what the guard says; `approval.decision` ends it. */
  | {
      readonly kind: "approval";
      readonly approval: Approval;
      readonly requester: string;
      /** Those who decided, as people know them. Without it their keys are shown. */
      readonly decidedBy?: string;
      readonly buttons: readonly ViewButton[];
    }
  | {
      readonly kind: "question";
      /** The model's words: plain text. */
      readonly prompt: string;
      readonly context?: string;
      readonly asker?: string;
      /** The name of the person whose answer counts, while it waits. */
      readonly addressee?: string;
      /** What a yes would allow, by the guard's own word: shown beside the buttons whatever the prompt says. */
      readonly operation?: string;
      readonly buttons: readonly ViewButton[];
      readonly answer?: { readonly text: string; readonly by: string; readonly at: string };
      readonly isCancelled?: boolean;
    }
  /** The end of some output. The whole comes as a file where it is longer. Plain text. */
  | {
      readonly kind: "terminal";
      readonly title: string;
      readonly text: string;
      readonly hiddenLines: number;
      readonly buttons: readonly ViewButton[];
    }
  /** A unified diff, plain text. */
  | {
      readonly kind: "diff";
      readonly title: string;
      readonly diff: string;
      readonly buttons: readonly ViewButton[];
    }
  /** Something the bot itself has to say. */
  | {
      readonly kind: "notice";
      readonly level: "info" | "warning" | "error";
      readonly text: string;
      readonly buttons?: readonly ViewButton[];
    }
  /** One of several things to choose. */
  | {
      readonly kind: "picker";
      readonly title: string;
      readonly options: readonly {
        readonly action: string;
        readonly label: string;
        readonly detail?: string;
      }[];
    };

/** @internal for tests */
export type ViewKind = View["kind"];

/** A file for people. */
export interface FileShare {
  readonly name: string;
  readonly mimeType: string;
  readonly bytes: Uint8Array;
  readonly comment?: string;
}
