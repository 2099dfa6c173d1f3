import { serveSupervisor } from "../supervisor.ts";
import { start } from "./start.ts";

start(serveSupervisor);
