import { appendFileSync } from "node:fs";
import { createAudit } from "../../src/audit/audit.ts";
import type { Store } from "../../src/contract/store.ts";
import { openStore } from "../../src/store/open-store.ts";

/**
 * A process that records and then acts, again and again, until it is killed: `node audit-program.ts DATABASE EFFECTS NAME
 * [POINT COUNT]`. With a point it kills itself there, the COUNT-th time; at the point "exit" it leaves at once.
 */
const [, , file = "", effects = "", name = "", point = "", count = "1"] = process.argv;
let left = Number(count);

function passed(where: string): void {
  if (where !== point) return;
  left -= 1;
  if (left === 0) process.kill(process.pid, "SIGKILL");
}

await using real = await openStore({ kind: "sqlite", file });
const store: Store = {
  ...real,
  async append(...args) {
    passed("before append");
    const appended = await real.append(...args);
    passed("after append");
    return appended;
  },
  documents(namespace) {
    const documents = real.documents(namespace);
    const set: typeof documents.set = async (...args) => {
      await documents.set(...args);
      passed("after note");
    };
    return { ...documents, set };
  },
};
if (point === "exit") process.exit();
const audit = createAudit({ store, redactor: { redactDeep: (value) => value } });

for (let index = 0; ; index += 1) {
  const pair = [1, 2].map(async (part) => {
    const id = `${name}-${index}-${part}`;
    await audit.record({
      kind: "call",
      actor: "bot",
      callId: id,
      operation: "x.y",
      states: ["DirectExecution"],
    });
    passed("before effect");
    appendFileSync(effects, `${id}\n`);
    passed("after effect");
  });
  await Promise.all(pair);
}
