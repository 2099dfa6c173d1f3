import { memo } from "preact/compat";
import type { ThreadId } from "../../../../src/contract/platform/incoming.ts";
import type { Item, ItemContent, PersonInfo } from "../../protocol.ts";
import { ViewShown } from "../cards/cards.tsx";
import type { Actions } from "../state/actions.ts";
import type { Pending } from "../state/state.ts";
import { clock, dayAndClock, nameOf } from "../words.ts";
import { AttachmentShown } from "./attachment.tsx";
import { CopyLink, OwnTools } from "./item-tools.tsx";
import { Markdown } from "./markdown.tsx";

const SIGNS = { seen: "Seen", done: "Done", failed: "Failed", stopped: "Stopped" } as const;

interface ItemProps {
  readonly actions: Actions;
  readonly thread: ThreadId;
  readonly item: Item;
}

/** Who reads, and whom they may meet: handed down, so that a thousand items need not watch for it. */
interface Readers {
  readonly me: PersonInfo;
  readonly people: readonly PersonInfo[];
}

/** Drawn again only when the item itself has changed: a long thread stays quick. */
export const ItemShown = memo(function ItemShown({
  actions,
  thread,
  item,
  isMarked,
  ...readers
}: ItemProps & Readers & { readonly isMarked: boolean }) {
  const { content } = item;
  if (content.kind === "removed") return null;
  const look = `item ${content.kind}${isMarked ? " marked" : ""}`;
  const place = { actions, thread, item };
  return (
    <li id={`item-${item.id}`} data-rev={item.rev} class={look} tabIndex={-1}>
      {content.kind === "message" && <Message {...place} {...readers} content={content} />}
      {content.kind === "view" && (
        <BotItem {...place}>
          <ViewShown actions={actions} thread={thread} view={content.view} timed={content.timed} />
        </BotItem>
      )}
      {content.kind === "file" && (
        <BotItem {...place}>
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
  me,
  people,
}: ItemProps & Readers & { readonly content: Extract<ItemContent, { kind: "message" }> }) {
  const isMine = content.author === me.id;
  const name = isMine ? "You" : nameOf(`web:${content.author}`, me, people);
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
      <div class="meta">
        {isMine && <OwnTools actions={actions} thread={thread} item={item} content={content} />}
        <time dateTime={item.at}>{dayAndClock(item.at)}</time>
        {content.isAside && " · to people only"}
        {content.editedAt && " · edited"}
        {content.sign && <span class={`sign ${content.sign}`}> · {SIGNS[content.sign]}</span>}
        {!isMine && <OthersTools actions={actions} thread={thread} item={item} />}
      </div>
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
  actions,
  thread,
  item,
  children,
}: ItemProps & { readonly children: preact.ComponentChildren }) {
  return (
    <article class="bot" aria-label={`Deckhand, ${clock(item.at)}`}>
      {item.to !== undefined && <p class="only-you">Only you can see this</p>}
      {children}
      <div class="meta">
        <OthersTools actions={actions} thread={thread} item={item} />
      </div>
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

function OthersTools(props: ItemProps) {
  return (
    <span class="tools">
      <CopyLink {...props} />
    </span>
  );
}
