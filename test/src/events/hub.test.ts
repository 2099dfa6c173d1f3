import { setImmediate as tick } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ConversationEvent, Posted } from "../../../src/contract/conversation/event.ts";
import type { ProgressEvent } from "../../../src/contract/tools/tool-call.ts";
import { createEventHub } from "../../../src/events/hub.ts";
import { until } from "../../support/until.ts";

function watched() {
  const warnings: string[] = [];
  const hub = createEventHub({ warn: (message) => void warnings.push(message) });
  return { hub, warnings };
}

/** Deliveries wait for nothing but their observers. */
const settled = () => tick();

const progress = (
  callId: string,
  kind: ProgressEvent["kind"],
  message?: string,
): ConversationEvent => ({
  type: "tool",
  event: { kind, toolName: "probe", callId, timestamp: "t", ...(message && { message }) },
});

const ask: ConversationEvent = {
  type: "userInputRequired",
  callId: "q",
  prompt: "May I?",
  context: "why",
};
const todos = { conversation: "A", items: [], createdAt: "t", updatedAt: "t" };

const every: ConversationEvent[] = [
  ask,
  { type: "userResponseReceived", callId: "q", userInput: "yes" },
  { type: "toolProgress", callId: "c", progress: 0.5, message: "half" },
  { type: "toolError", callId: "c", error: "odd", recoverable: true },
  { type: "imageDisplay", callId: "c", imagePaths: ["/a.png"], prompt: "a cat" },
  { type: "todosChanged", todos },
  { type: "settingsChanged", settings: { terminal: false } },
  { type: "plan", name: "plan.created", executionId: "e", data: { risk_level: "LOW" } },
  progress("c", "toolStarted"),
];

describe("the event hub", () => {
  it("13.1 to 13.5, 13.9 delivers every kind whole, with its conversation, in order", async () => {
    const { hub } = watched();
    const seen: Posted[] = [];
    hub.observe((event) => void seen.push(event));
    for (const event of every) hub.post("A", event);
    await settled();
    expect(seen).toHaveLength(every.length);
    for (const [index, event] of every.entries()) {
      expect(seen[index]).toMatchObject({ ...event, conversation: "A" });
    }
  });

  it("13.4 shows what happens in one conversation to those who watch that one", async () => {
    const { hub } = watched();
    const seen: Posted[] = [];
    hub.observe((event) => void seen.push(event), "A");
    hub.post("B", progress("b", "toolStarted"));
    hub.post("A", progress("a", "toolStarted"));
    await settled();
    expect(seen.map((event) => event.conversation)).toEqual(["A"]);
  });

  it("13.6 serves the others though one throws, rejects or never comes back, and never lets the poster wait", async () => {
    const { hub, warnings } = watched();
    const seen: number[] = [];
    hub.observe(() => {
      throw new Error("first");
    });
    hub.observe(() => Promise.reject(new Error("second")));
    hub.observe(() => new Promise(() => {}));
    hub.observe((event) => void seen.push(event.number));
    for (let index = 0; index < 3; index += 1) expect(() => hub.post("A", ask)).not.toThrow();
    await settled();
    expect(seen).toEqual([1, 2, 3]);
    expect(warnings.filter((warning) => warning.includes("first"))).toHaveLength(3);
    expect(warnings.filter((warning) => warning.includes("second"))).toHaveLength(3);
  });

  it("13.6 tells an observer nothing more once it has left", async () => {
    const { hub } = watched();
    for (const conversation of ["A", undefined]) {
      const seen: Posted[] = [];
      const leave = hub.observe((event) => void seen.push(event), conversation);
      hub.post("A", ask);
      await settled();
      hub.post("A", ask);
      leave();
      leave();
      hub.post("A", ask);
      await settled();
      expect(seen).toHaveLength(1);
    }
  });

  it("13.7 keeps the order of each conversation for observers of any speed, one event at a time", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom("A", "B", "C"), { maxLength: 20 }),
        fc.integer({ min: 0, max: 2 }),
        async (conversations, ticks) => {
          const { hub } = watched();
          const seen: Posted[] = [];
          let most = 0;
          const running = new Map<string, number>();
          hub.observe(async (event) => {
            running.set(event.conversation, (running.get(event.conversation) ?? 0) + 1);
            most = Math.max(most, running.get(event.conversation) ?? 0);
            for (let passed = 0; passed < ticks; passed += 1) await tick();
            seen.push(event);
            running.set(event.conversation, (running.get(event.conversation) ?? 0) - 1);
          });
          for (const conversation of conversations) hub.post(conversation, ask);
          await until(() => seen.length === conversations.length, "every event", {
            seen: () => seen,
          });
          for (const conversation of ["A", "B", "C"]) {
            const numbers = seen.flatMap((event) =>
              event.conversation === conversation ? [event.number] : [],
            );
            expect(numbers).toEqual([...numbers].sort((one, other) => one - other));
          }
          expect(most).toBeLessThanOrEqual(1);
        },
      ),
      { numRuns: 30 },
    );
  });

  it("13.7 does not let a conversation wait for another one's slow delivery", async () => {
    const { hub } = watched();
    const seen: string[] = [];
    hub.observe(async ({ conversation }) => {
      if (conversation === "slow") await new Promise(() => {});
      seen.push(conversation);
    });
    hub.post("slow", ask);
    hub.post("fast", ask);
    await settled();
    expect(seen).toEqual(["fast"]);
  });

  it("13.6 cuts off an observer that falls hopelessly behind, and says so", async () => {
    const { hub, warnings } = watched();
    let seen = 0;
    hub.observe(() => new Promise(() => {}));
    hub.observe(() => {
      seen += 1;
    });
    for (let index = 0; index < 10_500; index += 1) {
      hub.post("A", ask);
      if (index % 1000 === 0) await new Promise(setImmediate);
    }
    await settled();
    expect(seen).toBe(10_500);
    expect(warnings.filter((warning) => warning.includes("behind"))).toHaveLength(1);
  });

  it("13.8 knows the state for those who come late: running calls, open questions, the last todos", async () => {
    const { hub } = watched();
    expect(hub.state("A")).toEqual({ number: 0, running: [], pendingInputs: [] });
    hub.post("A", progress("1", "toolStarted"));
    hub.post("A", progress("2", "toolStarted"));
    hub.post("A", progress("1", "progress", "half"));
    hub.post("A", progress("2", "toolCompleted"));
    hub.post("A", progress("9", "progress", "of nothing"));
    hub.post("A", progress("1", "userMessage", "a thought"));
    hub.post("A", ask);
    hub.post("A", { ...ask, callId: "p" });
    hub.post("A", { type: "userResponseReceived", callId: "q", userInput: "yes" });
    hub.post("A", { type: "todosChanged", todos });
    hub.post("B", progress("b", "toolStarted"));
    const state = hub.state("A");
    expect(state.running).toHaveLength(1);
    expect(state.running[0]).toMatchObject({
      started: { callId: "1", kind: "toolStarted" },
      latest: { callId: "1", message: "half" },
    });
    expect(state.pendingInputs.map((input) => input.callId)).toEqual(["p"]);
    expect(state.todos).toEqual(todos);
    hub.post("A", progress("p", "toolFailed"));
    expect(hub.state("A").pendingInputs).toEqual([]);
  });

  it("13.8 loses nothing between the state and what comes after it", async () => {
    const { hub } = watched();
    hub.post("A", ask);
    const { number } = hub.state("A");
    const seen: number[] = [];
    hub.observe((event) => void seen.push(event.number), "A");
    hub.post("A", ask);
    await settled();
    expect(seen).toHaveLength(1);
    expect(seen[0]).toBeGreaterThan(number);
  });

  it("13.10 announces what concerns the whole bot", async () => {
    const { hub } = watched();
    const lists: string[][] = [];
    const leave = hub.onAnnouncement((event) => void lists.push([...event.tools]));
    hub.announce({ type: "toolsChanged", tools: ["a"] });
    await settled();
    leave();
    hub.announce({ type: "toolsChanged", tools: ["b"] });
    await settled();
    expect(lists).toEqual([["a"]]);
  });
});
