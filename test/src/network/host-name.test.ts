import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConnectError } from "../../../src/contract/connector.ts";
import { Connector } from "../../../src/network/connector.ts";
import { normaliseHost, parseAuthority } from "../../../src/network/host-name.ts";
import { caseCount } from "../../support/thorough.ts";

const NORMALISED = {
  "Example.COM": "example.com",
  "example.com.": "example.com",
  "bücher.de": "xn--bcher-kva.de",
  "XN--BCHER-KVA.de": "xn--bcher-kva.de",
  "ｅｘａｍｐｌｅ。com": "example.com",
  "faß.de": "xn--fa-hia.de",
  "a_b.example": "a_b.example",
  "127.1": "127.0.0.1",
  "1.2.3.4.": "1.2.3.4",
  "0x7f.1": "127.0.0.1",
  "0X7F000001": "127.0.0.1",
  "2130706433": "127.0.0.1",
  "017700000001": "127.0.0.1",
  "0177.0.0.0x1": "127.0.0.1",
  "10.65535": "10.0.255.255",
  "４.４.４.４": "4.4.4.4",
  "127。0。0。1": "127.0.0.1",
  "::ffff:127.0.0.1": "127.0.0.1",
  "[::FFFF:7f00:1]": "127.0.0.1",
  "0:0:0:0:0:ffff:a9fe:a9fe": "169.254.169.254",
  "::1.2.3.4": "::102:304",
  "64:ff9b::10.0.0.1": "64:ff9b::a00:1",
  "2001:DB8:0:0::1": "2001:db8::1",
  "::": "::",
};

const REJECTED = [
  "",
  ".",
  "a..b",
  ".a",
  "example.com..",
  "1.2.3.256",
  "1.2.3.4.5",
  "256.256.256.256",
  "0x100000000",
  "foo.1",
  "example.0x1",
  "fe80::1%eth0",
  "fe80::1%25eth0",
  "[::1",
  "::1]",
  "[1.2.3.4]",
  "[]",
  "1::2::3",
  "exa%6dple.com",
  "exa\0mple.com",
  "example.com\r\nHost: evil",
  "exam ple.com",
  "example.com\t",
  "user@example.com",
  "user:password@example.com",
  "example.com/path",
  "example.com\\@evil.com",
  "example.com#x",
  "example.com?x",
  "example.com:443",
  "*.example.com",
  "a,b",
  "soft\u00adhyphen.com",
  "zero\u200bwidth.com",
  "\u202egnp.com",
  "\ud800.com",
  `${"a".repeat(64)}.com`,
  `${"a.".repeat(127)}com`,
  "a".repeat(100_000),
];

describe("the one spelling of a host", () => {
  it.each(Object.entries(NORMALISED))("makes %j %s", (text, host) => {
    expect(normaliseHost(text, 443)).toMatchObject({ host, port: 443 });
    expect(normaliseHost(host, 443)).toMatchObject({ host });
  });

  it.each(REJECTED)("rejects %j with a sentence", (text) => {
    const rejected = normaliseHost(text, 443);
    expect(rejected).toMatchObject({
      kind: "rejected",
      reason: expect.stringMatching(/^.{8,200}\.$/),
    });
  });

  it.each([0, -1, 65_536, 1.5, Number.NaN])("rejects port %s", (port) => {
    expect(normaliseHost("example.com", port).kind).toBe("rejected");
  });

  it("splits an authority, and rejects one with a user, without a port or with several", () => {
    expect(parseAuthority("example.com:8443")).toMatchObject({ host: "example.com", port: 8443 });
    expect(parseAuthority("[::1]:443")).toMatchObject({ host: "::1", port: 443 });
    expect(parseAuthority("example.com", 80)).toMatchObject({ port: 80 });
    for (const bad of [
      "example.com",
      "::1:443",
      "a:",
      "a:1:2",
      "u@a:1",
      "u:p@a:1",
      "a:65536",
      " a:1",
    ]) {
      expect(parseAuthority(bad).kind, bad).toBe("rejected");
    }
  });
});

const label = fc.oneof(
  fc.stringMatching(/^[a-zA-Z0-9_-]{1,12}$/),
  fc.constantFrom(
    "example",
    "EXAMPLE",
    "bücher",
    "xn--bcher-kva",
    "localhost",
    "ｅｘ",
    "0x7f",
    "017",
    "1",
  ),
);
const byte = fc.oneof(
  fc.integer({ min: 0, max: 300 }),
  fc.constantFrom(127, 10, 169, 254, 192, 168),
);
const spelled = (value: number) =>
  fc.constantFrom(
    `${value}`,
    `0x${value.toString(16)}`,
    `0${value.toString(8)}`,
    `0X${value.toString(16)}`,
  );
const address = fc
  .array(byte.chain(spelled), { minLength: 1, maxLength: 5 })
  .map((parts) => parts.join("."));
const whole = fc.integer({ min: 0, max: 0xffff_ffff }).chain(spelled);
const ipv6 = fc
  .array(fc.constantFrom("", "0", "1", "ffff", "FFFF", "a9fe", "7f00", "64", "ff9b", "fe80"), {
    minLength: 3,
    maxLength: 8,
  })
  .map((words) => words.join(":"));
const name = fc
  .array(label, { minLength: 1, maxLength: 4 })
  .chain((labels) => fc.constantFrom(".", "。", "．", "..").map((dot) => labels.join(dot)));
const noise = fc.constantFrom(
  "",
  "",
  "",
  ".",
  "\0",
  "%00",
  " ",
  "\t",
  "@",
  "u@",
  "\u00ad",
  "\u200b",
  "#",
  "/",
  ":1",
  "]",
  "\r\n",
  "%2e",
  "%",
);
const spelling = fc
  .tuple(
    noise,
    fc.oneof(
      name,
      address,
      whole,
      ipv6,
      ipv6.map((text) => `[${text}]`),
      fc.string({ maxLength: 20 }),
    ),
    noise,
  )
  .map((parts) => parts.join(""));

/** What the C library makes of a text that it takes for an IPv4 address; undefined where it does not. */
function inetAton(text: string): string | undefined {
  const parts = text.split(".");
  if (
    parts.length > 4 ||
    !parts.every((part) => /^(0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)$/.test(part))
  )
    return undefined;
  const numbers = parts.map((part) => Number(/^0[0-7]+$/.test(part) ? `0o${part.slice(1)}` : part));
  const last = numbers.pop() ?? 0;
  if (numbers.some((number) => number > 255) || last >= 256 ** (4 - numbers.length))
    return undefined;
  const value = numbers.reduce((sum, number, index) => sum + number * 256 ** (3 - index), last);
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".");
}

describe("filter and connector", () => {
  it("never disagree about a generated spelling", { timeout: 600_000 }, async () => {
    const looked: string[] = [];
    const connector = new Connector({
      resolve: async (host) => {
        looked.push(host);
        return [{ address: "192.0.2.1", family: 4 }];
      },
    });
    const anywhere = { privateRanges: ["0.0.0.0/0", "::/0"] };
    await fc.assert(
      fc.asyncProperty(spelling, async (text) => {
        const judged = normaliseHost(text, 443);
        looked.length = 0;
        const reached = await connector
          .addressesOf({ host: text, port: 443 }, anywhere)
          .catch((error: ConnectError) => error);
        if (judged.kind === "rejected") {
          expect(reached).toBeInstanceOf(ConnectError);
          expect(looked).toEqual([]);
          return;
        }
        // Whatever the policy compared is what was resolved, or connected to as it stands.
        expect(looked).toEqual(judged.kind === "name" ? [judged.host] : []);
        if (judged.kind === "address") expect(reached).toEqual([judged.host]);
        expect(normaliseHost(judged.host, 443)).toEqual(judged);
        // A resolver must find no other meaning in it: the C library takes more texts for addresses than people do.
        expect(inetAton(judged.host) ?? judged.host).toBe(judged.host);
        expect(judged.host).toMatch(/^[a-z0-9._:-]+$/);
        const meant = inetAton(text);
        if (meant !== undefined) expect(judged).toMatchObject({ kind: "address", host: meant });
      }),
      { numRuns: caseCount({ perChange: 2_000, all: 20_000 }) },
    );
  });
});
