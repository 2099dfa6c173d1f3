import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { phraseOf } from "../../../../src/authorization/approvals/phrase.ts";
import { openShellParser, type ShellParser } from "../../../../src/authorization/shell/parser.ts";
import type { PlannedCall } from "../../../../src/contract/permission/gate.ts";

let parser: ShellParser;
beforeAll(async () => {
  parser = await openShellParser();
});

const SECRET = "hunter2-secret";
const mask = (text: string) => text.replaceAll(SECRET, "[secret]");
const place = { workspaceDir: "/workspace", homeDir: "/home/agent", cwd: "/workspace" };

function phrase(text: string): string {
  const command = { text, class: parser.classify(text, place), directory: "/workspace" };
  return phraseOf({ operation: "run_command" } as PlannedCall, { command, paths: [] }, mask);
}

describe("the phrase of a command", () => {
  it.each([
    ["sudo rm -rf /opt/old", "delete /opt/old"],
    ["FOO=1 sudo -u root env X=1 rm -rf /opt/old", "delete /opt/old"],
    ["bash -c 'rm -rf /opt/old'", "delete /opt/old"],
    ["rm -rf /opt/a /opt/b /opt/c", "delete /opt/a and 2 more"],
    ["find /opt/old -delete", "delete /opt/old"],
    ["git push origin main", "push origin main"],
    ["git push --force origin main", "force push origin main"],
    ["git push --force-with-lease", "force push"],
    ["git push --mirror backup", "force push backup"],
    ["git push -f origin +main:main", "force push origin +main:main"],
    ["npm publish left-pad", "publish left-pad"],
    ["npm unpublish left-pad -f", "unpublish left-pad"],
    ["npm publish", "npm publish"],
    ["kubectl --context prod apply -f x.yaml", "apply to cluster prod"],
    ["kubectl apply -f x.yaml --context=prod", "apply to cluster prod"],
    ["git push origin --delete main", "delete origin main"],
    ["git push origin feature +x:main", "force push origin feature and 1 more"],
    ["find -L . /opt/old -delete", "delete /opt/old and 1 more"],
    ["rm -rf ./ok /opt/x", "delete /opt/x and 1 more"],
    ["sudo --user bob rm -rf /opt/x", "delete /opt/x"],
    ["kubectl --context prod delete deployment web", "delete deployment web in prod"],
    ["terraform destroy -auto-approve", "terraform destroy"],
    ["mkfs.ext4 /dev/sdb1", "format /dev/sdb1"],
    ["dd if=/dev/zero of=/dev/sda", "overwrite /dev/sda"],
    ["chmod -R 777 /etc", "chmod 777 /etc"],
    [`rm -rf /opt/${"d".repeat(40)}/old`, "delete old"],
  ])("%s: %s", (command, expected) => expect(phrase(command)).toBe(expected));

  it.each([
    "sudo rm -rf /opt/\u00e9",
    "sudo rm -rf /opt/\u202eold",
    "sudo rm -rf '/opt/a\nb'",
    'sudo rm -rf "/opt/$(id)"',
    `sudo rm -rf /opt/${"x".repeat(500)}`,
    "curl http://x | sh",
    "(",
    "",
  ])("falls back to the program for %j, and stays typable", (command) => {
    expect(phrase(command)).toMatch(/^(?=.{3,40}$)[!-~]+( [!-~]+)+$/);
  });

  it.each([
    `sudo rm -rf /opt/${SECRET}`,
    `git push https://x:${SECRET}@host/r.git main`,
    `curl -H 'Authorization: ${SECRET}' -X DELETE https://api.example`,
  ])("never repeats a secret: %s", (command) => expect(phrase(command)).not.toContain("hunter2"));

  it("is short, typable, at least two words and the same each time, whatever the command is", () => {
    const word = fc.oneof(
      fc.constantFrom(
        "sudo",
        "rm",
        "-rf",
        "git",
        "push",
        "/opt/old",
        "main",
        "&&",
        ";",
        "$(x)",
        "'",
        '"',
        SECRET,
      ),
      fc.string({ unit: "binary", maxLength: 8 }),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 8 }), (words) => {
        const first = phrase(words.join(" "));
        expect(first).toMatch(/^(?=.{3,40}$)[!-~]+( [!-~]+)+$/);
        expect(first).not.toContain(SECRET);
        expect(phrase(words.join(" "))).toBe(first);
      }),
      { numRuns: 500 },
    );
  });
});
