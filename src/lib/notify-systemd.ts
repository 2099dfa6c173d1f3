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
