import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  canonical,
  HostEntryError,
  readEntry,
} from "../../../../src/network/policy/host-pattern.ts";
import {
  judgeHost,
  type NamedRules,
  readHosts,
} from "../../../../src/network/policy/host-rules.ts";
import { PRESETS } from "../../../../src/network/policy/presets.ts";

const rules = (allow: string[], deny: string[] = []): NamedRules => ({
  name: "a list",
  rules: { allow: readHosts(allow), deny: readHosts(deny) },
});

const outcome = (list: NamedRules | NamedRules[], host: string, port = 443) =>
  judgeHost([list].flat(), { host, port }).outcome;

describe("a list of hosts", () => {
  it.each([
    ["example.com", "example.com", 443, "open"],
    ["example.com", "example.com", 80, "open"],
    ["example.com", "example.com", 22, "unknown"],
    ["example.com", "api.example.com", 443, "unknown"],
    ["EXAMPLE.com.", "example.com", 443, "open"],
    ["example.com:8443", "example.com", 8443, "open"],
    ["example.com:8443", "example.com", 443, "unknown"],
    ["example.com:8000-8100", "example.com", 8050, "open"],
    ["example.com:*", "example.com", 1, "open"],
    ["*.example.com", "api.example.com", 443, "open"],
    ["*.example.com", "example.com", 443, "unknown"],
    ["*.example.com", "a.b.example.com", 443, "unknown"],
    ["*.example.com", "evilexample.com", 443, "unknown"],
    ["**.example.com", "a.b.example.com", 443, "open"],
    ["**.example.com", "example.com", 443, "unknown"],
    ["api.*.example.com", "api.eu.example.com", 443, "open"],
    ["api.*.example.com", "web.eu.example.com", 443, "unknown"],
    ["bücher.example", "xn--bcher-kva.example", 443, "open"],
    ["10.1.0.0/16:5432", "10.1.2.3", 5432, "open"],
    ["10.1.0.0/16:5432", "10.2.2.3", 5432, "closed"],
    ["[2001:db8::1]:443", "2001:db8::1", 443, "open"],
    ["npm", "registry.npmjs.org", 443, "open"],
    ["npm", "npmjs.org", 443, "unknown"],
    ["redis:6379", "redis", 6379, "open"],
  ])("%s says of %s:%i that it is %s", (entry, host, port, expected) => {
    expect(outcome(rules([entry]), host, port)).toBe(expected);
  });

  it.each([
    ["https://example.com/page", "Write example.com"],
    ["nmp", "neither a preset"],
    ["*", "too wide"],
    ["*.com", "too wide"],
    ["a*.example.com", "whole label"],
    ["example.com:70000", "bad port"],
    ["example.com:0", "bad port"],
    ["example.com:90-80", "bad port"],
    ["10.0.0.0/99", "no range"],
    ["0.0.0.0/0", "every address"],
    ["exa mple.com", "no host"],
    ["user@example.com", "no host"],
    ["git.internal:443=10.1", "no range"],
    ["git.internal:443=10.1.0.0/16=x", "more than one"],
  ])("refuses %s and says why: %s", (entry, why) => {
    expect(() => readHosts([entry])).toThrow(HostEntryError);
    expect(() => readHosts([entry])).toThrow(why);
    expect(() => readHosts([entry])).toThrow(JSON.stringify(entry).slice(0, 8));
  });

  it("closes private and local hosts to cards, and opens them to the operator", () => {
    for (const host of ["10.0.0.1", "169.254.169.254", "127.0.0.1", "::1", "db", "db.internal"])
      expect(outcome(rules([]), host)).toBe("closed");
    expect(
      judgeHost([rules(["db.internal:5432=10.1.0.0/16"])], { host: "db.internal", port: 5432 }),
    ).toMatchObject({
      outcome: "open",
      privateRanges: ["10.1.0.0/16"],
    });
    expect(judgeHost([rules(["10.1.2.3:80"])], { host: "10.1.2.3", port: 80 })).toMatchObject({
      privateRanges: ["10.1.2.3/32"],
    });
  });

  it("gives no private range that shares an address with a denied one", () => {
    const list = rules(["db.internal:5432=10.1.0.0/16"], ["10.1.5.0/24:*"]);
    expect(judgeHost([list], { host: "db.internal", port: 5432 })).toMatchObject({
      outcome: "open",
      privateRanges: [],
    });
  });

  it("can read every preset", () => {
    for (const [name, entries] of Object.entries(PRESETS)) {
      expect(readHosts([name])).toHaveLength(entries.length);
    }
  });

  const label = fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/);
  const host = fc.array(label, { minLength: 2, maxLength: 4 }).map((labels) => labels.join("."));
  const entry = fc
    .tuple(host, fc.constantFrom("", ":443", ":*", ":1-1000"), fc.boolean())
    .map(([name, port, isWild]) => `${isWild ? `*.${name}` : name}${port}`);

  it("P-S4 denies whatever any list denies, in whatever order and whoever allows it", () => {
    fc.assert(
      fc.property(
        fc.array(entry),
        fc.array(entry),
        host,
        fc.constantFrom(80, 443, 999),
        (allow, deny, name, port) => {
          const place = { host: name, port };
          const isDenied = judgeHost([rules(deny)], place).outcome === "open";
          const lists = [rules(allow), rules([], deny)];
          for (const order of [lists, lists.toReversed(), [rules(allow, deny)]]) {
            const ruled = judgeHost(order, place).outcome;
            if (isDenied) expect(ruled).toBe("denied");
            else expect(ruled).toBe(judgeHost([rules(allow)], place).outcome);
          }
        },
      ),
    );
  });

  it("means the same in the one way to write an entry", () => {
    fc.assert(
      fc.property(entry, host, fc.constantFrom(80, 443, 999), (written, name, port) => {
        const again = readEntry(written).map(canonical);
        expect(outcome(rules(again), name, port)).toBe(outcome(rules([written]), name, port));
        expect(again.flatMap((one) => readEntry(one)).map(canonical)).toEqual(again);
      }),
    );
  });
});
