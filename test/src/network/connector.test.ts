import { once } from "node:events";
import { type AddressInfo, createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Connector } from "../../../src/network/connector.ts";

let server: Server;
let port: number;
const connected: string[] = [];
beforeAll(async () => {
  server = createServer((socket) => {
    connected.push(socket.remoteAddress ?? "");
    socket.on("error", () => {}); // the test resets it
    socket.end("here");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  port = (server.address() as AddressInfo).port;
});
afterAll(() => void server.close());

const leadingTo = (...addresses: string[]) =>
  new Connector({
    resolve: async () =>
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
  });

const INSIDE = [
  "127.0.0.1",
  "127.8.9.1",
  "0.0.0.0",
  "10.1.2.3",
  "172.16.0.1",
  "172.17.0.1",
  "192.168.1.1",
  "169.254.169.254",
  "168.63.129.16",
  "100.100.100.200",
  "100.64.0.1",
  "192.0.0.192",
  "198.18.0.1",
  "224.0.0.1",
  "255.255.255.255",
  "::1",
  "::",
  "fe80::1",
  "fd00:ec2::254",
  "fc00::1",
  "ff02::1",
  "::ffff:10.0.0.1",
  "::ffff:a9fe:a9fe",
  "::127.0.0.1",
  "64:ff9b::a9fe:a9fe",
  "64:ff9b:1::a00:1",
  "2002:a00:1::",
  "2001:0:a00:1::",
];

describe("the connector", () => {
  it.each(INSIDE)("refuses a host that leads to %s, and that address itself", async (address) => {
    const place = { host: "site.test", port };
    await expect(leadingTo(address).connect(place)).rejects.toMatchObject({ kind: "address" });
    await expect(leadingTo("8.8.8.8", address).connect(place)).rejects.toMatchObject({
      kind: "address",
    });
    const itself = new Connector().connect({ host: address, port });
    await expect(itself).rejects.toMatchObject({ name: "ConnectError", kind: "address" });
    expect(connected).toEqual([]);
  });

  it("connects to a private address that is listed, and to no other", async () => {
    const place = { host: "site.test", port };
    const privateRanges = ["127.0.0.0/30"];
    const socket = await leadingTo("127.0.0.1").connect(place, { privateRanges });
    expect(socket.remoteAddress).toBe("127.0.0.1");
    socket.destroy();
    for (const other of ["127.0.0.5", "10.0.0.1", "::1", "::ffff:127.0.0.9"]) {
      const refused = leadingTo(other).connect(place, { privateRanges });
      await expect(refused).rejects.toMatchObject({ kind: "address" });
    }
  });

  it("resolves once for each of 500 names that change their address after the check", async () => {
    const before = connected.length;
    let lookups = 0;
    const rebinding = new Connector({
      resolve: async () => {
        lookups += 1;
        // The name server answers in turns: outside at the check, this machine right after it.
        return [{ address: lookups % 2 === 1 ? "192.0.2.1" : "127.0.0.1", family: 4 }];
      },
    });
    for (let attempt = 0; attempt < 500; attempt += 1) {
      const given = await rebinding
        .addressesOf({ host: `r${attempt}.test`, port }, { privateRanges: ["192.0.2.0/24"] })
        .catch((error: Error) => error);
      // A second lookup for one connection would shift the turns and accept this machine's address.
      if (attempt % 2 === 0) expect(given).toEqual(["192.0.2.1"]);
      else expect(given).toMatchObject({ kind: "address" });
    }
    expect(lookups).toBe(500);
    expect(connected.length).toBe(before);
  });

  it("connects to the checked address although the next lookup leads elsewhere", async () => {
    const answers = ["127.0.0.1", "127.0.0.9"];
    const connector = new Connector({
      resolve: async () => [{ address: answers.shift() ?? "127.0.0.9", family: 4 }],
    });
    const socket = await connector.connect(
      { host: "once.test", port },
      { privateRanges: ["127.0.0.1/32"] },
    );
    expect(socket.remoteAddress).toBe("127.0.0.1");
    expect(answers).toEqual(["127.0.0.9"]);
    socket.destroy();
  });

  it("says that a name is not there, and that nothing listens", async () => {
    const unknown = new Connector({ resolve: () => Promise.reject(new Error("ENOTFOUND")) });
    await expect(unknown.connect({ host: "no.test", port })).rejects.toMatchObject({
      kind: "host",
      message: "no.test was not found. Check the name.",
    });
    const silent = leadingTo("127.0.0.1").connect(
      { host: "site.test", port: 1 },
      { privateRanges: ["127.0.0.0/8"] },
    );
    await expect(silent).rejects.toMatchObject({ kind: "connect" });
  });
});
