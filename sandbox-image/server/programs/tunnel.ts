import { serveTunnel } from "../tunnel/serve.ts";
import { start } from "./start.ts";

start(serveTunnel);
