import type { SeenRequest } from "./model-server/seen.ts";

/** One entry of a request, the same for both wires. */
export interface Told {
  readonly kind: "user" | "reminder" | "assistant" | "call" | "result" | "thought";
  /** As it was sent. */
  readonly text: string;
}

/** What a request tells the model behind the system prompt, in order. */
export function toldIn({ wire, body }: SeenRequest): Told[] {
  const entries = (wire === "chat" ? body.messages : body.input) as Entry[];
  return entries
    .filter(({ role }) => role !== "system")
    .flatMap(wire === "chat" ? chat : responses);
}

/** The reminders among them, each by its inner element or its first words. */
export function reminderNames(request: SeenRequest): string[] {
  return toldIn(request)
    .filter(({ kind }) => kind === "reminder")
    .map(({ text }) => reminderName(text));
}

/** "user", "result" …, and the name of each reminder. */
export function order(request: SeenRequest): string[] {
  return toldIn(request).map(({ kind, text }) => (kind === "reminder" ? reminderName(text) : kind));
}

function reminderName(text: string): string {
  const [, inner = ""] = text.split("\n");
  return (
    /^<(\w+)>$/.exec(inner)?.[1] ?? NAMES.find(([words]) => inner.includes(words))?.[1] ?? inner
  );
}

const NAMES = [
  ["This is step", "steps"],
  ["Documents that were imported", "documents"],
  ["has answered your question", "answer"],
  ["the same call", "repetition"],
] as const;

interface Entry {
  readonly type?: string;
  readonly role?: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly { readonly function: { readonly arguments: string } }[];
  readonly arguments?: string;
  readonly output?: unknown;
}

function chat(entry: Entry): Told[] {
  const text = contentOf(entry);
  if (entry.role === "tool") return [{ kind: "result", text }];
  if (entry.role === "user") return [said(text)];
  const calls = (entry.tool_calls ?? []).map((one) => ({
    kind: "call" as const,
    text: one.function.arguments,
  }));
  return [...(text === "" ? [] : [{ kind: "assistant" as const, text }]), ...calls];
}

function responses(entry: Entry): Told[] {
  if (entry.type === "function_call") return [{ kind: "call", text: entry.arguments ?? "" }];
  if (entry.type === "function_call_output")
    return [{ kind: "result", text: String(entry.output) }];
  if (entry.type === "reasoning") return [{ kind: "thought", text: "" }];
  const text = contentOf(entry);
  return [entry.role === "user" ? said(text) : { kind: "assistant", text }];
}

function said(text: string): Told {
  return { kind: text.startsWith("<system-reminder>\n") ? "reminder" : "user", text };
}

function contentOf({ content }: Entry): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part: { readonly text?: string }) => part.text ?? "").join("");
}
