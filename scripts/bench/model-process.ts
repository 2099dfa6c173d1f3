import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Reply } from "../../test/support/model-server/replies.ts";
import type { SeenRequest } from "../../test/support/model-server/seen.ts";

/** The scripted model in a process of its own, so that its work is not taken for the bot's. */
interface ModelProcess extends AsyncDisposable {
  /** What makes a bot talk to it. */
  readonly env: Readonly<Record<string, string>>;
  /** What it says, reply by reply, in the conversation in which somebody says the marker. */
  script(marker: string, replies: readonly Reply[]): Promise<void>;
  requests(): Promise<readonly SeenRequest[]>;
}

export async function startModelProcess(): Promise<ModelProcess> {
  const program = fileURLToPath(new URL("../../test/support/model-server.ts", import.meta.url));
  const child = spawn(process.execPath, [program], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const env = JSON.parse(line);
  const at = (path: string) => new URL(path, env.OPENAI_BASE_URL);
  return {
    env,
    script: async (when, replies) => {
      await fetch(at("/_script"), { method: "POST", body: JSON.stringify({ when, replies }) });
    },
    requests: async () => {
      const told = (await (await fetch(at("/_requests"))).json()) as Told;
      if (told.problems.length > 0) throw new Error(`The model refused: ${told.problems[0]}`);
      return told.requests;
    },
    [Symbol.asyncDispose]: async () => {
      const gone = once(child, "exit");
      child.kill();
      await gone;
    },
  };
}

interface Told {
  readonly requests: readonly SeenRequest[];
  readonly problems: readonly string[];
}
