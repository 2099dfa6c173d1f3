import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";

/** An HTTP address in front of a server that speaks MCP on its standard input and output. */
export interface Bridge extends AsyncDisposable {
  readonly url: string;
}

interface Message {
  readonly id?: string | number;
  readonly method?: string;
}

/** The conformance suite speaks HTTP only: each POST becomes one line, each answer line its response. */
export async function bridgeTo(program: string, args: readonly string[]): Promise<Bridge> {
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  const ask = lineClient(child);
  const server = createServer((request, response) => void serve(request, response, ask));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      child.stdin.end();
      await once(child, "exit");
    },
  };
}

type Ask = (message: Message) => Promise<string> | undefined;

function lineClient(child: ChildProcess): Ask {
  const waiting = new Map<string | number, (line: string) => void>();
  if (!child.stdout || !child.stdin) throw new Error("the child has no pipes");
  const { stdin } = child;
  createInterface({ input: child.stdout }).on("line", (line) => {
    const { id } = JSON.parse(line) as Message;
    if (id !== undefined) waiting.get(id)?.(line);
  });
  return (message) => {
    stdin.write(`${JSON.stringify(message)}\n`);
    const { id } = message;
    if (id === undefined || message.method === undefined) return undefined;
    return new Promise((resolve) => waiting.set(id, resolve));
  };
}

async function serve(request: IncomingMessage, response: ServerResponse, ask: Ask): Promise<void> {
  if (request.method !== "POST") return void response.writeHead(405).end();
  const body = (await request.toArray()).join("");
  const answer = ask(JSON.parse(body) as Message);
  if (!answer) return void response.writeHead(202).end();
  response.writeHead(200, { "content-type": "application/json" }).end(await answer);
}
