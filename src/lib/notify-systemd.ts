import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Node has no datagrams for Unix sockets; systemd brings a program for that. Does nothing under anything else. */
export async function notifySystemd(
  state: string,
  { NOTIFY_SOCKET, PATH }: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  if (!NOTIFY_SOCKET) return;
  const env = { NOTIFY_SOCKET, PATH: PATH ?? "/usr/bin:/bin" };
  await run("systemd-notify", [`--pid=${process.pid}`, state], { env, timeout: 5_000 });
}

/** How often systemd wants a sign of life, a third of the time after which it kills; undefined: it wants none. */
export function watchdogEveryMs({
  WATCHDOG_USEC,
}: Readonly<Record<string, string | undefined>>): number | undefined {
  const usec = Number(WATCHDOG_USEC);
  return usec > 0 ? usec / 3_000 : undefined;
}
