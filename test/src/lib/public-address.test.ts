import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isPublicAddress } from "../../../src/lib/public-address.ts";

describe("a public address", () => {
  it.each([
    "8.8.8.8",
    "93.184.215.14",
    "2606:4700:4700::1111",
    "2a00:1450:4001::200e",
    "::ffff:8.8.8.8",
  ])("is %s", (address) => expect(isPublicAddress(address)).toBe(true));

  it.each([
    ["loopback", ["127.0.0.1", "127.255.0.1", "::1"]],
    ["any address", ["0.0.0.0", "0.1.2.3", "::"]],
    ["a private network", ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1"]],
    ["a link", ["169.254.1.1", "fe80::1", "fe80::1%eth0"]],
    [
      "a metadata service",
      ["169.254.169.254", "fd00:ec2::254", "100.100.100.200", "168.63.129.16", "192.0.0.192"],
    ],
    ["a carrier's inside", ["100.64.0.1", "100.127.255.255"]],
    ["a unique local address", ["fc00::1", "fd12:3456::1", "fec0::1"]],
    ["a group or everybody", ["224.0.0.1", "239.1.1.1", "ff02::1", "255.255.255.255"]],
    [
      "reserved",
      ["240.0.0.1", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.9", "2001:db8::1"],
    ],
    [
      "a private address in the clothes of IPv6",
      ["::ffff:10.0.0.1", "::ffff:7f00:1", "::7f00:1", "::10.0.0.1"],
    ],
    ["a tunnel to one", ["64:ff9b::7f00:1", "64:ff9b:1::a00:1", "2002:7f00:1::", "2001::1"]],
    ["no address at all", ["", "localhost", "8.8.8.8.8", "8.8.8", "0x7f.1", "1::2::3", "127.1"]],
  ])("is not %s", (_what, addresses) => {
    for (const address of addresses)
      expect([address, isPublicAddress(address)]).toEqual([address, false]);
  });

  it("is decided for any four bytes as for the same bytes mapped into IPv6", () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(isPublicAddress(`::ffff:${address}`)).toBe(isPublicAddress(address));
        expect(isPublicAddress(`::${address}`)).toBe(false);
      }),
    );
  });
});
