import { describe, expect, it } from "vitest";
import { printable } from "../../../src/authorization/printable.ts";
import type { Approval } from "../../../src/contract/permission/approval.ts";
import type { View } from "../../../src/contract/platform/view.ts";
import { createRedactor } from "../../../src/redaction/redactor.ts";
import { maskedFile, maskedView } from "../../../src/reply/masked.ts";
import { approvalOf } from "../../contracts/adapter/views.ts";
import { canaries } from "../../support/canaries.ts";

const SECRET = "correct-horse-9f8e7d6c";
const redactor = createRedactor({ secrets: { OPERATOR_TOKEN: SECRET } });

function cardOf(command: string, more: Partial<Approval["effect"]> = {}, own = redactor) {
  const approval = approvalOf("", "x");
  const effect = { ...approval.effect, command, ...more };
  const call = { ...approval.call, params: { command } };
  const view: View = {
    kind: "approval",
    approval: { ...approval, call, effect },
    requester: "Ada",
    buttons: [{ action: `approval:${SECRET}:once`, label: `Approve ${SECRET}` }],
  };
  const before = structuredClone(view);
  const masked = maskedView(own, view);
  if (masked.kind !== "approval") throw new Error("a card stays a card");
  expect(view).toEqual(before);
  return masked;
}

const shown = (command: string) => cardOf(command).approval.effect.command;

describe("an approval card", () => {
  it("hides a secret's value and nothing else, says so, and leaves what was asked about as it is", () => {
    const card = cardOf(`deploy --key ${SECRET} --to production && rm -rf old`);
    const { effect, call } = card.approval;
    expect(effect.command).toBe("deploy --key [secret] --to production && rm -rf old");
    expect(JSON.stringify(call)).not.toContain(SECRET);
    expect(effect.notes.join()).toContain("stand for secret values");
    expect(cardOf("rm -rf old").approval.effect.notes).toEqual([]);
  });

  it("keeps what its buttons do, whatever that looks like", () => {
    expect(cardOf("ls").buttons).toEqual([
      { action: `approval:${SECRET}:once`, label: "Approve [secret]" },
    ]);
  });

  it("11.30 masks the value of a parameter that is named token", () => {
    const approval = approvalOf("", "x");
    const params = { token: "hunter22x", name: "hunter22x" };
    const view: View = {
      kind: "approval",
      approval: {
        ...approval,
        call: { ...approval.call, params },
        effect: { ...approval.effect, params: [{ name: "token", value: "hunter22x" }] },
      },
      requester: "Ada",
      buttons: [],
    };
    const masked = maskedView(redactor, view);
    expect(masked).toMatchObject({
      approval: {
        call: { params: { token: "[secret]", name: "hunter22x" } },
        effect: { params: [{ name: "token", value: expect.not.stringContaining("hunter") }] },
      },
    });
  });

  it.each([
    ["a password in an address", "x://a:b;reboot;@h", "reboot"],
    ["a value on the next line", "echo token=\n./evil1234x", "./evil1234x"],
    [
      "credentials on the next line",
      "echo Bearer\n/opt/evil/run1234567890",
      "/opt/evil/run1234567890",
    ],
    [
      "a private key",
      "cat <<A\n-----BEGIN PRIVATE KEY-----\nA\nreboot\n-----END PRIVATE KEY-----",
      "reboot",
    ],
    [
      "the path of a program among the lines of a private key",
      "cat <<AAAABBBBCCCCDDDD\n-----BEGIN PRIVATE KEY-----\nAAAABBBBCCCCDDDD\n/workspace/bin/evil\n-----END PRIVATE KEY-----",
      "/workspace/bin/evil",
    ],
    ["a quoted value", `token="a1b2c3;reboot9"; eval "$token"`, ";reboot9"],
    ["the rest of a line", "npm set //r/:_authToken=x1 ; rm -rf /srv/data", "rm -rf /srv/data"],
    ["an address of a database", "psql postgres://u:p1$(reboot)@h/d", "$(reboot)"],
  ])("P-X2 does not hide a command that is dressed up as %s", (_, command, essential) => {
    expect(redactor.redact(command)).not.toBe(undefined);
    expect(shown(command)).toContain(essential);
  });

  it("masks what only looks like a secret where it can do nothing", () => {
    const token = `ghp_${"a1B2".repeat(9)}`;
    expect(shown(`curl -H 'Authorization: Bearer ${token}' https://api.host.io`)).toBe(
      "curl -H 'Authorization: Bearer [redacted: credentials of a request]' https://api.host.io",
    );
    const line = "MIIEowIBAAKCAQEA7bq9Z3kd02ksLsd93kdfLsk20ZkMn4vB8xQ1";
    const key = `-----BEGIN PRIVATE KEY-----\n${line}\n${line}\n-----END PRIVATE KEY-----`;
    expect(shown(`cat > k <<E\n${key}\nE`)).not.toContain(line.slice(0, 20));
  });

  it("never needs more room than what it hides", () => {
    for (const { name, value } of canaries(60)) {
      const own = createRedactor({ secrets: { [`A_LONG_NAME_OF_${name}`]: value } });
      const command = `echo ${value} x://u:p1w@h ${value}`;
      const masked = cardOf(command, {}, own).approval.effect.command ?? "";
      expect(masked).not.toContain(value);
      expect(masked.length).toBeLessThanOrEqual(command.length);
    }
  });

  it("P-X1 knows a secret in the guard's printable letters", () => {
    for (const { name, value } of canaries(60)) {
      const own = createRedactor({ secrets: { [name]: value } });
      const text = printable(`echo ${value} end`);
      expect(cardOf(text, {}, own).approval.effect.command).toMatch(/^echo \[[^\]]+\] end$/);
    }
  });
});

describe("an answer that is still written", () => {
  it("P-X1 shows nothing of a known secret, wherever it has got to", () => {
    const text = `The key is ${SECRET}, use it.`;
    for (let at = 1; at <= text.length; at += 1) {
      const view = maskedView(redactor, { kind: "reply", text: text.slice(0, at), isFinal: false });
      const said = view.kind === "reply" ? view.text : SECRET;
      expect(said).not.toContain(SECRET.slice(0, 5));
    }
  });
});

describe("a shared file", () => {
  const file = (bytes: Uint8Array) => ({ name: "f", mimeType: "x", bytes, comment: "f" });

  it("is masked where it is text, and says so", async () => {
    const content = await maskedFile(redactor, file(Buffer.from(`a\nkey ${SECRET}\n`)));
    if (!("file" in content)) throw new Error("text is shared");
    expect(Buffer.from(content.file.bytes).toString()).toBe("a\nkey [redacted: OPERATOR_TOKEN]\n");
    expect(content.file.comment).toBe("f (secrets in it are masked)");
  });

  it("is shared as it is where nothing is to be masked, text or not", async () => {
    for (const bytes of [Buffer.from("plain"), Buffer.from([0, 1, 2, 255])]) {
      const content = await maskedFile(redactor, file(bytes));
      expect(content).toEqual({ file: file(bytes) });
    }
  });

  it("is withheld where a known secret stands in what is no text", async () => {
    const bytes = Buffer.concat([Buffer.from([0, 255]), Buffer.from(SECRET), Buffer.from([0])]);
    const content = await maskedFile(redactor, file(bytes));
    expect(content).toMatchObject({ view: { kind: "notice", text: /not shown/ } });
  });
});
