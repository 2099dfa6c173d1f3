import { type Attempt, type AttemptClass, granted } from "../../support/escape.ts";

/** The server: Node calls its first thread so. */
const SERVER = 'S=$(pgrep -o MainThread) && [ -n "$S" ]';
const server = (title: string, use: string) => granted(title, `${SERVER} && ${use}`);
const opened = (path: string, how = "<") => `exec 7${how} ${path}`;

const attempts: Attempt[] = [
  {
    title: "read root's file through /proc/1/root",
    plant: "echo SECRET > /root/NAME; chmod 600 /root/NAME",
    attack: "cat /proc/1/root/root/NAME",
  },
  {
    title: "write through /proc/1/root",
    attack: "echo SECRET > /proc/1/root/etc/NAME",
    evidence: "cat /etc/NAME",
  },
  {
    title: "write through /proc/1/cwd",
    attack: "echo SECRET > /proc/1/cwd/../etc/NAME",
    evidence: "cat /etc/NAME",
  },
  server("read the server's memory", `${opened("/proc/$S/mem")}`),
  server("write the server's memory", `${opened("/proc/$S/mem", "<>")}`),
  server("read the server's environment", "head -c 1 /proc/$S/environ | grep -q ."),
  server("list the server's open files", "ls /proc/$S/fd/ | grep -q ."),
  server("open the server's input", `${opened("/proc/$S/fd/0", "<>")}`),
  server("open the server's output", `${opened("/proc/$S/fd/1", ">")}`),
  server("read the server's memory map", "head -c 1 /proc/$S/maps | grep -q ."),
  {
    title: "make the server the OOM killer's first choice",
    attack: `${SERVER}; echo 903 > /proc/$S/oom_score_adj`,
    evidence: "grep -qx 903 /proc/$(pgrep -o MainThread)/oom_score_adj && echo SECRET",
  },
  granted(
    "open core_pattern for writing, and write nothing",
    opened("/proc/sys/kernel/core_pattern", ">>"),
  ),
  granted("open vm.overcommit_memory for writing", opened("/proc/sys/vm/overcommit_memory", ">>")),
  granted(
    "open kernel.randomize_va_space for writing",
    opened("/proc/sys/kernel/randomize_va_space", ">>"),
  ),
  {
    title: "change a setting of the network in /proc/sys",
    attack: "echo 61 > /proc/sys/net/ipv4/ip_default_ttl",
    evidence: "grep -qx 61 /proc/sys/net/ipv4/ip_default_ttl && echo SECRET",
  },
  {
    title: "write below /sys",
    plant: "mount -o remount,rw /sys",
    attack: "echo SECRET > /sys/class/net/lo/ifalias",
    evidence: "cat /sys/class/net/lo/ifalias",
  },
  granted("read a path that the engine masks", "grep -q . /proc/timer_list"),
  granted("read the kernel's log", `${opened("/proc/kmsg")}`),
  granted(
    "mount a control group, the first step of release_agent",
    "mkdir -p /tmp/cg-NAME && { mount -t cgroup -o pids none /tmp/cg-NAME || mount -t cgroup2 none /tmp/cg-NAME; }",
    { cleanUp: "umount /tmp/cg-NAME; pkill -KILL -f 'NAM[E] 30'; true" },
  ),
  granted(
    "open the program that runs commands for writing",
    opened("/opt/deckhand/supervise", ">>"),
  ),
];

export const proc: AttemptClass = {
  name: "P-S2 /proc and /sys",
  control: "powerful",
  attempts,
};
