import { ELEMENTS } from "./element-rules.ts";
import {
  also,
  anything,
  block,
  boolean,
  integer,
  list,
  oneOf,
  type Rule,
  string,
  tagged,
  text,
  typed,
} from "./shapes.ts";

const plain = (most: number) => text({ most, plain: true });
const element = (...types: string[]) => tagged(() => ELEMENTS, types);

const CLICKABLE = [
  ...["button", "static_select", "multi_static_select", "users_select", "conversations_select"],
  ...["channels_select", "overflow", "checkboxes", "radio_buttons", "datepicker", "timepicker"],
];
const FILLABLE = [
  ...["plain_text_input", "url_text_input", "email_text_input", "number_input", "file_input"],
  ...["static_select", "multi_static_select", "users_select", "conversations_select"],
  ...["channels_select", "checkboxes", "radio_buttons", "datepicker", "timepicker"],
];
const TEXT_OR_IMAGE: Rule = (value, path, inspection) => {
  const isImage = (value as { type?: unknown } | null)?.type === "image";
  (isImage ? element("image") : text({ most: 3_000 }))(value, path, inspection);
};

const style = { style: anything };
const RICH_PIECES: Readonly<Record<string, Rule>> = {
  text: typed({ text: string(), ...style }, ["text"]),
  link: typed({ url: string(), text: string(), unsafe: boolean, ...style }, ["url"]),
  user: typed({ user_id: string(), ...style }, ["user_id"]),
  usergroup: typed({ usergroup_id: string(), ...style }, ["usergroup_id"]),
  channel: typed({ channel_id: string(), ...style }, ["channel_id"]),
  broadcast: typed({ range: oneOf("here", "channel", "everyone"), ...style }, ["range"]),
  emoji: typed({ name: string(), unicode: string(), ...style }, ["name"]),
  date: typed({ timestamp: anything, format: string(), url: string(), fallback: string() }, [
    "timestamp",
    "format",
  ]),
  color: typed({ value: string() }, ["value"]),
};
const pieces = list(
  tagged(() => RICH_PIECES),
  { most: 1_000, least: 0 },
);
const section = typed({ elements: pieces }, ["elements"]);
const RICH_PARTS: Readonly<Record<string, Rule>> = {
  rich_text_section: section,
  rich_text_quote: typed({ elements: pieces, border: anything }, ["elements"]),
  rich_text_preformatted: typed({ elements: pieces, border: anything, language: string() }, [
    "elements",
  ]),
  rich_text_list: typed(
    {
      elements: list(section, { most: 1_000 }),
      style: oneOf("bullet", "ordered"),
      indent: integer(0, 8),
      offset: integer(0, 10_000),
      border: anything,
    },
    ["elements", "style"],
  ),
};
const richText = block(
  {
    elements: list(
      tagged(() => RICH_PARTS),
      { most: 1_000 },
    ),
  },
  ["elements"],
);

const TASK_STATUS = oneOf("pending", "in_progress", "complete", "error");
const taskCard = block(
  {
    task_id: string(),
    title: string(),
    details: richText,
    output: richText,
    sources: list(typed({ url: string(), text: string() }, ["url"]), { most: 100, least: 0 }),
    status: TASK_STATUS,
  },
  ["task_id", "title"],
);
const cells: Readonly<Record<string, Rule>> = {
  rich_text: richText,
  raw_text: typed({ text: string() }, ["text"]),
  raw_number: typed({ value: anything, text: anything }),
};

const IN_CONTAINERS = [
  ...["actions", "context", "divider", "header", "image", "input", "rich_text", "section", "table"],
];

/** Slack's pages docs.slack.dev/reference/block-kit/blocks, as rules. */
export const BLOCKS: Readonly<Record<string, Rule>> = {
  actions: block({ elements: list(element(...CLICKABLE), { most: 25 }) }, ["elements"]),
  alert: block(
    { text: text({ most: 3_000 }), level: oneOf("default", "info", "warning", "error", "success") },
    ["text"],
  ),
  container: also(
    block(
      {
        title: plain(150),
        rich_text_title: richText,
        subtitle: text({ most: 150 }),
        child_blocks: list(
          tagged(() => BLOCKS, IN_CONTAINERS),
          { most: 10 },
        ),
        width: oneOf("narrow", "standard", "wide", "full"),
        icon: element("image"),
        is_collapsible: boolean,
        default_collapsed: boolean,
        has_header_divider: boolean,
      },
      ["child_blocks"],
    ),
    ({ title, rich_text_title, is_collapsible, default_collapsed }, complain) => {
      if (title === undefined && rich_text_title === undefined)
        complain("missing required field: title");
      if (default_collapsed === true && is_collapsible !== true)
        complain("`default_collapsed` requires `is_collapsible`");
    },
  ),
  context: block({ elements: list(TEXT_OR_IMAGE, { most: 10 }) }, ["elements"]),
  context_actions: block(
    { elements: list(element("feedback_buttons", "icon_button"), { most: 5 }) },
    ["elements"],
  ),
  divider: block({}),
  header: block({ text: plain(150) }, ["text"]),
  image: block(
    {
      alt_text: string({ most: 2_000 }),
      image_url: string({ most: 3_000 }),
      slack_file: anything,
      title: plain(2_000),
    },
    ["alt_text"],
  ),
  input: block(
    {
      label: plain(2_000),
      element: element(...FILLABLE),
      hint: plain(2_000),
      optional: boolean,
      dispatch_action: boolean,
    },
    ["label", "element"],
  ),
  markdown: block({ text: string({ most: 12_000 }) }, ["text"]),
  plan: block(
    {
      title: string(),
      tasks: list(
        tagged(() => ({ task_card: taskCard })),
        { most: 50 },
      ),
    },
    ["title"],
  ),
  rich_text: richText,
  section: also(
    block({
      text: text({ most: 3_000 }),
      fields: list(text({ most: 2_000 }), { most: 10 }),
      accessory: element(...CLICKABLE, "image"),
      expand: boolean,
    }),
    ({ text: words, fields }, complain) => {
      if (words === undefined && fields === undefined) complain("missing required field: text");
    },
  ),
  table: block(
    {
      rows: list(
        list(
          tagged(() => cells),
          { most: 20 },
        ),
        { most: 100 },
      ),
      column_settings: list(anything, { most: 20, least: 0 }),
    },
    ["rows"],
  ),
  task_card: taskCard,
};
