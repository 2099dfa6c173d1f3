import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Attempt, type AttemptClass, granted } from "../../support/escape.ts";
import type { Outside } from "../../support/escape-outside.ts";

const SOCKETS = [
  "/var/run/docker.sock",
  "/run/docker.sock",
  "/run/user/1000/docker.sock",
  "/run/containerd/containerd.sock",
  "/run/podman/podman.sock",
];

/** The control has a socket of the test's own where an engine's would be; nobody here talks to the real one. */
export function engineSocket(outside: Outside): AttemptClass {
  const reaches = (title: string, attack: string): Attempt => ({
    title,
    attack,
    evidence: outside.hears,
  });
  const viaSocket = (path: string): Attempt => ({
    ...reaches(`the socket ${path}`, `curl -s -m 2 --unix-socket ${path} http://engine/SECRET`),
    plant: async (arena) =>
      arena.kind === "control" &&
      arena.look(`mkdir -p $(dirname ${path}); ln -sfn /outside/docker.sock ${path}`),
  });
  const hostCanary = (title: string, attack: string): Attempt => ({
    title,
    plant: (_arena, { secret }) => writeFile(join(outside.directory, "canary"), secret),
    attack,
  });
  const attempts: Attempt[] = [
    ...SOCKETS.map(viaSocket),
    reaches(
      "every socket that can be found",
      "find / -xdev -type s 2> /dev/null; for s in $(find / -type s -not -path '/proc/*' 2> /dev/null); do curl -s -m 1 --unix-socket $s http://engine/SECRET; done",
    ),
    reaches(
      "the socket that DOCKER_HOST names",
      "for v in $(echo $DOCKER_HOST; tr '\\0' '\\n' < /proc/1/environ | sed -n 's/^DOCKER_HOST=//p'); do s=$(echo $v | sed s,unix://,,); curl -s -m 2 --unix-socket $s http://engine/SECRET; done",
    ),
    reaches(
      "an engine's port at the bridge's address",
      "DOCKER_HOST=tcp://GATEWAY:HOSTTCP; curl -s -m 2 $(echo $DOCKER_HOST | sed s,tcp:,http:,)/SECRET",
    ),
    hostCanary(
      "a directory of the host that is mounted somewhere",
      "for m in $(cut -d' ' -f5 /proc/self/mountinfo | grep -v ^/proc); do cat $m/canary 2> /dev/null; done; true",
    ),
    hostCanary("the host's temporary files", `cat ${outside.directory}/canary`),
    granted(
      "a device that no container needs",
      "ls /dev | grep -qvxE 'core|fd|full|mqueue|null|ptmx|pts|random|shm|std(err|in|out)|tty|urandom|zero|console'",
    ),
    granted("the engine's address in the environment", "env | grep -q ^DOCKER_"),
  ];
  return { name: "P-S1 the engine and its socket", control: "engine", attempts };
}
