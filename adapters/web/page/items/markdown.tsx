import MarkdownIt, { type Token } from "markdown-it";
import { type ComponentChildren, h } from "preact";
import { memo } from "preact/compat";
import type { LocalTime } from "../../../../src/lib/text/times.ts";
import { TIME } from "../../protocol.ts";
import { CodeBlock } from "../parts/code-block.tsx";
import { Scrolling } from "../parts/scrolling.tsx";
import { ago, dayAndClock } from "../words.ts";

const parser = new MarkdownIt({ html: false, linkify: true, breaks: true });
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false });

const PLAIN_TAGS = new Set([
  "p",
  "ul",
  "li",
  "blockquote",
  "thead",
  "tbody",
  "tr",
  "em",
  "strong",
  "s",
]);
const MOST_COLUMNS = 200;
const MOST_CELLS = 20_000;
/** The page's own titles are above; those of a message begin here. */
const FIRST_HEADING = 3;

/**
 * Text that nobody vouches for, as elements. No markup of its own gets through: tokens that are not known here come
 * out as text. Images are links, so that reading a message asks no other server for anything.
 */
export const Markdown = memo(function Markdown({
  text,
  times = [],
}: {
  readonly text: string;
  /** Those that stand in the text, in order. */
  readonly times?: readonly LocalTime[] | undefined;
}) {
  const tokens = parser.parse(text, {});
  const left = [...times];
  const shown = hasHugeTable(tokens) ? (
    <CodeBlock text={text} label="Table" />
  ) : (
    drawn(tokens, left)
  );
  return <div class="markdown">{shown}</div>;
});

/** The layout of such a table would freeze the page, and it would be unreadable. */
function hasHugeTable(tokens: readonly Token[]): boolean {
  let cells = 0;
  let columns = 0;
  for (const { type } of tokens) {
    if (type === "tr_open") columns = 0;
    if (type !== "th_open" && type !== "td_open") continue;
    cells += 1;
    columns += 1;
    if (columns > MOST_COLUMNS || cells > MOST_CELLS) return true;
  }
  return false;
}

interface Open {
  readonly token: Token;
  readonly children: ComponentChildren[];
}

function drawn(tokens: readonly Token[], times: LocalTime[]): ComponentChildren[] {
  const stack: Open[] = [];
  const whole: ComponentChildren[] = [];
  const place = () => stack.at(-1)?.children ?? whole;
  for (const token of tokens) {
    if (token.nesting === 1) stack.push({ token, children: [] });
    else if (token.nesting === 0) place().push(leaf(token, times));
    else {
      const closed = stack.pop();
      if (closed) place().push(element(closed.token, closed.children));
    }
  }
  return whole;
}

function element(token: Token, children: ComponentChildren[]): ComponentChildren {
  const { tag } = token;
  if (token.hidden) return children;
  if (tag === "a") return link(attribute(token, "href"), children);
  if (/^h[1-6]$/.test(tag)) {
    return h(`h${Math.min(6, FIRST_HEADING + Math.max(0, Number(tag[1]) - 2))}`, null, children);
  }
  if (tag === "ol") return <ol start={Number(attribute(token, "start") || 1)}>{children}</ol>;
  if (tag === "th" || tag === "td") return h(tag, { class: alignment(token) }, children);
  if (tag === "table") {
    return (
      <Scrolling tag="div" look="wide" label="Table">
        <table>{children}</table>
      </Scrolling>
    );
  }
  return PLAIN_TAGS.has(tag) ? h(tag, null, children) : children;
}

function leaf(token: Token, times: LocalTime[]): ComponentChildren {
  switch (token.type) {
    case "inline":
      return drawn(token.children ?? [], times);
    case "fence":
    case "code_block":
      return <CodeBlock text={token.content.replace(/\n$/, "")} language={token.info.trim()} />;
    case "code_inline":
      return <code>{token.content}</code>;
    case "softbreak":
    case "hardbreak":
      return <br />;
    case "hr":
      return <hr />;
    case "image":
      return link(attribute(token, "src"), [`Image: ${token.content || attribute(token, "src")}`]);
    default:
      return withTimes(token.content, times);
  }
}

function withTimes(text: string, times: LocalTime[]): ComponentChildren {
  const [first = "", ...others] = text.split(TIME);
  // As it is: a link is shown once where its text is its address.
  if (others.length === 0) return first;
  return [first, ...others.flatMap((rest) => [<Time time={times.shift()} />, rest])];
}

function Time({ time }: { readonly time: LocalTime | undefined }) {
  if (!time) return null;
  const at = new Date(time.seconds * 1_000).toISOString();
  return (
    <time dateTime={at} title={dayAndClock(at)}>
      {time.style === "ago" ? ago(at) : dayAndClock(at)}
    </time>
  );
}

/** One clicks on what it is: where the words are others than the address, the address stands beside them. */
function link(href: string, children: ComponentChildren[]): ComponentChildren {
  const url = safeUrl(href);
  if (!url) return children;
  const isItself = children.length === 1 && children[0] === href;
  return (
    <>
      {!isItself && <>{children} </>}
      <a href={url.href} target="_blank" rel="noopener noreferrer nofollow">
        {href}
      </a>
    </>
  );
}

function safeUrl(href: string): URL | undefined {
  if (!URL.canParse(href)) return undefined;
  const url = new URL(href);
  return ["http:", "https:", "mailto:"].includes(url.protocol) ? url : undefined;
}

function attribute(token: Token, name: string): string {
  return String(token.attrGet(name) ?? "");
}

function alignment(token: Token): string {
  return /right/.test(attribute(token, "style")) ? "right" : "";
}
