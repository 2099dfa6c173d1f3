import { problemsInFile } from "../../own-words.ts";
import { checkMessageBlocks } from "../block-check.ts";
import type { SlackCall, SlackMethod } from "../call.ts";
import { named } from "../message-check.ts";
import type { Upload } from "../services.ts";
import { type Fields, isFields, SlackRefusedError, unescaped } from "../values.ts";
import { fileOnWire } from "../wire-forms.ts";
import { refuseWords } from "../words-check.ts";
import { newId, type SlackChannel, type SlackFile } from "../world.ts";
import { addMessage } from "./chat.ts";

const MOST_BYTES = 1_000_000_000;
const SNIPPET_BYTES = 1_000_000;
const SNIPPETS = [
  "text",
  "javascript",
  "typescript",
  "shell",
  "python",
  "diff",
  "json",
  "markdown",
];

/** docs.slack.dev/messaging/working-with-files: announce, send, complete. */
export const files: Readonly<Record<string, SlackMethod>> = {
  "files.getUploadURLExternal": { scopes: ["files:write"], tier: "t4", run: announce },
  "files.completeUploadExternal": { scopes: ["files:write"], tier: "t4", run: complete },
  "files.info": { scopes: ["files:read"], tier: "t4", run: info },
  "files.delete": { scopes: ["files:write"], tier: "t3", run: remove },
};

function announce(call: SlackCall) {
  const name = call.text("filename");
  const length = Number(call.text("length") ?? 0);
  // A length of 0 counts as missing: Slack takes no empty files.
  if (name === undefined || length === 0) throw new SlackRefusedError("missing_argument");
  if (!Number.isInteger(length) || length < 0) throw new SlackRefusedError("invalid_arguments");
  if (length > MOST_BYTES) throw new SlackRefusedError("file_upload_size_restricted");
  const snippet = call.text("snippet_type");
  if (snippet !== undefined && !SNIPPETS.includes(snippet))
    throw new SlackRefusedError("unknown_snippet_type");
  if (snippet !== undefined && length > SNIPPET_BYTES)
    throw new SlackRefusedError("snippet_too_large");
  if ((call.text("alt_txt") ?? call.text("alt_text") ?? "").length > 1_000)
    throw new SlackRefusedError("alt_txt_too_large");
  const id = newId("F");
  call.slack.uploads.set(id, { id, name, length });
  return { upload_url: `${call.slack.origin}/upload/v1/${id}`, file_id: id };
}

/** The answer does not say where the file appeared: sharing happens afterwards. */
function complete(call: SlackCall) {
  const wanted = call.list("files", "invalid_arguments");
  if (!wanted?.length || !wanted.every(isFields)) throw new SlackRefusedError("invalid_arguments");
  const blocks = call.list("blocks", "invalid_blocks") as Fields[] | undefined;
  if (blocks) checkMessageBlocks(blocks);
  const channel =
    call.text("channel_id") === undefined ? undefined : call.joinedChannel("channel_id");
  if (channel?.isArchived) throw new SlackRefusedError("is_archived");
  const threadTs = channel && call.threadRoot(channel, "thread_not_found");
  const uploads = wanted.map(({ id }) => sent(call, String(id)));
  const comment = unescaped(call.text("initial_comment") ?? "");
  for (const [index, { name }] of uploads.entries())
    refuseWords([
      ...problemsInFile({ name, comment }),
      ...problemsInFile({ name: String(wanted[index]?.title ?? "") }),
    ]);
  const made = uploads.map((upload, index) => keep(call, upload, wanted[index]?.title));
  const answer = { files: made.map((file) => fileOnWire(file, call.slack.origin)) };
  const appear = () => channel && share(call, channel, made, { threadTs, blocks });
  if (call.slack.faults.shareAfterMs > 0)
    setTimeout(appear, call.slack.faults.shareAfterMs).unref();
  else appear();
  return answer;
}

function info(call: SlackCall) {
  const { faults, origin } = call.slack;
  return { file: fileOnWire(fileOf(call), faults.filesAt ?? origin), comments: [] };
}

function remove(call: SlackCall) {
  const file = fileOf(call);
  if (file.user !== call.bot) throw new SlackRefusedError("cant_delete_file");
  file.isDeleted = true;
  return {};
}

function fileOf(call: SlackCall): SlackFile {
  const file = call.slack.world.files.get(call.text("file") ?? "");
  if (!file) throw new SlackRefusedError("file_not_found");
  if (file.isDeleted) throw new SlackRefusedError("file_deleted");
  if (!isVisible(call, file)) throw new SlackRefusedError("not_visible");
  return file;
}

function isVisible({ slack, bot }: SlackCall, file: SlackFile): boolean {
  const channels = [...file.channels].map((id) => slack.world.channels.get(id));
  return file.user === bot || channels.some((channel) => channel?.members.has(bot));
}

function sent(call: SlackCall, id: string): Required<Upload> {
  const upload = call.slack.uploads.get(id);
  if (!upload?.bytes) throw new SlackRefusedError("file_not_found");
  return { ...upload, bytes: upload.bytes };
}

function keep(call: SlackCall, { id, name, bytes }: Required<Upload>, title: unknown): SlackFile {
  call.slack.uploads.delete(id);
  const file = { id, name, title: typeof title === "string" ? title : name, user: call.bot, bytes };
  const kept = { ...file, channels: new Set<string>(), shares: [], isDeleted: false };
  call.slack.world.files.set(id, kept);
  return kept;
}

interface Sharing {
  readonly threadTs: string | undefined;
  readonly blocks: Fields[] | undefined;
}

function share(
  call: SlackCall,
  channel: SlackChannel,
  made: SlackFile[],
  { threadTs, blocks }: Sharing,
): void {
  const message = addMessage(call, channel, {
    text: call.text("initial_comment") ?? "",
    blocks: named(blocks) ?? [],
    files: made,
    subtype: "file_share",
    unfurls: {},
    parsesNames: false,
    ...(threadTs !== undefined && { threadTs }),
  });
  for (const file of made) {
    file.channels.add(channel.id);
    file.shares.push({ channel: channel.id, ts: message.ts, ...(threadTs && { threadTs }) });
  }
  call.slack.events.posted(message);
}
