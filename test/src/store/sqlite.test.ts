import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe } from "vitest";
import { storeContract } from "../../contracts/store.ts";
import { storeInboxContract } from "../../contracts/store-inbox.ts";
import { storeModelContract } from "../../contracts/store-model.ts";
import { storeProcessesContract } from "../../contracts/store-processes.ts";
import { storeValuesContract } from "../../contracts/store-values.ts";
import { makeDataDirectory } from "../../support/data-directory.ts";

const directory = makeDataDirectory("store");
afterAll(() => rmSync(directory, { recursive: true }));

let files = 0;
function freshSettings() {
  files += 1;
  return { kind: "sqlite", file: join(directory, `${files}.sqlite`) } as const;
}

describe("a store in SQLite", () => {
  storeContract(freshSettings);
  storeInboxContract(freshSettings);
  storeValuesContract(freshSettings);
  storeProcessesContract(freshSettings);
  storeModelContract(freshSettings);
});
