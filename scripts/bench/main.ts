import { parseArgs } from "node:util";
import { benchCall } from "./call.ts";
import { benchCheckpoint } from "./checkpoint.ts";
import { benchDiscord } from "./discord.ts";
import { benchEdit } from "./edit.ts";
import { benchGrep } from "./grep.ts";
import { benchGuard } from "./guard.ts";
import { benchIdle } from "./idle.ts";
import { benchPage } from "./page.ts";
import { benchPrefix } from "./prefix.ts";
import { benchPrompt } from "./prompt.ts";
import { benchRedact } from "./redact.ts";
import { benchSlack } from "./slack.ts";
import { benchStart } from "./start.ts";
import { benchTerminal } from "./terminal.ts";
import { benchThreads } from "./threads.ts";
import { benchTurn } from "./turn.ts";

const BENCHES = {
  call: benchCall,
  start: benchStart,
  terminal: benchTerminal,
  idle: benchIdle,
  grep: benchGrep,
  edit: benchEdit,
  checkpoint: benchCheckpoint,
  prompt: benchPrompt,
  prefix: benchPrefix,
  page: benchPage,
  turn: benchTurn,
  threads: benchThreads,
  redact: benchRedact,
  slack: benchSlack,
  discord: benchDiscord,
  guard: benchGuard,
};

const { values, positionals } = parseArgs({
  options: { json: { type: "boolean", default: false } },
  allowPositionals: true,
});
const [name = ""] = positionals;

if (isBench(name)) await report(name);
else {
  console.error(
    `Which benchmark? npm run -s bench -- NAME [--json], NAME one of ${Object.keys(BENCHES).join(", ")}.`,
  );
  process.exitCode = 2;
}

async function report(bench: keyof typeof BENCHES): Promise<void> {
  const figures = { name: bench, ...(await BENCHES[bench]()) };
  if (values.json) console.log(JSON.stringify(figures));
  else console.table(figures);
  process.exitCode = figures.ok ? 0 : 1;
}

function isBench(text: string): text is keyof typeof BENCHES {
  return Object.hasOwn(BENCHES, text);
}
