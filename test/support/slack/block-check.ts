import { BLOCKS } from "./block-rules.ts";
import {
  anything,
  complain,
  type Inspection,
  inspect,
  list,
  object,
  type Rule,
  string,
  tagged,
  text,
} from "./shapes.ts";
import {
  type Fields,
  fieldsIn,
  isFields,
  lengthOf,
  refusalWithMessages,
  SlackRefusedError,
} from "./values.ts";
import { checkWordsOfView } from "./words-check.ts";

const MESSAGE_BLOCKS = 50;
const VIEW_BLOCKS = 100;
const MARKDOWN_TOTAL = 12_000;
const VIEW_BYTES = 250_000;

/** Measured by Slack's users: 13,297 characters in one block pass, 11,341 in 45 do not, 9,597 in 50 do. */
const MESSAGE_WEIGHT = 13_300;
const BLOCK_WEIGHT = 70;

const NOT_IN_VIEWS = ["markdown", "context_actions", "table", "plan", "task_card", "alert"];

/** Throws what Slack would say to these blocks of a message. */
export function checkMessageBlocks(blocks: readonly unknown[]): void {
  const inspection = inspect("message");
  checkBlocks(blocks, "/blocks", inspection, MESSAGE_BLOCKS);
  if (blocks.filter((one) => isFields(one) && one.type === "table").length > 1)
    complain(inspection, "/blocks", "only one table is allowed");
  if (markdownLength(blocks) > MARKDOWN_TOTAL)
    complain(inspection, "/blocks", `markdown must be less than ${MARKDOWN_TOTAL + 1} characters`);
  if (inspection.problems.length > 0)
    throw refusalWithMessages("invalid_blocks", inspection.problems);
  if (weightOf(blocks) + BLOCK_WEIGHT * blocks.length > MESSAGE_WEIGHT)
    throw new SlackRefusedError("msg_blocks_too_long");
}

/** Throws what Slack would say to this view. */
export function checkView(view: Fields, allowed: "modal" | "home"): void {
  if (JSON.stringify(view).length > VIEW_BYTES) throw new SlackRefusedError("view_too_large");
  const inspection = inspect(allowed);
  if (view.type !== allowed) complain(inspection, "/view/type", `must be "${allowed}"`);
  if (allowed === "modal") object(MODAL_FIELDS, ["title", "blocks"])(view, "/view", inspection);
  else object(HOME_FIELDS, ["blocks"])(view, "/view", inspection);
  checkInputs(view, inspection);
  if (inspection.problems.length > 0)
    throw refusalWithMessages("invalid_arguments", inspection.problems);
  checkWordsOfView(view);
}

const blocksOfView: Rule = (value, path, inspection) => {
  if (!Array.isArray(value)) complain(inspection, path, "must be an array");
  else checkBlocks(value, path, inspection, VIEW_BLOCKS);
};
const HOME_FIELDS: Readonly<Record<string, Rule>> = {
  type: anything,
  blocks: blocksOfView,
  private_metadata: string({ most: 3_000, least: 0 }),
  callback_id: string({ most: 255, least: 0 }),
  external_id: string({ most: 255, least: 0 }),
};
const MODAL_FIELDS: typeof HOME_FIELDS = {
  ...HOME_FIELDS,
  title: text({ most: 24, plain: true }),
  submit: text({ most: 24, plain: true }),
  close: text({ most: 24, plain: true }),
  clear_on_close: anything,
  notify_on_close: anything,
  submit_disabled: anything,
};

function checkInputs(view: Fields, inspection: Inspection): void {
  const hasInput = fieldsIn(view.blocks).some(({ type }) => type === "input");
  if (view.type === "modal" && hasInput && view.submit === undefined)
    complain(inspection, "/view", "`submit` is required when an input block is in `blocks`");
}

function checkBlocks(
  blocks: readonly unknown[],
  path: string,
  inspection: Inspection,
  most: number,
): void {
  const allowed = Object.keys(BLOCKS).filter(
    (type) => inspection.surface === "message" || !NOT_IN_VIEWS.includes(type),
  );
  list(
    tagged(() => BLOCKS, allowed),
    { most, least: 0 },
  )(blocks, path, inspection);
}

function markdownLength(blocks: readonly unknown[]): number {
  return blocks
    .filter((one) => isFields(one) && one.type === "markdown")
    .reduce((sum: number, one) => sum + weightOf(one), 0);
}

/** The characters of every text in it, however deep. */
function weightOf(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum, one) => sum + weightOf(one), 0);
  if (!isFields(value)) return 0;
  return Object.entries(value).reduce((sum, [name, inner]) => {
    const isText = typeof inner === "string" && (name === "text" || name === "title");
    return sum + (isText ? lengthOf(inner) : weightOf(inner));
  }, 0);
}
