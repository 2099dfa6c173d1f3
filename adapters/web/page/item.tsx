import { memo } from "preact/compat";
import { useEffect, useState } from "preact/hooks";
import type { Attachment, ThreadId } from "../../../src/contract/incoming.ts";
import type { Item, ItemContent } from "../protocol.ts";
import type { Actions } from "./actions.ts";
import { ViewShown } from "./cards.tsx";
import { Icon } from "./icon.tsx";
import { Markdown } from "./markdown.tsx";
import { type Pending, usePart } from "./state.ts";
import { bytes, clock, dayAndClock, nameOf } from "./words.ts";

const SIGNS = { seen: "Seen", done: "Done", failed: "Failed", stopped: "Stopped" } as const;
const SHOWN_IMAGES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Drawn again only when the item itself has changed: a long thread stays quick. */
export const ItemShown = memo(function ItemShown({
  actions,
  thread,
  item,
}: {
  readonly actions: Actions;
  readonly thread: ThreadId;
  readonly item: Item;
}) {
  const { content } = item;
  if (content.kind === "removed") return null;
  return (
    <li id={`item-${item.id}`} data-rev={item.rev} class={`item ${content.kind}`} tabIndex={-1}>
      {content.kind === "message" && (
        <Message actions={actions} thread={thread} item={item} content={content} />
      )}
      {content.kind === "view" && (
        <BotItem item={item}>
          <ViewShown actions={actions} thread={thread} view={content.view} />
        </BotItem>
      )}
      {content.kind === "file" && (
        <BotItem item={item}>
          <SharedFile actions={actions} thread={thread} id={item.id} file={content} />
        </BotItem>
      )}
    </li>
  );
});

function Message({
  actions,
  thread,
  item,
  content,
}: {
  readonly actions: Actions;
  readonly thread: ThreadId;
  readonly item: Item;
  readonly content: Extract<ItemContent, { kind: "message" }>;
}) {
  const me = usePart(actions.store, (state) => state.me);
  const people = usePart(actions.store, (state) => state.people);
  const isMine = content.author === me.id;
  const name = isMine ? "You" : nameOf(content.author, me, people);
  return (
    <article class={isMine ? "said mine" : "said"} aria-label={`${name}, ${clock(item.at)}`}>
      {!isMine && <p class="author">{name}</p>}
      <div class="bubble">
        {content.isCommand || content.text.startsWith("$") ? (
          <code class="command">{content.text}</code>
        ) : (
          <Markdown text={content.text} />
        )}
        {content.attachments.map((file) => (
          <AttachmentShown key={file.id} actions={actions} thread={thread} file={file} />
        ))}
      </div>
      <p class="meta">
        <time dateTime={item.at}>{dayAndClock(item.at)}</time>
        {content.editedAt && " · edited"}
        {content.sign && <span class={`sign ${content.sign}`}> · {SIGNS[content.sign]}</span>}
      </p>
    </article>
  );
}

export function PendingShown({
  actions,
  pending,
}: {
  readonly actions: Actions;
  readonly pending: Pending;
}) {
  return (
    <li class="item message">
      <article class="said mine pending" aria-label="You, not delivered yet">
        <div class="bubble">
          <Markdown text={pending.text} />
          {pending.attachments.map(({ id, name }) => (
            <p key={id} class="faint">
              {name}
            </p>
          ))}
        </div>
        <p class="meta">
          {pending.problem === undefined ? (
            "Sending…"
          ) : (
            <>
              <span class="problem" role="alert">
                {pending.problem}
              </span>{" "}
              <button type="button" class="link" onClick={() => actions.retry(pending.id)}>
                Send again
              </button>{" "}
              <button type="button" class="link" onClick={() => actions.discard(pending.id)}>
                Discard
              </button>
            </>
          )}
        </p>
      </article>
    </li>
  );
}

function BotItem({
  item,
  children,
}: {
  readonly item: Item;
  readonly children: preact.ComponentChildren;
}) {
  return (
    <article class="bot" aria-label={`Deckhand, ${clock(item.at)}`}>
      {item.to !== undefined && <p class="only-you">Only you can see this</p>}
      {children}
    </article>
  );
}

function SharedFile({
  actions,
  thread,
  id,
  file,
}: {
  readonly actions: Actions;
  readonly thread: ThreadId;
  readonly id: string;
  readonly file: Extract<ItemContent, { kind: "file" }>;
}) {
  return (
    <div class="shared-file">
      {file.comment && <Markdown text={file.comment} />}
      <AttachmentShown actions={actions} thread={thread} file={{ ...file, id }} />
    </div>
  );
}

function AttachmentShown({
  actions,
  thread,
  file,
}: {
  readonly actions: Actions;
  readonly thread: ThreadId;
  readonly file: Attachment;
}) {
  const load = () => actions.attempt(() => actions.api.sharedFile(thread, file.id));
  const save = async () => {
    const blob = await load();
    if (blob) saveAs(blob, file.name);
  };
  return (
    <figure class="attachment">
      {SHOWN_IMAGES.has(file.mimeType) && <Preview load={load} file={file} />}
      <figcaption>
        <button type="button" class="file" onClick={() => void save()}>
          <Icon name="file" />
          <span class="ellipsis">{file.name}</span>
          <span class="faint">{bytes(file.bytes)}</span>
          <Icon name="download" />
          <span class="hidden">Download</span>
        </button>
      </figcaption>
    </figure>
  );
}

/** Only kinds of images that cannot hold a program, and typed by us: the browser must not guess. */
function Preview({
  load,
  file,
}: {
  readonly load: () => Promise<Blob | undefined>;
  readonly file: Attachment;
}) {
  const [url, setUrl] = useState("");
  useEffect(() => {
    let made = "";
    void load().then((blob) => {
      if (!blob) return;
      made = URL.createObjectURL(new Blob([blob], { type: file.mimeType }));
      setUrl(made);
    });
    return () => URL.revokeObjectURL(made);
  }, [file.id]);
  return url ? <img src={url} alt={file.name} /> : null;
}

export function saveAs(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const anchor = document.createElement("a");
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
