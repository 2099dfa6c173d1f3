import { afterEach, beforeEach, describe } from "vitest";
import { comingBack } from "./adapter/coming-back.ts";
import { filesAndLookups } from "./adapter/files-and-lookups.ts";
import { harmless } from "./adapter/harmless.ts";
import { hearing } from "./adapter/hearing.ts";
import { type AdapterUnderTest, Received, type Stage } from "./adapter/rig.ts";
import { showing } from "./adapter/showing.ts";
import { threadNames } from "./adapter/thread-names.ts";
import { trouble } from "./adapter/trouble.ts";

/** What every platform must do, seen from both sides of its adapter: what people do and see, and what the core is told. */
export function adapterContract<Place>(under: AdapterUnderTest<Place>): void {
  describe(`15.21 the adapter contract on ${under.name}`, () => {
    const lacks = new Set(under.lacks);
    // Everything else is set before each case.
    const stage = { lacks } as unknown as { -readonly [Key in keyof Stage]: Stage[Key] };

    beforeEach(async () => {
      const rig = await under.open();
      const received = new Received();
      stage.rig = rig;
      stage.received = received;
      stage.receive = async (incoming) => {
        received.events.push(incoming);
        return { outcome: "accepted" };
      };
      stage.reconnects = 0;
      await rig.adapter.start(
        (incoming) => stage.receive(incoming),
        () => {
          stage.reconnects += 1;
        },
      );
      stage.thread = await rig.people.newThread();
      stage.ada = rig.people.person({ kind: lacks.has("other people") ? "owner" : "member" });
    });
    afterEach(() => stage.rig[Symbol.asyncDispose]());

    describe("names of threads", () => threadNames(under.threadNames));
    describe("hearing", () => hearing(stage));
    describe("showing", () => showing(stage));
    describe("harmlessness", () => harmless(stage));
    describe("files and lookups", () => filesAndLookups(stage));
    describe("trouble", () => trouble(stage));
    describe("coming back", () => comingBack(stage));
  });
}
