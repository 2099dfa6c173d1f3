import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TranscriptItem } from "../../../../src/contract/model.ts";
import { planCut } from "../../../../src/conversation/context/plan.ts";
import { archive, takenOut } from "../../../../src/journal/conversation/cut.ts";
import { noState } from "../../../../src/journal/conversation/state.ts";

/** One letter is one token here. */
const tokensOf = (item: TranscriptItem) =>
  item.type === "call" ? item.arguments.length : item.text.length;
const total = (items: readonly TranscriptItem[]) =>
  items.reduce((sum, item) => sum + tokensOf(item), 0);

const length = fc.integer({ min: 1, max: 400 });
const step = fc
  .record({ thinks: fc.boolean(), calls: fc.array(length, { maxLength: 3 }), said: length })
  .map(({ thinks, calls, said }) => (id: string): TranscriptItem[] => [
    ...(thinks
      ? [{ type: "reasoning" as const, text: "hm", origin: { wire: "chat" as const, model: "m" } }]
      : []),
    { type: "assistant", text: "s".repeat(said) },
    ...calls.map((_, index) => ({
      type: "call" as const,
      callId: `${id}-${index}`,
      name: "read",
      arguments: "{}",
    })),
    ...calls.map((chars, index) => ({
      type: "result" as const,
      callId: `${id}-${index}`,
      text: "r".repeat(chars),
    })),
  ]);
const word = length.map((chars) => (): TranscriptItem[] => [
  { type: "user", author: "Ann", text: "u".repeat(chars) },
]);

/** A transcript, and some of the last words as what the open turn is about. */
const conversation = fc
  .record({
    parts: fc.array(fc.oneof(step, word), { minLength: 1, maxLength: 30 }),
    about: fc.integer({ min: 0, max: 4 }),
    room: fc.integer({ min: 300, max: 4_000 }),
    keepsLastStep: fc.boolean(),
  })
  .map(({ parts, about, ...rest }) => {
    const transcript = parts.flatMap((part, index) => part(String(index)));
    const words = transcript.filter(({ type }) => type === "user");
    return { transcript, about: new Set(about === 0 ? [] : words.slice(-about)), ...rest };
  });

const line = { turn: "t1", from: "", to: "", summary: "", topics: [], messages: 0, tokens: 0 };

/** What is left of a transcript and what has gone. Undefined: nothing could go. */
function cutting(given: Omit<Parameters<typeof planCut>[0], "tokensOf" | "target">) {
  const cut = planCut({ ...given, tokensOf, target: given.room / 2 });
  if (!cut) return undefined;
  const { transcript } = given;
  const before = { ...noState(), transcript: [...transcript] };
  const state = { ...noState(), transcript: [...transcript] };
  const shortened = cut.shortened.map((one) => ({
    ...one,
    text: `A…${"x".repeat(one.chars)}…whole-1…Z`,
  }));
  const archived = { ...line, ...cut, kept: [...cut.kept], shortened };
  archive(state, archived);
  const changed = shortened.flatMap(({ item }) => transcript[item] ?? []);
  return { left: state.transcript, gone: takenOut(before, archived), changed };
}

const idsOf = (items: readonly TranscriptItem[], type: "call" | "result") =>
  items.flatMap((item) => (item.type === type ? [item.callId] : [])).toSorted();

describe("what is archived", () => {
  it("3.12 leaves what fits, in its order, and never parts calls from their results", () => {
    fc.assert(
      fc.property(conversation, (given) => {
        const { transcript, about, room } = given;
        const { left = transcript, gone = [], changed = [] } = cutting(given) ?? {};
        expect(idsOf(left, "call")).toEqual(idsOf(left, "result"));
        const order = transcript.filter((item) => left.includes(item));
        expect(left.filter((item) => transcript.includes(item))).toEqual(order);
        const stays = [...about].filter((item) => !changed.includes(item));
        expect(left).toEqual(expect.arrayContaining(stays));
        // Nothing is lost: what is not in view any more is archived.
        const lost = transcript.filter((item) => !left.includes(item) && !gone.includes(item));
        expect(lost).toEqual([]);
        const mayBeLonger = given.keepsLastStep || total([...about]) > room / 2;
        expect(mayBeLonger || total(left) <= room).toBe(true);
      }),
    );
  });

  it("does not change what could not become shorter", () => {
    const only: TranscriptItem[] = [{ type: "user", text: "hello" }];
    const given = { transcript: only, about: new Set(only), keepsLastStep: false, tokensOf };
    expect(planCut({ ...given, room: 100, target: 50 })).toBeUndefined();
    expect(planCut({ ...given, room: 1, target: 1 })).toBeUndefined();
  });

  it("shortens what alone is too long, and the note says where the whole is", () => {
    const long: TranscriptItem = { type: "user", author: "Ann", text: `A${"x".repeat(9_998)}Z` };
    const results: TranscriptItem[] = [
      { type: "call", callId: "c", name: "read", arguments: "{}" },
      { type: "result", callId: "c", text: "r".repeat(5_000) },
    ];
    const given = { transcript: [long, ...results], about: new Set([long]), keepsLastStep: true };
    const { left = [], gone } = cutting({ ...given, room: 4_000 }) ?? {};
    expect(gone).toEqual([long, results[1]]);
    expect(total(left)).toBeLessThanOrEqual(3_000);
    expect(left[0]).toMatchObject({ type: "user", author: "Ann" });
    expect(left[0]).toHaveProperty("text", expect.stringMatching(/^A[\s\S]*whole-1[\s\S]*Z$/));
  });
});
