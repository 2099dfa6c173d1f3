import fc from "fast-check";
import { expect, it } from "vitest";
import type { Json, Lease, Store } from "../../src/contract/store.ts";
import { openStore } from "../../src/store/open-store.ts";
import type { StoreSettings } from "../../src/store/settings.ts";
import { type Due, StoreModel } from "../support/store-model.ts";
import { caseCount } from "../support/thorough.ts";

const LONG_MS = 3_600_000;

/** Two replicas of the store and what is left in the hands of those who use it. */
interface Run {
  readonly replicas: readonly Store[];
  readonly model: StoreModel;
  readonly leases: { readonly name: string; readonly lease: Lease }[];
}

/** One thing that is done to both; it gives what the store and what the model answered. */
type Step = (run: Run, store: Store) => Promise<[actual: unknown, expected: unknown]>;

const conversation = fc.constantFrom("c", "d");
const holder = fc.constantFrom("me", "you");
const id = fc.constantFrom("1", "2", "3", "4");
const due = fc.constantFrom<Due>("past-1", "past-2", "now", "future");
// JSON has no -0.
const data = fc.jsonValue({ maxDepth: 2 }).map((value): Json => JSON.parse(JSON.stringify(value)));
const lines = fc.array(fc.record({ kind: fc.constantFrom("a", "b"), data }), { maxLength: 3 });

const appending = fc.tuple(
  conversation,
  // How many lines the writer has not read.
  fc.oneof({ arbitrary: fc.constant(0), weight: 5 }, fc.nat(2)),
  lines,
  fc.subarray(["x", "y", "z"], { maxLength: 2 }),
  fc.option(fc.nat(5), { nil: undefined }),
);

const steps: fc.Arbitrary<Step> = fc.oneof(
  { arbitrary: shown(append, appending), weight: 4 },
  { arbitrary: shown(lease, fc.tuple(conversation, holder)), weight: 2 },
  shown(renew, fc.nat(3)),
  shown(release, fc.nat(3)),
  { arbitrary: shown(put, fc.tuple(id, due)), weight: 2 },
  { arbitrary: shown(take, fc.tuple(holder, fc.integer({ min: 0, max: 3 }))), weight: 2 },
  shown(finish, fc.tuple(id, holder)),
  shown(defer, fc.tuple(id, holder, fc.constantFrom("past-1", "past-2", "future"))),
  { arbitrary: shown(document, fc.tuple(id, fc.option(data, { nil: undefined }))), weight: 2 },
);

/** Steps that a failing sequence shows by name and arguments. */
function shown<T>(make: (args: T) => Step, args: fc.Arbitrary<T>): fc.Arbitrary<Step> {
  return args.map((given) =>
    Object.assign(make(given), {
      [fc.toStringMethod]: () => `${make.name} ${JSON.stringify(given)}`,
    }),
  );
}

export function storeModelContract(freshSettings: () => StoreSettings): void {
  it("answers every sequence of questions as the model does", async () => {
    const sequence = fc.array(fc.tuple(steps, fc.nat(1)), { minLength: 10, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(sequence, async (tuples) => {
        const settings = freshSettings();
        await using one = await openStore(settings);
        await using two = await openStore(settings);
        const run: Run = { replicas: [one, two], model: new StoreModel(), leases: [] };
        for (const [step, replica] of tuples) {
          const [actual, expected] = await step(run, replica ? one : two);
          expect(actual).toEqual(expected);
        }
        await compareAll(run, one);
      }),
      { numRuns: caseCount({ perChange: 25, all: 60 }) },
    );
  });
}

function append([name, unread, written, claims, fence]: [
  string,
  number,
  { kind: string; data: Json }[],
  string[],
  number | undefined,
]): Step {
  return async ({ model }, store) => {
    const afterSeq = Math.max(0, model.conversation(name).lines.length - unread);
    const options = fence === undefined ? { claims } : { claims, fence };
    return [
      await store.append(name, afterSeq, written, options),
      model.append(name, afterSeq, written, options),
    ];
  };
}

function lease([name, holder]: [string, string]): Step {
  return async ({ model, leases }, store) => {
    const given = await store.lease(name, holder, LONG_MS);
    if (given) leases.push({ name, lease: given });
    return [given?.fence, model.lease(name, holder)];
  };
}

function renew(back: number): Step {
  return async ({ model, leases }) => {
    const held = leases.at(-1 - back);
    if (!held) return [true, true];
    return [await held.lease.renew(LONG_MS), model.renew(held.name, held.lease.fence)];
  };
}

function release(back: number): Step {
  return async ({ model, leases }) => {
    const held = leases.at(-1 - back);
    if (!held) return [true, true];
    return [await held.lease.release(), model.release(held.name, held.lease.fence)];
  };
}

function put([id, due]: [string, Due]): Step {
  return async ({ model }, store) => {
    const row = { id, conversation: "c", data: id };
    const answer = await store.inbox.put(due === "now" ? row : { ...row, dueAt: timeOf(due) });
    return [answer, model.put(id, due)];
  };
}

function take([worker, limit]: [string, number]): Step {
  return async ({ model }, store) => {
    const rows = await store.inbox.take(worker, { limit, holdMs: LONG_MS });
    return [rows.map(({ id, tries }) => ({ id, tries })), model.take(worker, limit)];
  };
}

function finish([id, worker]: [string, string]): Step {
  return async ({ model }, store) => [
    await store.inbox.finish(id, worker),
    model.finish(id, worker),
  ];
}

function defer([id, worker, due]: [string, string, Exclude<Due, "now">]): Step {
  return async ({ model }, store) => [
    await store.inbox.defer(id, worker, timeOf(due)),
    model.defer(id, worker, due),
  ];
}

function document([key, value]: [string, Json | undefined]): Step {
  return async ({ model }, store) => {
    const documents = store.documents("n");
    if (value === undefined) return [await documents.delete(key), model.documents.delete(key)];
    return [await documents.set(key, value), void model.documents.set(key, value)];
  };
}

function timeOf(due: Exclude<Due, "now">): string {
  const times = { "past-1": "2020-01-01", "past-2": "2020-01-02", future: "2999-01-01" };
  return `${times[due]}T00:00:00.000Z`;
}

async function compareAll({ model }: Run, store: Store): Promise<void> {
  expect(await store.conversations()).toEqual(model.names());
  for (const name of ["c", "d"]) {
    const expected = model.conversation(name).lines.map((line, index) => ({
      seq: index + 1,
      ...line,
    }));
    const found = await store.read(name);
    expect(found.map(({ at: _, ...line }) => line)).toEqual(expected);
    for (const kind of ["a", "b"]) {
      const last = expected.findLast((line) => line.kind === kind);
      expect((await store.last(name, kind))?.seq).toBe(last?.seq);
    }
  }
  const pending = await store.inbox.pending();
  expect(pending.map(({ id, tries }) => ({ id, tries }))).toEqual(model.pending());
  const documents = store.documents("n");
  expect(await documents.keys()).toEqual([...model.documents.keys()].sort());
  for (const [key, value] of model.documents) expect(await documents.get(key)).toEqual(value);
}
