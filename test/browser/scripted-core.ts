import type { Adapter, Receipt } from "../../src/contract/platform/adapter.ts";
import type { Incoming, ThreadId } from "../../src/contract/platform/incoming.ts";
import type { ActivityLine, View } from "../../src/contract/platform/view.ts";
import { approvalView, board, reply } from "../support/web-views.ts";

const PLAN = ["Look at what is there", "Remove the old build", "Build again", "Tell how it went"];
const PHRASE = "delete production 7F3A";
const UNDO_DIFF = `--- a/notes.md
+++ b/notes.md
@@ -1,4 +1,4 @@
 # Notes
-Remember the old door code.
+Remember the new door code.
 
 The end.
`;

/** A bot that knows a few stories, told through the adapter's port as the real one tells them. */
export class ScriptedCore {
  readonly clicks: Extract<Incoming, { type: "click" }>[] = [];
  readonly #adapter: () => Adapter;
  readonly #posts = new Map<string, string>();
  #wrongPhrases = 0;
  #failNextClick = false;
  #seq = 0;

  constructor(adapter: () => Adapter) {
    this.#adapter = adapter;
  }

  failNextClick(): void {
    this.#failNextClick = true;
  }

  async receive(incoming: Incoming): Promise<Receipt> {
    const { thread } = incoming;
    if (incoming.type === "click") return this.#click(incoming);
    if (incoming.type === "command") return this.#command(thread, incoming.text);
    if (incoming.type === "stop") {
      await this.show(thread, "activity", activity("stopped", lines("success", "error")));
      return { outcome: "accepted" };
    }
    if (incoming.type === "message") await this.#message(incoming);
    return { outcome: "accepted" };
  }

  /** One post for each name and thread: shown again, it is edited. */
  async show(thread: ThreadId, name: string, view: View): Promise<void> {
    const key = `${thread} ${name}`;
    const there = this.#posts.get(key);
    if (there) await this.#adapter().edit(thread, there, view);
    else this.#posts.set(key, await this.#adapter().post(thread, view, `${name}${this.#seq++}`));
  }

  async #message({ thread, text, messageId, attachments }: MessageIn): Promise<void> {
    await this.#adapter().mark(thread, messageId, "seen");
    if (text === "clean up") return this.#cleanUp(thread);
    if (text === "drop production") {
      const command = "dropdb production";
      await this.show(
        thread,
        "high",
        approvalView({ id: "h1", risk: "phrase", phrase: PHRASE, command }),
      );
    } else if (text === "stream") await this.#stream(thread);
    else if (text === "ask me") await this.show(thread, "question", question());
    else if (attachments.length > 0) {
      const [file] = attachments;
      const bytes = file ? await this.#adapter().fetchAttachment(thread, file) : new Uint8Array();
      const share = { name: "report.txt", mimeType: "text/plain", bytes, comment: "Here it is." };
      await this.#adapter().upload(thread, share, "share");
    } else if (this.#posts.has(`${thread} question`)) {
      await this.show(thread, "question", question(text));
    } else await this.show(thread, `echo${this.#seq}`, reply(`You said: ${text}`));
  }

  /** A board that moves, a card that works, and an approval in the middle. */
  async #cleanUp(thread: ThreadId): Promise<void> {
    await this.show(thread, "board", board(["in-progress"], PLAN));
    await this.show(thread, "activity", activity("working", lines("running")));
    await this.show(thread, "board", board(["completed", "in-progress"], PLAN));
    await this.show(thread, "activity", activity("waiting", lines("success", "userInputRequired")));
    await this.show(thread, "approval", approvalView());
  }

  async #stream(thread: ThreadId): Promise<void> {
    const words = "This comes **word by word**, as a model says it.".split(" ");
    void (async () => {
      for (let count = 1; count <= words.length; count += 1) {
        const isFinal = count === words.length;
        await this.show(thread, "stream", reply(words.slice(0, count).join(" "), isFinal));
        // The pace of a model.
        await new Promise((resolve) => setTimeout(resolve, 60));
      }
    })();
  }

  async #command(thread: ThreadId, text: string): Promise<Receipt> {
    if (text === "undo") {
      const buttons = [
        { action: "undo:yes", label: "Undo this", style: "primary" as const },
        { action: "undo:no", label: "Keep it" },
      ];
      const title = "Undo the last turn";
      await this.show(thread, "undo", { kind: "diff", title, diff: UNDO_DIFF, buttons });
      return { outcome: "accepted" };
    }
    await this.show(thread, `answer${this.#seq}`, reply(`Did \`${text}\`.`));
    return { outcome: "accepted" };
  }

  async #click(click: Extract<Incoming, { type: "click" }>): Promise<Receipt> {
    this.clicks.push(click);
    if (this.#failNextClick) {
      this.#failNextClick = false;
      throw new Error("the store is away");
    }
    const { thread, action, typed } = click;
    if (click.actor.kind !== "owner") {
      return { outcome: "ignored", reason: "Only the owner may approve this." };
    }
    const by = { by: ["web:owner"], at: new Date().toISOString() };
    if (action === "once:a1") await this.#approved(thread, by);
    if (action === "deny:a1" || action === "reason:a1") {
      const decision = { choice: "deny" as const, ...by, ...(typed && { reason: typed }) };
      await this.show(thread, "approval", approvalView({ decision }));
      await this.show(thread, "end", reply("I left the build as it is."));
    }
    if (action === "once:h1") return this.#phrase(thread, typed ?? "", by);
    if (action === "undo:yes") {
      await this.show(thread, "undo", { kind: "notice", level: "info", text: "Undone: 1 file." });
    }
    if (action.startsWith("answer:"))
      await this.show(thread, "question", question(action.slice(7)));
    return { outcome: "accepted" };
  }

  async #approved(thread: ThreadId, by: { by: string[]; at: string }): Promise<void> {
    const decision = { choice: "once" as const, ...by, grant: "g1" };
    await this.show(thread, "approval", approvalView({ decision }));
    await this.show(thread, "activity", activity("done", lines("success", "success")));
    await this.show(
      thread,
      "board",
      board(
        PLAN.map(() => "completed"),
        PLAN,
      ),
    );
    const text = "All clean.\n\n| folder | files |\n| --- | --: |\n| build | 120 |\n| dist | 14 |";
    await this.show(thread, "end", reply(text, true, "direct mode · 2 calls · 3 s"));
  }

  async #phrase(
    thread: ThreadId,
    typed: string,
    by: { by: string[]; at: string },
  ): Promise<Receipt> {
    if (typed !== PHRASE) {
      this.#wrongPhrases += 1;
      const left = 3 - this.#wrongPhrases;
      return {
        outcome: "ignored",
        reason: `The phrase does not match. You have ${left} more tries.`,
      };
    }
    const decision = { choice: "once" as const, ...by, grant: "g2" };
    await this.show(
      thread,
      "high",
      approvalView({ risk: "phrase", command: "dropdb production", decision }),
    );
    return { outcome: "accepted" };
  }
}

type MessageIn = Extract<Incoming, { type: "message" }>;

function activity(
  status: Extract<View, { kind: "activity" }>["status"],
  shown: readonly ActivityLine[],
): View {
  return { kind: "activity", lines: shown, status, buttons: [] };
}

function lines(...statuses: ActivityLine["status"][]): ActivityLine[] {
  const titles = ["Listing files: /workspace", "Running command: rm -rf build dist"];
  return statuses.map((status, index) => ({
    callId: `call_${index}`,
    title: titles[index] ?? "Working",
    details: index === 0 ? ["build, dist, src and 4 more"] : [],
    status,
    ...(index === 0 && { output: "build  dist  notes.md  package.json  src" }),
  }));
}

function question(answer?: string): View {
  return {
    kind: "question",
    prompt: "Which environment shall I use?",
    context: "Both have the new schema.",
    buttons: [
      { action: "answer:staging", label: "staging" },
      { action: "answer:preview", label: "preview" },
    ],
    ...(answer && { answer: { text: answer, by: "Owner", at: new Date().toISOString() } }),
  };
}
