import { approverGapsOf } from "../src/app/permissions.ts";
import { readConfig } from "../src/config.ts";

// For the doctor, which itself must run without any package: one line for each level that no one could approve.
for (const gap of approverGapsOf(readConfig(process.env))) console.log(gap);
