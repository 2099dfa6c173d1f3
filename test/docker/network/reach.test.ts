import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { HostRequest } from "../../../src/contract/network.ts";
import type { Workspace } from "../../../src/contract/workspace/workspace.ts";
import { command } from "../../support/engine.ts";
import {
  type NetworkedEngine,
  startNetworkedEngine,
} from "../../support/network/networked-engine.ts";

const THREAD = "t/reach";
const fence = 1;

/** One line for each way that worked. */
const DIRECT = `
import os, socket, sys
gateway, tcp, udp = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
def attempt(name, work):
    try:
        work(); print("REACHED", name)
    except Exception as error: print("closed", name, type(error).__name__)
def tcp_to(host, port, family=socket.AF_INET):
    s = socket.socket(family, socket.SOCK_STREAM); s.settimeout(1); s.connect((host, port)); s.sendall(b"SECRET")
def udp_to(host, port, family=socket.AF_INET):
    s = socket.socket(family, socket.SOCK_DGRAM); s.settimeout(0.5); s.sendto(b"SECRET", (host, port))
def icmp(kind, protocol):
    s = socket.socket(socket.AF_INET, kind, protocol); s.sendto(bytes([8, 0, 0, 0, 0, 1, 0, 1]), (gateway, 0))
def vsock():
    s = socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM); s.settimeout(1); s.connect((2, 1024))
def unix(path):
    s = socket.socket(socket.AF_UNIX); s.settimeout(1); s.connect(path)
attempt("TCP to the gateway", lambda: tcp_to(gateway, tcp))
attempt("TCP to a public address", lambda: tcp_to("1.1.1.1", 443))
attempt("TCP to the metadata address", lambda: tcp_to("169.254.169.254", 80))
attempt("TCP to 0.0.0.0", lambda: tcp_to("0.0.0.0", tcp))
attempt("TCP to loopback", lambda: tcp_to("127.0.0.1", tcp))
attempt("TCP over IPv6", lambda: tcp_to("2606:4700:4700::1111", 443, socket.AF_INET6))
attempt("TCP to ::1", lambda: tcp_to("::1", tcp, socket.AF_INET6))
attempt("UDP to the gateway", lambda: udp_to(gateway, udp))
attempt("UDP to a public address", lambda: udp_to("1.1.1.1", 53))
attempt("UDP over IPv6", lambda: udp_to("2606:4700:4700::1111", 53, socket.AF_INET6))
attempt("DNS", lambda: socket.getaddrinfo("example.com", 443))
attempt("ICMP raw", lambda: icmp(socket.SOCK_RAW, 1))
attempt("ICMP ping", lambda: icmp(socket.SOCK_DGRAM, 1))
attempt("vsock", vsock)
for path in ("/var/run/docker.sock", "/run/docker.sock", "\\0deckhand", "/run/deckhand-gate", "/run/containerd/containerd.sock"):
    attempt("unix " + path, lambda: unix(path))
`;

describe("what a workspace reaches where one host is open", () => {
  const closes = new AsyncDisposableStack();
  const asked: HostRequest[] = [];
  const arrived: string[] = [];
  let engine: NetworkedEngine;
  let workspace: Workspace;
  let gateway: string;
  let tcp: number;
  let udp: number;

  beforeAll(async () => {
    const server = createServer((socket) => {
      socket.on("error", () => {}); // cut by the client
      arrived.push("TCP");
      socket.end("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nopen");
    }).listen(0, "0.0.0.0");
    await once(server, "listening");
    closes.defer(() => void server.close());
    tcp = (server.address() as AddressInfo).port;
    const ear = createSocket("udp4", () => arrived.push("UDP")).bind(0, "0.0.0.0");
    await once(ear, "listening");
    closes.defer(() => void ear.close());
    udp = ear.address().port;
    gateway =
      networkInterfaces().docker0?.find(({ family }) => family === "IPv4")?.address ?? "172.17.0.1";
    engine = closes.use(
      await startNetworkedEngine({
        gate: {
          decide: async (_conversation, request) => {
            asked.push(request);
            if (request.host === "open.test")
              return { outcome: "open", privateRanges: ["127.0.0.1/32"] };
            // Opened by a careless policy: its address is checked all the same.
            if (request.host === "inside.test" || request.host === gateway)
              return { outcome: "open" };
            return { outcome: "refused", reason: `${request.host} is not open.` };
          },
        },
        resolve: async (host) => [
          { address: host === "inside.test" ? gateway : "127.0.0.1", family: 4 },
        ],
      }),
    );
    workspace = await engine.workspaces.open(THREAD, { fence });
  });
  afterAll(() => closes.disposeAsync());

  it.each([undefined, "root" as const])("reaches nothing directly, as %s", async (as) => {
    const script = `python3 - ${gateway} ${tcp} ${udp} <<'END'\n${DIRECT}\nEND`;
    const { output } = await command(workspace, script, as ? { as } : {});
    expect(String(output).match(/^closed /gm), String(output)).toHaveLength(as ? 18 : 19);
    // Root can ask the gatekeeper for the proxy's port, which leads no further than the proxy.
    const reached = String(output).match(/^REACHED .*$/gm) ?? [];
    expect(reached.map((line) => line.trim())).toEqual(
      as ? ["REACHED unix /run/deckhand-gate"] : [],
    );
    expect(arrived).toEqual([]);
  });

  it.each([undefined, "root" as const])(
    "reaches the open host alone through the proxy, as %s",
    async (as) => {
      const get = (host: string, port: number, more = "") =>
        command(
          workspace,
          `curl -sS -m 20 -o /dev/null -w '%{http_code} %{http_connect}' ${more} http://${host}:${port}/`,
          as ? { as } : {},
        );
      arrived.length = 0;
      expect((await get("open.test", tcp)).output).toMatch(/200/);
      expect(arrived).toEqual(["TCP"]);
      const elsewhere = [
        gateway,
        "169.254.169.254",
        "127.0.0.1.",
        "0x7f000001",
        "2130706433",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "inside.test",
        "OPEN.test.evil",
        "open.tes",
        "[64:ff9b::7f00:1]",
      ];
      for (const host of elsewhere) {
        for (const more of ["", "-p"]) {
          const { output } = await get(host, tcp, `${more} --noproxy ''`);
          expect(output, `${host} ${more}`).not.toMatch(/200/);
        }
      }
      expect(arrived).toEqual(["TCP"]);
      expect((await get("OPEN.Test", tcp)).output).toMatch(/200/);
    },
  );

  it("answers a refused host with 403 and its reason, and lists it for the tool result", async () => {
    const since = Date.now();
    const { output } = await command(workspace, "curl -s -i -m 20 http://other.test/");
    expect(output).toMatch(/403 Forbidden/);
    expect(output).toContain("other.test is not open.");
    expect(engine.egress.refusals(THREAD, since)).toMatchObject([
      {
        host: "other.test",
        port: 80,
        because: "policy",
        program: expect.stringMatching(/^curl\//),
      },
    ]);
  });

  it("refuses a tunnel of UDP and everything but connections", async () => {
    const udpOverSocks = `python3 -c '
import socket
s = socket.create_connection(("127.0.0.1", 3128)); s.sendall(b"\\x05\\x01\\x00"); s.recv(2)
s.sendall(b"\\x05\\x03\\x00\\x01\\0\\0\\0\\0\\0\\0"); print("code", s.recv(10)[1])'`;
    expect((await command(workspace, udpOverSocks)).output).toContain("code 7");
  });
});
