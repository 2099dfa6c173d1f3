import {
  actionId,
  also,
  anything,
  boolean,
  integer,
  list,
  object,
  oneOf,
  type Rule,
  string,
  text,
  typed,
} from "./shapes.ts";

const plain = (most: number) => text({ most, plain: true });

const confirmation = object(
  {
    title: plain(100),
    text: text({ most: 300 }),
    confirm: plain(30),
    deny: plain(30),
    style: oneOf("primary", "danger"),
  },
  ["title", "text", "confirm", "deny"],
);

const option = object(
  {
    text: text({ most: 75 }),
    value: string({ most: 75 }),
    description: text({ most: 75 }),
    url: string({ most: 3_000 }),
  },
  ["text", "value"],
);

const optionGroup = object({ label: plain(75), options: list(option, { most: 100 }) }, [
  "label",
  "options",
]);

const interactive = { action_id: actionId, confirm: confirmation, focus_on_load: boolean };
const picker = { ...interactive, placeholder: plain(150) };
const input = {
  action_id: actionId,
  focus_on_load: boolean,
  placeholder: plain(150),
  dispatch_action_config: anything,
};

/** Either options or groups of them, and never none. */
function choices(rule: Rule): Rule {
  return also(rule, (value, complain) => {
    if ((value.options === undefined) === (value.option_groups === undefined))
      complain("must provide either `options` or `option_groups`");
  });
}

const staticChoices = {
  ...picker,
  options: list(option, { most: 100 }),
  option_groups: list(optionGroup, { most: 100 }),
};

const feedbackButton = object(
  { text: plain(75), value: string({ most: 2_000 }), accessibility_label: string({ most: 75 }) },
  ["text", "value"],
);

/** Slack's page docs.slack.dev/reference/block-kit/block-elements, as rules. */
export const ELEMENTS: Readonly<Record<string, Rule>> = {
  button: typed(
    {
      text: plain(75),
      action_id: actionId,
      url: string({ most: 3_000 }),
      value: string({ most: 2_000 }),
      style: oneOf("primary", "danger"),
      confirm: confirmation,
      accessibility_label: string({ most: 75 }),
    },
    ["text"],
  ),
  static_select: choices(typed({ ...staticChoices, initial_option: option })),
  multi_static_select: choices(
    typed({
      ...staticChoices,
      initial_options: list(option, { most: 100 }),
      max_selected_items: integer(1, 100),
    }),
  ),
  users_select: typed({ ...picker, initial_user: string() }),
  conversations_select: typed({
    ...picker,
    initial_conversation: string(),
    filter: anything,
    default_to_current_conversation: boolean,
    response_url_enabled: boolean,
  }),
  channels_select: typed({ ...picker, initial_channel: string(), response_url_enabled: boolean }),
  overflow: typed(
    { action_id: actionId, confirm: confirmation, options: list(option, { most: 5 }) },
    ["options"],
  ),
  checkboxes: typed(
    {
      ...interactive,
      options: list(option, { most: 10 }),
      initial_options: list(option, { most: 10 }),
    },
    ["options"],
  ),
  radio_buttons: typed(
    { ...interactive, options: list(option, { most: 10 }), initial_option: option },
    ["options"],
  ),
  datepicker: typed({ ...picker, initial_date: string({ most: 10 }) }),
  timepicker: typed({ ...picker, initial_time: string({ most: 5 }), timezone: string() }),
  plain_text_input: typed({
    ...input,
    initial_value: string({ most: 3_000, least: 0 }),
    multiline: boolean,
    min_length: integer(0, 3_000),
    max_length: integer(1, 3_000),
  }),
  url_text_input: typed({ ...input, initial_value: string({ most: 3_000 }) }),
  email_text_input: typed({ ...input, initial_value: string({ most: 3_000 }) }),
  number_input: typed(
    {
      ...input,
      is_decimal_allowed: boolean,
      initial_value: string(),
      min_value: string(),
      max_value: string(),
    },
    ["is_decimal_allowed"],
  ),
  file_input: typed({ action_id: actionId, filetypes: anything, max_files: integer(1, 10) }),
  image: also(
    typed(
      {
        alt_text: string({ most: 2_000 }),
        image_url: string({ most: 3_000 }),
        slack_file: anything,
      },
      ["alt_text"],
    ),
    ({ image_url, slack_file }, complain) => {
      if ((image_url === undefined) === (slack_file === undefined))
        complain("must provide either `image_url` or `slack_file`");
    },
  ),
  feedback_buttons: typed(
    { action_id: actionId, positive_button: feedbackButton, negative_button: feedbackButton },
    ["positive_button", "negative_button"],
  ),
  icon_button: typed(
    {
      ...interactive,
      icon: oneOf("trash"),
      text: plain(75),
      value: string({ most: 2_000 }),
      accessibility_label: string({ most: 75 }),
      visible_to_user_ids: anything,
    },
    ["icon", "text"],
  ),
};
