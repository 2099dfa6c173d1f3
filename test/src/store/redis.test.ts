import { afterAll, describe } from "vitest";
import { RedisSettings } from "../../../src/store/settings.ts";
import { storeContract } from "../../contracts/store.ts";
import { storeInboxContract } from "../../contracts/store-inbox.ts";
import { storeModelContract } from "../../contracts/store-model.ts";
import { storeProcessesContract } from "../../contracts/store-processes.ts";
import { storeValuesContract } from "../../contracts/store-values.ts";
import { startRedis } from "../../support/redis.ts";

const redis = await startRedis();
afterAll(() => redis[Symbol.asyncDispose]());

let prefixes = 0;
function freshSettings() {
  prefixes += 1;
  return RedisSettings.parse({ kind: "redis", url: redis.url, prefix: `bot*${prefixes}:` });
}

describe("a store in Redis", () => {
  storeContract(freshSettings);
  storeInboxContract(freshSettings);
  storeValuesContract(freshSettings);
  storeProcessesContract(freshSettings);
  storeModelContract(freshSettings);
});
