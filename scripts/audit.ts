import { createReadStream } from "node:fs";
import { parseArgs } from "node:util";
import { createAudit } from "../src/audit/audit.ts";
import { type Description, describe } from "../src/audit/describe.ts";
import { erasePerson } from "../src/audit/erase.ts";
import { exported, type Selection, selected, verifyExport } from "../src/audit/export.ts";
import { type Verified, type VerifiedStore, verifyStore } from "../src/audit/verify.ts";
import type { VerifiedJournals } from "../src/audit/verify-journals.ts";
import { readConfig } from "../src/config.ts";
import { count } from "../src/contract/display.ts";
import { createRedactor } from "../src/redaction/redactor.ts";
import { openStore } from "../src/store/open-store.ts";
import { rewriteStore } from "../src/store/rewrite-store.ts";

const USAGE = `npm run audit -- verify [--file export.jsonl] [--head HASH]   checks that the record is complete and unchanged
npm run -s audit -- export [--conversation X] [--since TIME]  prints JSON lines with their hashes
npm run -s audit -- show [--conversation X] [--since TIME] [--json]
npm run audit -- erase --person KEY                           erases a person's key and what they wrote, for good`;

const { values, positionals } = parseArgs({
  options: {
    conversation: { type: "string" },
    since: { type: "string" },
    file: { type: "string" },
    head: { type: "string" },
    person: { type: "string" },
    json: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
const selection: Selection = {
  ...(values.conversation !== undefined && { conversation: values.conversation }),
  ...(values.since !== undefined && { since: timeOf(values.since) }),
};

try {
  await run(positionals[0]);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}

async function run(command: string | undefined): Promise<void> {
  if (command === "verify") return report(await verify());
  if (command === "erase" && values.person !== undefined) return erase(values.person);
  if (command !== "export" && command !== "show") {
    console.error(USAGE);
    process.exitCode = 2;
    return;
  }
  await using store = await openedStore();
  if (command === "export")
    for await (const line of exported(store, selection)) process.stdout.write(line);
  else if (values.json)
    for await (const record of selected(store, selection)) console.log(JSON.stringify(record));
  else {
    const records = await Array.fromAsync(selected(store, selection));
    // Commitments are for verification; the export and --json have them.
    const deeds = records.filter(({ entry }) => entry.kind !== "journals.committed");
    console.log(table(deeds.map((record) => describe(record))));
  }
}

async function verify(): Promise<Verified | VerifiedStore> {
  if (values.file !== undefined) return verifyExport(linesOf(values.file), values.head);
  await using store = await openedStore();
  return await verifyStore(store, values.head);
}

/** The bot may go on meanwhile: what it records of the person from then on is not erased. */
async function erase(person: string): Promise<void> {
  const records = await erased(person);
  if (records === 0) {
    console.log(
      `No record of the audit names ${person}. Keys look like slack:T012AB3CD:U061F7AUR.`,
    );
    return;
  }
  console.log(
    `${person} was erased from ${count(records, "record")}. The journals of conversations still have their messages.`,
  );
  if (!(await rewriteStore(readConfig(process.env).store))) {
    console.log(
      "The running bot keeps old pages of the database: restart it to remove them from the disk.",
    );
  }
}

async function erased(person: string): Promise<number> {
  await using store = await openedStore();
  await using audit = createAudit({ store, redactor: createRedactor({ secrets: {} }) });
  return await erasePerson(store, audit, person);
}

function report(verified: Verified | VerifiedStore): void {
  const { records, head, breaks } = verified;
  const journals = "journals" in verified ? verified.journals : undefined;
  if (values.json) console.log(JSON.stringify(verified));
  else if (breaks.length === 0)
    console.log(
      `The chain is intact: ${records} records.\nIts head is record ${head.number}, ${head.hash}.\nStore this hash elsewhere: "verify --head ${head.hash}" proves later that nothing up to here was rewritten.`,
    );
  else {
    const lines = breaks.slice(0, 20).map(({ number, why }) => `  record ${number}: ${why}`);
    const more = breaks.length > 20 ? [`  and ${breaks.length - 20} more`] : [];
    console.log(["The chain is broken:", ...lines, ...more].join("\n"));
  }
  if (journals && !values.json) reportJournals(journals);
  if (breaks.length + (journals?.breaks.length ?? 0) > 0) process.exitCode = 1;
}

function reportJournals({ conversations, lines, breaks, uncovered }: VerifiedJournals): void {
  if (breaks.length === 0)
    console.log(`The journals are intact: ${lines} lines in ${conversations} conversations.`);
  else {
    const shown = breaks
      .slice(0, 20)
      .map(({ conversation, seq, why }) => `  ${conversation}, line ${seq}: ${why}`);
    const more = breaks.length > 20 ? [`  and ${breaks.length - 20} more`] : [];
    console.log(["The journals were changed:", ...shown, ...more].join("\n"));
  }
  for (const { conversation, lines: count, before } of uncovered)
    console.log(
      `  ${conversation}: not covered before ${before} (${count} lines of an older version).`,
    );
}

function openedStore() {
  return openStore(readConfig(process.env).store);
}

/** With their line feeds, and refusing what is not UTF-8: a replaced byte must not look like the one it replaced. */
async function* linesOf(file: string): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let rest = "";
  for await (const chunk of createReadStream(file)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield `${line}\n`;
  }
  rest += decoder.decode();
  if (rest !== "") yield rest;
}

function timeOf(text: string): string {
  const time = Date.parse(text);
  if (Number.isNaN(time)) {
    console.error(`--since must be a time like 2030-01-31 or 2030-01-31T12:00:00Z, not "${text}".`);
    process.exit(2);
  }
  return new Date(time).toISOString();
}

function table(rows: readonly Description[]): string {
  if (rows.length === 0) return "There are no records.";
  const headings = {
    number: "#",
    time: "time",
    actor: "who",
    conversation: "conversation",
    what: "what",
    result: "result",
  };
  const columns = Object.keys(headings) as (keyof Description)[];
  const all = [headings, ...rows];
  const widths = columns.map((column) =>
    Math.min(60, Math.max(...all.map((row) => row[column].length))),
  );
  return all
    .map((row) =>
      columns
        .map((column, at) => row[column].padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
