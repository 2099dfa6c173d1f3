import type { View } from "../../src/contract/platform/view.ts";
import { visible } from "../../src/lib/text/neutral.ts";
import { hasTimes, type LocalTime, timesInWords, withTimes } from "../../src/lib/text/times.ts";
import { type Item, type ItemContent, TIME, type Waiting } from "./protocol.ts";

const TITLE_CHARS = 60;

/** What a thread is called after its first message, until somebody gives it another name. */
export function titleOf(text: string): string {
  const line = text.trim().split("\n", 1)[0]?.replaceAll(/\s+/g, " ") ?? "";
  return line.length <= TITLE_CHARS ? line : `${line.slice(0, TITLE_CHARS - 1).trimEnd()}…`;
}

/** What an item waits for, if a human has to do something about it. */
export function waitingOf({ id, at, content }: Item): Waiting | undefined {
  if (content.kind !== "view") return undefined;
  const { view } = content;
  if (view.kind === "approval" && view.approval.decision === undefined) {
    const { operation, risk, command, paths } = view.approval.effect;
    const verb = operation.split(".").at(-1);
    const title = titleOf(command ?? [verb, ...paths.map(({ path }) => path)].join(" "));
    return { item: id, kind: "approval", title, risk, since: at };
  }
  if (view.kind === "question" && !view.answer && !view.isCancelled) {
    return { item: id, kind: "question", title: titleOf(view.prompt), since: at };
  }
  return undefined;
}

/** A view as it is kept: its times outlive this process. */
export function viewContent(view: View): ItemContent {
  if (view.kind !== "notice" || !hasTimes(view.text)) return { kind: "view", view };
  const times: LocalTime[] = [];
  const text = withTimes(visible(view.text), (time) => {
    times.push(time);
    return TIME;
  });
  const inWords = { ...view, text: timesInWords(view.text) };
  return { kind: "view", view: inWords, timed: { text, times } };
}

/** The words of a view that belong to the talk; undefined for what only shows a state. */
export function spokenText(view: View): string | undefined {
  switch (view.kind) {
    case "reply":
    case "notice":
      return view.text;
    case "question":
      return view.prompt;
    case "terminal":
      return view.text;
    case "activity":
    case "todoBoard":
    case "approval":
    case "diff":
    case "picker":
      return undefined;
  }
}
