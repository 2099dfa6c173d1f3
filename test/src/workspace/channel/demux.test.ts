import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Demux } from "../../../../src/workspace/channel/demux.ts";
import { caseCount } from "../../../support/thorough.ts";

const frames = fc.array(
  fc.record({ type: fc.constantFrom(0, 1, 2), payload: fc.uint8Array({ maxLength: 200 }) }),
  { maxLength: 12 },
);
const cuts = fc.array(fc.integer({ min: 1, max: 64 }), { minLength: 1, maxLength: 20 });

describe("Docker's multiplexed stream", () => {
  it("comes apart into the same bytes however it is cut into chunks", () => {
    fc.assert(
      fc.property(frames, cuts, (sent, sizes) => {
        const bytes = Buffer.concat(sent.map(({ type, payload }) => frame(type, payload)));
        const received = demuxed(chunked(bytes, sizes));
        expect(received.stdout).toEqual(joined(sent, [0, 1]));
        expect(received.stderr).toEqual(joined(sent, [2]));
      }),
      { numRuns: caseCount({ perChange: 1000, all: 6000 }) },
    );
  });

  it("hands on what has arrived of a frame that announces four gigabytes", () => {
    const header = Buffer.from([1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]);
    expect(demuxed([header, Buffer.from("abc")]).stdout.toString()).toBe("abc");
  });

  it("refuses bytes that are no frame", () => {
    expect(() => demuxed([Buffer.from("HTTP/1.1 200 OK\r\n")])).toThrow(
      "without stdout and stderr",
    );
  });
});

function frame(type: number, payload: Uint8Array): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt8(type, 0);
  header.writeUInt32BE(payload.length, 4);
  return Buffer.concat([header, payload]);
}

function chunked(bytes: Buffer, sizes: number[]): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    chunks.push(bytes.subarray(at, at + size));
    at += size;
  }
  return chunks;
}

function demuxed(chunks: Buffer[]) {
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  const demux = new Demux(
    (piece) => stdout.push(piece),
    (piece) => stderr.push(piece),
  );
  for (const chunk of chunks) demux.push(chunk);
  return { stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr) };
}

function joined(sent: { type: number; payload: Uint8Array }[], types: number[]): Buffer {
  return Buffer.concat(sent.filter(({ type }) => types.includes(type)).map((one) => one.payload));
}
