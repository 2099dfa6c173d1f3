import { readFileSync } from "node:fs";
import { PassThrough } from "node:stream";
import Docker from "dockerode";

/** A build under another tag can be tried beside the one in use. */
export const IMAGE = process.env.TEST_IMAGE ?? "deckhand-sandbox";

export interface Ran {
  readonly code: number;
  readonly output: string;
}

interface RunOptions {
  readonly image?: string;
  readonly user?: string;
  /** With the seccomp profile, capabilities and network of a workspace. */
  readonly hardened?: boolean;
}

const HARDENED = {
  CapDrop: ["ALL"],
  CapAdd: [
    "CHOWN",
    "DAC_OVERRIDE",
    "DAC_READ_SEARCH",
    "FOWNER",
    "SETUID",
    "SETGID",
    "SETPCAP",
    "KILL",
  ],
  SecurityOpt: [
    "no-new-privileges",
    `seccomp=${readFileSync(new URL("../../sandbox-image/seccomp.json", import.meta.url), "utf8")}`,
  ],
};

/** Runs a bash script in a new container of the image, as its user agent unless told otherwise. */
export async function runInImage(script: string, options: RunOptions = {}): Promise<Ran> {
  const { image = IMAGE, user = "1000:1000", hardened = false } = options;
  const output = new PassThrough();
  const chunks: Buffer[] = [];
  output.on("data", (chunk: Buffer) => chunks.push(chunk));
  const [result, container] = await new Docker().run(image, ["bash", "-c", script], output, {
    User: user,
    Tty: true,
    Env: user.startsWith("0") ? [] : ["HOME=/home/agent"],
    HostConfig: { NetworkMode: "none", ...(hardened ? HARDENED : {}) },
  });
  // Not by AutoRemove: a container that is gone before it is waited for has no exit code.
  await container.remove();
  return {
    code: result.StatusCode,
    output: Buffer.concat(chunks).toString("utf8").replaceAll("\r", "").trimEnd(),
  };
}
