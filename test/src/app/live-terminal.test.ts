import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { followMasked } from "../../../src/app/live-terminal.ts";
import type { OutputPiece } from "../../../src/contract/workspace/channel.ts";
import type { FollowOptions, Workspace } from "../../../src/contract/workspace/workspace.ts";
import { createRedactor } from "../../../src/redaction/redactor.ts";
import { canaries, ENCODINGS, leaks } from "../../support/canaries.ts";

const CANARIES = canaries(12);
const redactor = createRedactor({
  secrets: Object.fromEntries(CANARIES.map(({ name, value }) => [name, value])),
});

/** A terminal that has printed this, and of which the beginning may be gone. */
function terminal(text: string, { pieceChars = 9, keptFrom = 0, ends = true } = {}): Workspace {
  const follow = async (session_id: string, { fromIndex, onOutput }: FollowOptions) => {
    const piece = (from_index: number, output: string, ended?: true): OutputPiece =>
      ended ? { session_id, from_index, output, ended } : { session_id, from_index, output };
    let at = Math.max(fromIndex, keptFrom);
    for (; at < text.length; at += pieceChars)
      await onOutput(piece(at, text.slice(at, at + pieceChars)));
    if (ends) await onOutput(piece(text.length, "", true));
    else await new Promise((resolve) => setTimeout(resolve, 200));
  };
  return { follow } as Workspace;
}

/** What a page has on its screen that comes back after so many pieces, time and again. */
async function screen(workspace: Workspace, piecesEach: readonly number[] = []): Promise<string> {
  let seen = "";
  let nextIndex = 0;
  for (const most of [...piecesEach, Number.POSITIVE_INFINITY]) {
    let taken = 0;
    const from = nextIndex;
    await followMasked(workspace, redactor, "t", {
      fromIndex: from,
      signal: new AbortController().signal,
      onOutput: async (piece) => {
        taken += 1;
        if (taken > most) return;
        expect(piece.fromIndex).toBeGreaterThanOrEqual(nextIndex);
        seen += piece.text;
        nextIndex = piece.nextIndex;
      },
    });
  }
  return seen;
}

describe("a terminal that is followed", () => {
  it("shows everything that is no secret, once, whatever the connection does", async () => {
    const text = "user@host:~$ ls -l\r\ntotal 3\r\nnotes.md  src\r\nuser@host:~$ ";
    expect(await screen(terminal(text))).toBe(text);
    expect(await screen(terminal(text), [1, 1, 2, 1])).toBe(text);
  });

  it("P-X1 shows no secret, however it is cut and wherever the page comes back", async () => {
    const encodings = Object.values(ENCODINGS);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...CANARIES),
        fc.constantFrom(...encodings),
        fc.integer({ min: 1, max: 40 }),
        fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 6 }),
        async ({ value }, encode, pieceChars, piecesEach) => {
          const encoded = encode(value);
          const text = `$ env\r\nA=1\r\n${encoded}\r\n$ echo done\r\n`;
          const seen = await screen(terminal(text, { pieceChars }), piecesEach);
          expect(leaks(seen, value, encoded)).toBe(false);
          expect(seen.startsWith("$ env\r\nA=1\r\n")).toBe(true);
          expect(seen.endsWith("\r\n$ echo done\r\n")).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("masks the rest of a key for whoever comes back in the middle of it", async () => {
    const lines = Array.from(
      { length: 30 },
      (_, index) => `MIIEowIBAAKCAQEA7bq9Z3kd${index}0ksLsd93k`,
    );
    const key = `-----BEGIN PRIVATE KEY-----\n${lines.join("\n")}\n-----END PRIVATE KEY-----`;
    const workspace = terminal(`$ cat key\n${key}\n$ `, { pieceChars: lines[0]?.length ?? 1 });
    for (const piecesEach of [[], [1], [2, 1], [1, 1, 1, 1]]) {
      const seen = await screen(workspace, piecesEach);
      expect(lines.filter((line) => seen.includes(line))).toEqual([]);
      expect(seen.endsWith("]\n$ ")).toBe(true);
    }
  });

  it("shows a prompt that waits for input, although no word ends there", async () => {
    expect(await screen(terminal("$ sudo ls\r\nPassword:", { ends: false }))).toBe(
      "$ sudo ls\r\nPassword:",
    );
  });

  it("goes on where the terminal still knows what it has printed", async () => {
    const text = `${"gone ".repeat(20)}still here\r\n`;
    expect(await screen(terminal(text, { keptFrom: 100 }))).toBe("still here\r\n");
  });
});
