import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { docker } from "./engine.ts";
import type { Arena, Marks } from "./escape.ts";
import { IMAGE } from "./run-in-image.ts";
import { eventually } from "./until.ts";

/** Whatever could be reached from a container: a neighbour on the bridge, ports and a socket of the host. */
export interface Outside extends AsyncDisposable {
  /** A directory of the host's, made for this; it holds docker.sock, which answers like an engine. */
  readonly directory: string;
  readonly ear: string;
  /** EAR4, EAR6, GATEWAY, HOSTTCP and HOSTUDP. */
  readonly values: Readonly<Record<string, string>>;
  /** All that arrived; waits a little for the secret where it is expected. */
  readonly hears: (arena: Arena, marks: Marks) => Promise<string>;
}

/** Writes down all that reaches it over TCP, UDP, ICMP, IPv6, as a DNS query and over an abstract socket. */
const EAR = `
import socket, struct, fcntl, threading, sys
def say(data): print(data, flush=True)
def tcp(family, address):
    s = socket.socket(family, socket.SOCK_STREAM); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind(address); s.listen(16)
    while True:
        c, _ = s.accept(); c.settimeout(2)
        try: say(c.recv(4096)); c.sendall(b"HTTP/1.0 200 OK\\r\\n\\r\\nok")
        except OSError: pass
        c.close()
def packets(family, kind, protocol, address):
    s = socket.socket(family, kind, protocol)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
    if address: s.bind(address)
    while True: say(s.recvfrom(4096)[0])
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
fcntl.ioctl(s, 0x8916, struct.pack("16sH2s4s8x", b"lo:1", socket.AF_INET, b"", socket.inet_aton("169.254.169.254")))
jobs = [
    (tcp, socket.AF_INET, ("0.0.0.0", 7001)), (tcp, socket.AF_INET6, ("::", 7006)),
    (tcp, socket.AF_INET, ("169.254.169.254", 80)), (tcp, socket.AF_UNIX, "\\0deckhand-ear"),
    (packets, socket.AF_INET, socket.SOCK_DGRAM, 0, ("0.0.0.0", 7002)),
    (packets, socket.AF_INET, socket.SOCK_DGRAM, 0, ("0.0.0.0", 53)),
    (packets, socket.AF_INET6, socket.SOCK_DGRAM, 0, ("::", 7007)),
    (packets, socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP, None),
    (packets, socket.AF_INET, socket.SOCK_RAW, 253, None),
]
for job in jobs: threading.Thread(target=job[0], args=job[1:], daemon=True).start()
print("listening", flush=True)
threading.Event().wait()
`;

export async function startOutside(): Promise<Outside> {
  const directory = await mkdtemp(join(tmpdir(), "deckhand-escape-"));
  const ear = `deckhand-escape-ear-${randomUUID().slice(0, 8)}`;
  const ipv6 = ["--sysctl", "net.ipv6.conf.all.disable_ipv6=0"];
  const program = ["python3", "-c", EAR];
  const options = ["--name", ear, "--cap-add", "NET_ADMIN", "--init", ...ipv6];
  await docker("run", "--detach", ...options, IMAGE, ...program);
  await eventually(async () => {
    if (!(await docker("logs", ear)).includes("listening")) throw new Error("the ear is not up");
  });
  const logs = spawn("docker", ["logs", "--follow", ear], { stdio: ["ignore", "pipe", "ignore"] });
  const logged: string[] = [];
  logs.stdout.on("data", (chunk: Buffer) => logged.push(chunk.toString("utf8")));
  const [ear4 = "", gateway = ""] = (
    await docker(
      "inspect",
      "-f",
      "{{.NetworkSettings.IPAddress}} {{.NetworkSettings.Gateway}}",
      ear,
    )
  ).split(" ");
  const ports = await hostListeners(gateway, join(directory, "docker.sock"));
  return {
    directory,
    ear,
    values: {
      EAR4: ear4,
      EAR6: await linkLocal(ear),
      GATEWAY: gateway,
      HOSTTCP: `${ports.tcp}`,
      HOSTUDP: `${ports.udp}`,
    },
    hears: async ({ kind }, { secret }) => {
      const until = Date.now() + (kind === "control" ? 10_000 : 60);
      const all = () => `${logged.join("")}\n${ports.heard.join("\n")}`;
      while (Date.now() < until && !all().includes(secret)) await sleep(20);
      return all();
    },
    [Symbol.asyncDispose]: async () => {
      ports.close();
      logs.kill();
      await docker("rm", "--force", ear);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function linkLocal(container: string): Promise<string> {
  const table = await docker("exec", container, "cat", "/proc/net/if_inet6");
  const address =
    table
      .split("\n")
      .find((line) => line.startsWith("fe80"))
      ?.slice(0, 32) ?? "";
  return address.replace(/(.{4})(?!$)/g, "$1:");
}

/** Ports on the bridge's own address, and a socket that answers like an engine. */
async function hostListeners(address: string, socketPath: string) {
  const heard: string[] = [];
  const listen = () =>
    createServer((socket) => {
      socket.on("error", () => {});
      socket.on("data", (chunk) => {
        heard.push(chunk.toString("utf8"));
        socket.end('HTTP/1.0 200 OK\r\n\r\n{"ApiVersion":"1.41"}');
      });
    });
  const tcp = listen().listen(0, address);
  const engine = listen().listen(socketPath);
  const udp = createSocket("udp4", (message) => heard.push(message.toString("utf8")));
  udp.bind(0, address);
  await Promise.all([tcp, engine, udp].map((one) => once(one, "listening")));
  const tcpAddress = tcp.address();
  return {
    heard,
    tcp: typeof tcpAddress === "object" ? tcpAddress?.port : undefined,
    udp: udp.address().port,
    close: () => {
      tcp.close();
      engine.close();
      udp.close();
    },
  };
}
