import type { Platform } from "../src/contract/platform/platform.ts";
import { discord } from "./discord/platform.ts";
import { slack } from "./slack/platform.ts";

/** Every platform beside the web chat, which stands in where none of these is set up. */
export const PLATFORMS: readonly Platform[] = [slack, discord];
