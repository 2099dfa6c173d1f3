import type { ExecCommand } from "./exec-commands.ts";

// The bodies of the requests that the bot sends to the engine. The engine proxy compares what it receives with them byte
// by byte, so both are made here.

export function execRequest({ command, user }: ExecCommand) {
  return {
    Cmd: [...command],
    User: user,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    Tty: false,
  };
}

export const EXEC_START = { hijack: true, stdin: true, Tty: false } as const;

export const ATTACH = {
  stream: true,
  stdin: true,
  stdout: true,
  stderr: true,
  hijack: true,
} as const;

export function volumeRequest(name: string, labels: Readonly<Record<string, string>>) {
  return { Name: name, Labels: { ...labels } };
}
