import type { Tool } from "../../src/contract/tools/operation.ts";
import { LINE_LIMIT_BYTES } from "../../src/contract/workspace/channel.ts";
import { LineSplitter } from "../../src/lib/line-splitter.ts";
import { Connections } from "./connection.ts";
import type { DirectMethods } from "./direct.ts";
import { makeServer } from "./server.ts";
import { openStdout } from "./wire.ts";

interface Listening {
  readonly tools: { readonly definitions: readonly Tool[] };
  readonly methods: DirectMethods;
  onLine(): void;
  onEnd(): void;
}

/** Serves MCP on standard input and output. */
export function listen({ tools, methods, onLine, onEnd }: Listening): void {
  const wire = openStdout(() => {}); // a client that has gone: the ledger keeps the result for the next
  const connections = new Connections(wire, () => makeServer(tools), methods);
  const lines = new LineSplitter(
    {
      line: (line) => {
        onLine();
        connections.receive(line);
      },
      overlong: () => connections.refuse("longer than the limit"),
    },
    LINE_LIMIT_BYTES,
  );
  process.stdin.on("data", (chunk: Buffer) => lines.push(chunk));
  process.stdin.on("end", onEnd);
}
