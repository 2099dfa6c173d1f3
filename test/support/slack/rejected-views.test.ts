import { describe } from "vitest";
import { itRejects, type Rejection } from "./rejections.ts";
import type { SlackLab } from "./test-lab.ts";
import type { Fields } from "./values.ts";

const METHODS = "reference/methods";
const VIEWS = "reference/views/modal-views";

const plain = (length: number) => ({ type: "plain_text", text: "x".repeat(length) });
const modal = (more: Fields = {}): Fields => ({
  type: "modal",
  title: plain(4),
  blocks: [],
  ...more,
});
const input = { type: "input", label: plain(3), element: { type: "plain_text_input" } };
const trigger = ({ slack, ada }: SlackLab) => slack.triggers.issue(ada.user.id);

const opening =
  (view: Fields): Rejection["refused"] =>
  (lab) =>
    lab.call("views.open", { trigger_id: trigger(lab), view });

const publishing =
  (view: Fields): Rejection["refused"] =>
  (lab) =>
    lab.call("views.publish", { user_id: lab.ada.user.id, view });

const afterMs =
  (milliseconds: number): Rejection["refused"] =>
  (lab) => {
    const trigger_id = trigger(lab);
    lab.slack.world.clock.advance(milliseconds);
    return lab.call("views.open", { trigger_id, view: modal() });
  };

/** A change of a window that is open. */
const updating =
  (args: (view: Fields) => Fields): Rejection["refused"] =>
  async (lab) => {
    const { body } = await opening(modal())(lab);
    return lab.call("views.update", { view: modal(), ...args(body.view as Fields) });
  };

const invalid = { error: "invalid_arguments" };

describe("windows and tabs that Slack refuses", () => {
  itRejects([
    {
      what: "a window more than three seconds after the click",
      page: `${METHODS}/views.open`,
      error: "expired_trigger_id",
      refused: afterMs(3_100),
      taken: afterMs(1_500),
    },
    {
      what: "two windows for one click",
      page: `${METHODS}/views.open`,
      error: "exchanged_trigger_id",
      refused: async (lab) => {
        const trigger_id = trigger(lab);
        await lab.call("views.open", { trigger_id, view: modal() });
        return lab.call("views.open", { trigger_id, view: modal() });
      },
    },
    {
      what: "a window for no click",
      page: `${METHODS}/views.open`,
      error: "invalid_trigger_id",
      refused: (lab) => lab.call("views.open", { trigger_id: "1.2.abc", view: modal() }),
    },
    {
      what: "a window without a view",
      page: `${METHODS}/views.open`,
      ...invalid,
      refused: (lab) => lab.call("views.open", { trigger_id: trigger(lab) }),
    },
    {
      what: "a title of 25 characters",
      page: VIEWS,
      ...invalid,
      at: "/view/title/text",
      refused: opening(modal({ title: plain(25) })),
      taken: opening(modal({ title: plain(24) })),
    },
    {
      what: "a window without a title",
      page: VIEWS,
      ...invalid,
      at: "/view",
      refused: opening({ type: "modal", blocks: [] }),
    },
    {
      what: "fields without a button to send them",
      page: VIEWS,
      ...invalid,
      at: "/view",
      refused: opening(modal({ blocks: [input] })),
      taken: opening(modal({ blocks: [input], submit: plain(4) })),
    },
    {
      what: "a submit button of 25 characters",
      page: VIEWS,
      ...invalid,
      at: "/view/submit/text",
      refused: opening(modal({ submit: plain(25) })),
    },
    {
      what: "101 blocks in a window",
      page: VIEWS,
      ...invalid,
      at: "/view/blocks",
      refused: opening(modal({ blocks: Array(101).fill({ type: "divider" }) })),
      taken: opening(modal({ blocks: Array(100).fill({ type: "divider" }) })),
    },
    {
      what: "private metadata of 3,001 characters",
      page: VIEWS,
      ...invalid,
      at: "/view/private_metadata",
      refused: opening(modal({ private_metadata: "x".repeat(3_001) })),
      taken: opening(modal({ private_metadata: "x".repeat(3_000) })),
    },
    {
      what: "a callback id of 256 characters",
      page: VIEWS,
      ...invalid,
      at: "/view/callback_id",
      refused: opening(modal({ callback_id: "x".repeat(256) })),
      taken: opening(modal({ callback_id: "x".repeat(255) })),
    },
    {
      what: "Markdown in a window",
      page: "reference/block-kit/blocks/markdown-block",
      ...invalid,
      at: "/view/blocks/0",
      refused: opening(modal({ blocks: [{ type: "markdown", text: "x" }] })),
    },
    {
      what: "a view of more than 250 KB",
      page: `${METHODS}/views.open`,
      error: "view_too_large",
      refused: opening(modal({ private_metadata: "x".repeat(251_000) })),
    },
    {
      what: "an external id that is taken",
      page: `${METHODS}/views.open`,
      error: "duplicate_external_id",
      refused: async (lab) => {
        await opening(modal({ external_id: "one" }))(lab);
        return opening(modal({ external_id: "one" }))(lab);
      },
    },
    {
      what: "a change that is based on an older state",
      page: `${METHODS}/views.update`,
      error: "hash_conflict",
      refused: updating(({ id }) => ({ view_id: id, hash: "1.old" })),
      taken: updating(({ id, hash }) => ({ view_id: id, hash })),
    },
    {
      what: "a change of a window that is not open",
      page: `${METHODS}/views.update`,
      error: "not_found",
      refused: updating(() => ({ view_id: "V0NOTHING" })),
    },
    {
      what: "a fourth window on top of three",
      page: `${METHODS}/views.push`,
      error: "push_limit_reached",
      refused: async (lab) => {
        await opening(modal())(lab);
        const push = () => lab.call("views.push", { trigger_id: trigger(lab), view: modal() });
        await push();
        await push();
        return push();
      },
    },
    {
      what: "a home tab of an app that has none",
      page: `${METHODS}/views.publish`,
      error: "not_enabled",
      refused: async (lab) => {
        lab.slack.app.hasHomeTab = false;
        return publishing({ type: "home", blocks: [] })(lab);
      },
      taken: async (lab) => {
        lab.slack.app.hasHomeTab = true;
        return publishing({ type: "home", blocks: [] })(lab);
      },
    },
    {
      what: "a window as a home tab",
      page: `${METHODS}/views.publish`,
      ...invalid,
      at: "/view/type",
      refused: publishing(modal()),
    },
  ]);
});
