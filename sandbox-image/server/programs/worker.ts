import { serveWorker } from "../worker/serve-worker.ts";
import { start } from "./start.ts";

start(serveWorker);
