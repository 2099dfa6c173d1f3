import { existsSync } from "node:fs";
import { expect, it } from "vitest";
import { call, say } from "../support/model-server/replies.ts";
import { Talk } from "../support/talk.ts";
import { until } from "../support/until.ts";

const POLICY = `approvers: [{ who: [members], risks: [standard, elevated, high] }]
anotherPerson: [standard, elevated]`;

it("P-A3 whoever has steered a turn is on its card and not the other person, also after a restart", async () => {
  await using talk = await Talk.start({ policy: POLICY });
  const { ada, bob } = talk;
  const carol = talk.rig.people.person({ kind: "member" });
  const filePath = talk.workspaces.of(talk.thread).files.path("../steered.txt");
  talk.model.script([
    call("terminal_operations", { operation: "run_command", command: talk.held() }),
    call("file_operations", { operation: "create_file", filePath, content: "made" }),
    say("Written."),
  ]);
  await talk.say("write a file");
  await until(() => talk.workspaces.begun.length === 1, "the command");
  await talk.say("outside, please", { by: bob });
  await talk.letGo();
  await talk.sees("Approval needed");
  expect(talk.cards("approval")[0]?.text).toContain(`Asked by ${ada.name} and ${bob.name}`);
  await talk.rests();
  await talk.restart();

  await talk.press("Approve once", { by: bob });
  await talk.hears("Your message is part of this request", bob);
  await talk.press("Approve once", { by: ada });
  await talk.hears("You requested this", ada);
  expect(existsSync(filePath)).toBe(false);
  await talk.press("Approve once", { by: carol });
  await talk.sees("Written.");
  expect(existsSync(filePath)).toBe(true);
  expect(talk.cards("approval")[0]?.text).toContain(`Asked by ${ada.name} and ${bob.name}`);
});
