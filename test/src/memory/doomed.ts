import { createMemories } from "../../../src/memory/memories.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { fact } from "./lab.ts";

// Stores one memory after another and says so after each, until it is killed.
const store = await openStore({ kind: "sqlite", file: process.argv[2] ?? "" });
const memories = createMemories({ documents: store.documents("memory") });
for (let n = 1; ; n++) {
  const { memory } = await memories.store("A", fact(`fact number ${n} of many`));
  process.stdout.write(`${memory.content}\n`);
}
