import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { everywhere, OUTSIDE, type Risk } from "../../../support/policy.ts";
import type { WebBot } from "../../../support/web-bot.ts";
import {
  cell,
  ONE_OF_EACH,
  obedientBot,
  PATIENCE_MS,
  strangers,
  table,
} from "../../../support/web-policy.ts";

let bot: WebBot;
beforeAll(async () => {
  bot = await obedientBot();
});
afterAll(() => bot[Symbol.asyncDispose]());

describe("P-A1 what people do themselves", () => {
  const RISKS = ["safe", "standard", "elevated", "high"] as const;
  const DIRECT: Readonly<Record<Risk, string>> = {
    safe: "$ ls",
    standard: `file_operations.create_file filePath=${OUTSIDE} content=x`,
    elevated: "file_operations.delete_file filePath=a.txt",
    high: "$ sudo rm -rf /opt/old",
  };
  const expected = (columns: readonly string[]) => ({
    owner: { ...everywhere(columns, "runs"), high: "asks" },
    ada: { ...everywhere(columns, "runs"), high: "asks" },
    gus: everywhere(columns, "nothing"),
    ...strangers(columns),
  });

  it("by a message", { timeout: PATIENCE_MS }, async () => {
    const seen = await table(ONE_OF_EACH, RISKS, (actor, risk) =>
      cell(bot, (thread) => bot.say(actor, thread, DIRECT[risk])),
    );
    expect(seen).toEqual(expected(RISKS));
  });

  // A typed line that would need an approval is refused for everyone.
  const LINES = ["safe", "elevated", "high"] as const;
  const typed = () => {
    const refused = { safe: "runs", elevated: "nothing", high: "nothing" };
    return { ...expected(LINES), owner: refused, ada: refused };
  };
  const TYPED = { safe: "ls", elevated: "sudo id", high: "l\ts" } as const;

  it("by a slash command that types into the terminal", { timeout: PATIENCE_MS }, async () => {
    const seen = await table(ONE_OF_EACH, LINES, (actor, risk) =>
      cell(bot, (thread) => bot.say(actor, thread, `/terminal send ${TYPED[risk]}`)),
    );
    expect(seen).toEqual(typed());
  });

  it("15.7 by the line under the live terminal", { timeout: PATIENCE_MS }, async () => {
    const readable = { ...TYPED, high: "echo $((" };
    const seen = await table(ONE_OF_EACH, LINES, (actor, risk) =>
      cell(bot, (thread) => bot.type(actor, thread, readable[risk])),
    );
    expect(seen).toEqual(typed());
  });

  it("an edit never runs what it says", { timeout: PATIENCE_MS }, async () => {
    const seen = await table(ONE_OF_EACH, RISKS, (actor, risk) =>
      cell(bot, async (thread) => {
        const id = crypto.randomUUID();
        const at = `/api/threads/${thread}/messages`;
        await bot.ask(actor, "POST", at, { id, text: "todos" });
        await bot.rests(thread);
        const edit = { id: crypto.randomUUID(), text: DIRECT[risk] };
        return bot.ask(actor, "PATCH", `${at}/m${id}`, edit);
      }),
    );
    const nothing = everywhere(RISKS, "nothing");
    expect(seen).toEqual({
      ...expected(RISKS),
      owner: nothing,
      ada: nothing,
    });
  });
});
