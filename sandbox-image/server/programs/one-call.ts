import { serveApprovedCall, serveRootCall } from "../one-call-server.ts";
import { start } from "./start.ts";

start(() => (process.argv.at(-1) === "root" ? serveRootCall() : serveApprovedCall()));
