// @ts-check
import { fileURLToPath } from "node:url";

/** The repository's root directory, without a slash at the end. */
export const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");

export const IMAGE = "deckhand-sandbox";
export const BASE_IMAGE = "deckhand-base";

/** The bot itself, for compose. */
export const BOT_IMAGE = "deckhand";

/** Redis for compose, where it is made here. */
export const REDIS_IMAGE = "deckhand-redis";

/** Label of an image that holds the hash of what it was built from. */
export const INPUTS_LABEL = "deckhand.inputs";

/** What the first build of the image takes, with room to spare. */
export const DISK_NEEDED_GB = 3;

/** Engine API of Docker 20.10, the oldest one tried. */
export const MINIMUM_API = "1.41";
