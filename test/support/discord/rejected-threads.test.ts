import { describe } from "vitest";
import { itRejects, newThread, standalone } from "./rejections.ts";

const THREADS = "topics/threads";

describe("what Discord refuses about threads", () => {
  itRejects([
    {
      what: "a thread's name of 101 characters",
      page: "resources/channel#start-thread-without-message",
      code: 50035,
      at: "name",
      refused: standalone({ name: "x".repeat(101) }),
      taken: standalone({ name: "x".repeat(100) }),
    },
    {
      what: "a thread that sleeps after two hours",
      page: "resources/channel#start-thread-without-message",
      code: 50035,
      at: "auto_archive_duration",
      refused: standalone({ auto_archive_duration: 120 }),
      taken: standalone({ auto_archive_duration: 60 }),
    },
    {
      what: "a second thread at a message",
      page: "resources/channel#start-thread-from-message",
      code: 160004,
      refused: async (lab) => {
        const path = `POST /channels/${lab.channel.id}/messages/${await lab.posted()}/threads`;
        await lab.call(path, { name: "first" });
        return lab.call(path, { name: "second" });
      },
    },
    {
      what: "a thread in a thread",
      page: THREADS,
      code: 50024,
      refused: (lab) =>
        lab.call(`POST /channels/${newThread(lab).id}/threads`, { name: "x", type: 11 }),
    },
    {
      what: "an edit in an archived thread",
      page: `${THREADS}#active-&-archived-threads`,
      code: 50083,
      refused: async (lab) => {
        const place = newThread(lab);
        const id = await lab.posted({ content: "x" }, place);
        lab.ada.archives(place);
        return lab.call(`PATCH /channels/${place.id}/messages/${id}`, { content: "y" });
      },
    },
    {
      what: "a reaction in an archived thread",
      page: `${THREADS}#active-&-archived-threads`,
      code: 50083,
      refused: async (lab) => {
        const place = newThread(lab);
        const { message } = lab.ada.says(place, "x");
        lab.ada.archives(place);
        const emoji = encodeURIComponent("👀");
        return lab.call(`PUT /channels/${place.id}/messages/${message.id}/reactions/${emoji}/@me`);
      },
    },
    {
      what: "a message in a locked thread",
      page: `${THREADS}#locked-threads`,
      code: 160005,
      refused: (lab) => {
        const place = newThread(lab);
        lab.ada.archives(place, { isLocked: true });
        return lab.post({ content: "x" }, place);
      },
      taken: (lab) => {
        const place = newThread(lab);
        lab.ada.archives(place);
        return lab.post({ content: "x" }, place);
      },
    },
    {
      what: "one thread more than a guild may have",
      page: "topics/opcodes-and-status-codes#json",
      code: 160006,
      refused: (lab) => {
        lab.discord.world.mostThreads = 1;
        newThread(lab);
        return standalone({})(lab);
      },
      taken: (lab) => {
        lab.discord.world.mostThreads = 2;
        return standalone({})(lab);
      },
    },
    {
      what: "waking a thread that the bot was never in",
      page: `${THREADS}#editing-&-deleting-threads`,
      code: 50013,
      refused: (lab) => {
        const place = newThread(lab);
        lab.ada.archives(place);
        return lab.call(`PATCH /channels/${place.id}`, { archived: false });
      },
      taken: async (lab) => {
        const place = newThread(lab);
        await lab.posted({ content: "x" }, place);
        lab.ada.archives(place);
        return lab.call(`PATCH /channels/${place.id}`, { archived: false });
      },
    },
    {
      what: "a new name for somebody else's thread",
      page: `${THREADS}#editing-&-deleting-threads`,
      code: 50013,
      refused: (lab) => lab.call(`PATCH /channels/${newThread(lab).id}`, { name: "Other" }),
      taken: async (lab) => {
        const { body } = await standalone({})(lab);
        return lab.call(`PATCH /channels/${String(body.id)}`, { name: "Other" });
      },
    },
  ]);
});
