import Docker from "dockerode";
import type { Arena, Attempt, AttemptClass } from "../../support/escape.ts";
import { measured } from "../../support/escape-measure.ts";

const MEMORY_BYTES = 260 * 1024 * 1024;
const DISK_MEGABYTES = 80;

const python = (lines: string) =>
  `timeout 6 python3 -c '\nimport os, time, threading, mmap, ctypes\n${lines}' NAME`;
const engine = new Docker();
async function memoryUsed({ container }: Arena): Promise<number> {
  const options = { stream: false, "one-shot": true } as const;
  const stats = await engine.getContainer(container).stats(options);
  return stats.memory_stats.usage ?? 0;
}
const memory = (title: string, attack: string) => measured(title, attack, memoryUsed, MEMORY_BYTES);
const EATEN = 300;

const memoryAttempts: Attempt[] = [
  memory("one large string", python(`x = b"x" * (${EATEN} << 20)\ntime.sleep(1.5)`)),
  memory(
    "many small pieces",
    python(`x = [bytearray(65536) for i in range(${EATEN} * 16)]\ntime.sleep(1.5)`),
  ),
  memory(
    "an anonymous shared mapping",
    python(
      `m = mmap.mmap(-1, ${EATEN} << 20)\nfor i in range(0, ${EATEN} << 20, 4096): m[i] = 1\ntime.sleep(1.5)`,
    ),
  ),
  memory(
    "a file in memory",
    python(
      `f = os.memfd_create("NAME")\nfor i in range(${EATEN}): os.write(f, b"x" * (1 << 20))\ntime.sleep(1.5)`,
    ),
  ),
  memory(
    "files in /dev/shm and /tmp",
    "head -c 150M /dev/zero > /dev/shm/NAME; head -c 150M /dev/zero > /tmp/NAME; head -c 150M /dev/zero > /dev/shm/NAME-2; timeout 6 tail -c 140M /dev/zero > /dev/null & sleep 1.5; rm -f /dev/shm/NAME* /tmp/NAME; kill %1",
  ),
  memory(
    "buffers of node",
    `timeout 6 node -e 'const a = []; for (let i = 0; i < ${EATEN}; i++) a.push(Buffer.alloc(1 << 20, 1)); setTimeout(() => a, 1500)' NAME`,
  ),
  memory(
    "ten processes that share the work",
    "for i in $(seq 10); do python3 -c 'import time; x = b\"x\" * (30 << 20); time.sleep(1.5)' NAME & done; wait",
  ),
  memory(
    "a string of perl's",
    `timeout 6 perl -e '$x .= "x" x 1048576 for 1 .. ${EATEN}; sleep 2' NAME`,
  ),
  memory(
    "a sort with a large buffer",
    `yes NAME | head -c ${EATEN}M | timeout 6 sort -S ${EATEN + 100}M > /dev/null; true`,
  ),
];

/** Megabytes below the path more than allowed. */
function disk(title: string, attack: string, path: string, megabytes = DISK_MEGABYTES): Attempt {
  return {
    title,
    attack: `${attack}; true`,
    evidence: `[ $(du -sm ${path} | cut -f1) -ge ${megabytes} ] && echo SECRET`,
    cleanUp: `rm -rf ${path}`,
  };
}
const HERE = "/workspace/NAME";
const MAKE = "mkdir -p NAME; cd NAME";

const diskAttempts: Attempt[] = [
  disk("zeros in the workspace", `${MAKE}; head -c 100M /dev/zero > f`, HERE),
  disk("space reserved in the workspace", `${MAKE}; fallocate -l 100M f`, HERE),
  disk(
    "a sparse file that is filled",
    `${MAKE}; truncate -s 100M f; dd if=/dev/zero of=f bs=1M count=100 conv=notrunc`,
    HERE,
  ),
  disk(
    "a hundred files one by one",
    `${MAKE}; for i in $(seq 100); do head -c 1M /dev/zero > f$i; done`,
    HERE,
  ),
  disk(
    "the home directory",
    "mkdir -p /home/agent/NAME; head -c 100M /dev/zero > /home/agent/NAME/f",
    "/home/agent/NAME",
  ),
  disk("temporary files", "mkdir /tmp/NAME; head -c 40M /dev/zero > /tmp/NAME/f", "/tmp/NAME", 30),
  disk(
    "shared memory",
    "mkdir /dev/shm/NAME; head -c 40M /dev/zero > /dev/shm/NAME/f",
    "/dev/shm/NAME",
    30,
  ),
  disk(
    "a bomb in an archive",
    `${MAKE}; python3 -c 'import zipfile; z = zipfile.ZipFile("z", "w", 8); [z.writestr(str(i), bytes(20 << 20)) for i in range(5)]'; unzip -q z`,
    HERE,
  ),
  disk(
    "the rest of the container's own file system",
    "mkdir /var/NAME; head -c 100M /dev/zero > /var/NAME/f",
    "/var/NAME",
  ),
  {
    title: "more names than the disk has",
    attack: `${MAKE}; python3 -c '
for i in range(30000): open(str(i), "w").close()'; true`,
    evidence: "[ $(find /workspace/NAME -type f | wc -l) -ge 29000 ] && echo SECRET",
    cleanUp: "rm -rf /workspace/NAME",
  },
];

export const memories: AttemptClass = {
  name: "P-S5 memory",
  control: "roomy",
  attempts: memoryAttempts,
  exhausts: true,
};
export const disks: AttemptClass = {
  name: "P-S5 disk",
  control: "roomy",
  attempts: diskAttempts,
  exhausts: true,
};
