import { describe, expect, it } from "vitest";
import { RING_LIMIT_CHARS } from "../../../src/contract/tools/terminal-operations.ts";
import { FOLLOW_WINDOW_CHARS, type OutputPiece } from "../../../src/contract/workspace/channel.ts";
import { listenToWork } from "../../support/longest-work.ts";
import { ownSleep } from "../../support/own-clock.ts";
import { TerminalLab } from "../../support/terminals.ts";

/** Follows the lab's terminal; acknowledges what arrives unless told not to. */
function follow(lab: TerminalLab, { acknowledge = true, from = 0 } = {}) {
  const pieces: OutputPiece[] = [];
  const start = lab.terminals.follow("thread", from, (piece) => {
    pieces.push(piece);
    if (acknowledge) lab.terminals.ack("thread", piece.from_index + piece.output.length);
  });
  return { pieces, start, text: () => pieces.map(({ output }) => output).join("") };
}

function chars(pieces: readonly OutputPiece[]): number {
  return pieces.reduce((sum, { output }) => sum + output.length, 0);
}

describe("following a terminal", () => {
  it("6.16 gets every character once, in pieces of at most 64 KB", async () => {
    await using lab = new TerminalLab();
    await lab.run("echo before");
    const { pieces, start } = follow(lab);
    const began = performance.now();
    await lab.run("seq 1 1000000");
    let whole: OutputPiece[] = [];
    const missing = () => {
      whole = [...pieces];
      return lab.terminals.getOutput("thread", 0).end_index - start.from_index - chars(whole);
    };
    await expect.poll(missing).toBe(0);
    const tookMs = performance.now() - began;
    let next = start.from_index;
    for (const piece of whole) {
      expect(piece.from_index).toBe(next);
      expect(piece.output.length).toBeLessThanOrEqual(128 * 1024);
      next += piece.output.length;
    }
    expect(next).toBeGreaterThan(7_000_000);
    // A new piece comes when there are 64 KB of it, or after 5 ms; a slow machine has more time for them.
    expect(whole.length).toBeLessThan(next / (64 * 1024) + tookMs / 4 + 20);
  });

  it("6.16 makes the terminal wait for a follower that is a window behind", async () => {
    await using lab = new TerminalLab();
    await lab.call("create_session");
    const { pieces, start } = follow(lab, { acknowledge: false });
    const job = lab.run("seq 1 1000000");
    await expect.poll(() => chars(pieces)).toBe(FOLLOW_WINDOW_CHARS);
    // Time to print more, if it may.
    await ownSleep(300);
    expect(chars(pieces)).toBe(FOLLOW_WINDOW_CHARS);
    const { end_index } = lab.terminals.getOutput("thread", 0);
    expect(end_index).toBeLessThan(start.from_index + FOLLOW_WINDOW_CHARS + 300_000);
    const acknowledging = setInterval(() => {
      const last = pieces.at(-1);
      if (last) lab.terminals.ack("thread", last.from_index + last.output.length);
    }, 1);
    expect(await job).toMatchObject({ success: true });
    await expect
      .poll(() => lab.terminals.getOutput("thread", 0).end_index - start.from_index - chars(pieces))
      .toBe(0);
    clearInterval(acknowledging);
    expect(pieces.map(({ output }) => output).join("")).toContain("\r\n999999\r\n1000000\r\n");
  });

  it("6.16 drops a follower that says nothing for ten seconds", async () => {
    await using lab = new TerminalLab();
    await lab.call("create_session");
    const { pieces } = follow(lab, { acknowledge: false });
    const result = await lab.run("seq 1 1000000", { timeout: 90 });
    expect(result).toMatchObject({ success: true });
    expect(result.duration_ms).toBeGreaterThan(9000);
    expect(result.duration_ms).toBeLessThan(60_000);
    expect(chars(pieces)).toBe(FOLLOW_WINDOW_CHARS);
  });

  it("6.16 starts where it is asked to, and says what is gone", async () => {
    await using lab = new TerminalLab();
    await lab.run("seq 1 1000000");
    const { start } = follow(lab);
    const { end_index } = lab.terminals.getOutput("thread", 0);
    expect(start.dropped).toBe(end_index - RING_LIMIT_CHARS);
    expect(start.from_index).toBe(start.dropped);
    expect(follow(lab, { from: end_index }).start).toEqual({ from_index: end_index, dropped: 0 });
  });

  it("6.16 gets the last words of a shell, even when it was behind", async () => {
    await using lab = new TerminalLab();
    await lab.call("create_session");
    const { pieces, text } = follow(lab, { acknowledge: false });
    await lab.run("head -c 530000 /dev/zero | tr '\\0' x; echo last words; exit");
    await expect.poll(() => pieces.at(-1)?.ended).toBe(true);
    expect(text()).toContain("last words");
  });

  it("6.16 gets no more after unfollow, and a new one takes over", async () => {
    await using lab = new TerminalLab();
    await lab.call("create_session");
    const first = follow(lab);
    await lab.run("echo for the former");
    await expect.poll(() => first.text()).toContain("\nfor the former");
    const second = follow(lab);
    await lab.run("echo for the second");
    await expect.poll(() => second.text()).toContain("\nfor the second");
    lab.terminals.unfollow("thread");
    await lab.run("echo for nobody");
    const third = follow(lab);
    await expect.poll(() => third.text()).toContain("\nfor nobody");
    expect(first.text()).not.toContain("second");
    expect(second.text()).toContain("for the second");
    expect(second.text()).not.toContain("nobody");
    expect(() => lab.terminals.follow("other", 0, () => {})).toThrow("not found");
  });

  it("6.16 cannot keep a command from being stopped", async () => {
    await using lab = new TerminalLab();
    await lab.run("KEPT=yes");
    follow(lab, { acknowledge: false });
    const result = await lab.run("yes", { timeout: 1 });
    expect(result).toMatchObject({ kind: "timeout" });
    expect(result.notice).toBeUndefined();
    lab.terminals.unfollow("thread");
    expect(await lab.output("echo $KEPT")).toBe("yes\n");
  });

  it("P-S5 survives a flood in bounded memory and stays responsive", async () => {
    await using lab = new TerminalLab();
    await lab.call("create_session");
    const before = process.memoryUsage().rss;
    const beat = listenToWork();
    const result = await lab.run("yes 'a flood of output, line after line' | head -c 1G", {
      timeout: 6,
    });
    beat.stop();
    expect(["timeout", undefined]).toContain(result.kind);
    expect(result.truncated).toBe(true);
    expect(lab.terminals.getHistory("thread").length).toBeLessThanOrEqual(RING_LIMIT_CHARS);
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1024 * 1024);
    expect(beat.longestMs).toBeLessThan(500);
    expect(await lab.output("echo dry again")).toBe("dry again\n");
  });
});
