import type { SlackMethod } from "./call.ts";
import { application } from "./methods/application.ts";
import { assistant } from "./methods/assistant.ts";
import { chat } from "./methods/chat.ts";
import { conversations } from "./methods/conversations.ts";
import { files } from "./methods/files.ts";
import { people } from "./methods/people.ts";
import { sessions } from "./methods/sessions.ts";
import { streams } from "./methods/streams.ts";
import { views } from "./methods/views.ts";

/** Every method of the Web API that the double has. */
export const METHODS: ReadonlyMap<string, SlackMethod> = new Map(
  Object.entries({
    ...application,
    ...assistant,
    ...chat,
    ...conversations,
    ...files,
    ...people,
    ...sessions,
    ...streams,
    ...views,
  }),
);
