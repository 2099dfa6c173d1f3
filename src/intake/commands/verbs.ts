import type { Verb } from "./verb.ts";
import { approvals } from "./verbs/approvals.ts";
import { audit } from "./verbs/audit.ts";
import { auth } from "./verbs/auth.ts";
import { cost } from "./verbs/cost.ts";
import { diff } from "./verbs/diff.ts";
import { files } from "./verbs/files.ts";
import { helpVerb } from "./verbs/help.ts";
import { history } from "./verbs/history.ts";
import { keep } from "./verbs/keep.ts";
import { mcp } from "./verbs/mcp.ts";
import { memory } from "./verbs/memory.ts";
import { mini } from "./verbs/mini.ts";
import { model } from "./verbs/model.ts";
import { net } from "./verbs/net.ts";
import { prompt } from "./verbs/prompt.ts";
import { reset } from "./verbs/reset.ts";
import { settings } from "./verbs/settings.ts";
import { shell } from "./verbs/shell.ts";
import { status } from "./verbs/status.ts";
import { stop } from "./verbs/stop.ts";
import { subagents } from "./verbs/subagents.ts";
import { terminal } from "./verbs/terminal.ts";
import { todos } from "./verbs/todos.ts";
import { tools } from "./verbs/tools.ts";
import { topic } from "./verbs/topic.ts";
import { tour } from "./verbs/tour.ts";
import { undo } from "./verbs/undo.ts";

/** Every verb there is, in the order in which people read them. */
export const verbs: readonly Verb[] = [
  helpVerb(() => verbs),
  tour,
  status,
  todos,
  terminal,
  shell,
  files,
  diff,
  undo,
  stop,
  subagents,
  approvals,
  auth,
  net,
  audit,
  history,
  memory,
  topic,
  prompt,
  mini,
  tools,
  mcp,
  settings,
  model,
  cost,
  keep,
  reset,
];
