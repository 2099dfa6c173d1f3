/**
 * Chat-template tokens (`<|im_start|>`, `[INST]`, `</s>` …) in untrusted text. A tokenizer that reads one as a control
 * token would let that text end its turn and begin another. The escape puts a visible mark behind the opening bracket,
 * and the same mark is taken out of the arguments of calls: what the model has read it can use in an exact-match edit.
 */
const MARK = "‡";

/** The reading window behind a bracket; no known token is longer. */
const WINDOW_CHARS = 120;
const OPENING = /[<＜﹤[［﹇\]］﹈]/g;
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

/** Read after `<`. Names that are HTML or code elsewhere must be the whole tag. */
const ANGLE = [
  /^\|[^<>|\n]{0,80}\|?>/, // <|im_start|>, <|turn>, DeepSeek's <｜User｜>
  /^[\w.:/-]{1,80}\|>/, // <turn|>
  /^<\/?[A-Z_]{2,20}>>/, // <<SYS>>
  /^\/?(?:s|bos|eos|pad|unk|mask|cls|sep|sop|eop|eot|eod|eoh|eoa|bom|eom|role|image|video|audio)>/,
  /^\/?(?:PRE|SUF|MID|EOT|BOS|EOS|PAD|UNK|TOOLCALL|AVAILABLE_TOOLS|TOOL_RESPONSE)>/,
  /^\/?(?:start|begin|end|beginning)_of_[a-z_]{1,30}>/i,
  /^\/?[a-z]+_TOKEN>/i,
  /^\/?(?:unused|extra_id_|reserved_|SPECIAL_|special_token_)[\w-]{0,30}>/,
  /^\/?fim[_-][a-z]{1,20}>/i,
  /^0x[0-9A-F]{2}>/,
  /^\/?(?:tool|function)_?(?:call|calls|response|responses|result|results|declaration)(?=[\s>|:=_])/i,
  /^\/?(?:function|parameter|tool)=[\w.-]{1,60}/i,
  /^\/?(?:antml:)?(?:function_calls|function_results|invoke|parameter)(?=[\s>])/i,
  /^\/?(?:think|thinking|tools|available_tools|seed:[a-z_]{1,30})>/i,
];
/** Read after `[`. Lower case is ordinary text there. */
const SQUARE = [
  /^\/?(?:INST|SYS|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|TOOL_CALLS_END)\]/,
  /^\/?(?:ARGS|CALL_ID|THINK|IMG|IMG_BREAK|IMG_END|AUDIO|BEGIN_AUDIO|PREFIX|MIDDLE|SUFFIX|MODEL_SETTINGS)\]/,
  /^(?:CLS|SEP|MASK|PAD|UNK|BOS|EOS|EOT|gMASK|sMASK|UNUSED_TOKEN_\d{1,5}|unused\d{1,5})\]/,
  /^\|[^[\]|\n]{0,80}\|\]/, // [|user|]
  /^e~\[/,
];
/** Read after `]`: MiniMax. */
const CLOSING = [/^~!?b[[\]]/];
const PATTERNS = new Map([
  ["<", ANGLE],
  ["[", SQUARE],
  ["]", CLOSING],
]);

/** Text in which no tokenizer finds a control token; everything else stays as it is. */
export function escapeTokens(text: string): string {
  return rewrite(text, () => MARK);
}

/** The text that `escapeTokens` was given. */
function unescapeTokens(text: string): string {
  return text.includes(MARK) ? rewrite(text, () => undefined) : text;
}

/** Every string of a JSON text, names included; what is no JSON is rewritten as it is. */
export function escapeTokensInJson(text: string): string {
  return mapJson(text, escapeTokens);
}

export function unescapeTokensInJson(text: string): string {
  return mapJson(text, unescapeTokens);
}

/** Puts a mark behind the bracket of each token, or takes one away where `mark` gives none. */
function rewrite(text: string, mark: () => string | undefined): string {
  let result = "";
  let from = 0;
  for (const { 0: bracket, index } of text.matchAll(OPENING)) {
    const start = index + bracket.length;
    const found = tokenAt(text, bracket, start);
    if (!found) continue;
    const added = mark();
    if (added === undefined && found.markAt === undefined) continue;
    const end = added === undefined ? (found.markAt ?? start) : start;
    result += text.slice(from, end) + (added ?? "");
    from = added === undefined ? end + MARK.length : end;
  }
  return result + text.slice(from);
}

interface Found {
  /** Where its first mark stands. */
  readonly markAt: number | undefined;
}

function tokenAt(text: string, bracket: string, start: number): Found | undefined {
  const kind = bracket.normalize("NFKC");
  let markAt: number | undefined;
  let at = start;
  while (at < text.length && (text[at] === MARK || INVISIBLE.test(text[at] ?? ""))) {
    if (text[at] === MARK) markAt ??= at;
    at += 1;
  }
  const read = windowFrom(text, at, kind);
  const isToken = PATTERNS.get(kind)?.some((pattern) => pattern.test(read));
  return isToken ? { markAt } : undefined;
}

/** No token goes on behind these, so that a flood of brackets takes no longer to read than other text. */
const ENDS: Readonly<Record<string, RegExp>> = { "<": /[<\n]/, "[": /[[\]］\n]/, "]": /[[\]\n]/ };

/** As a tokenizer that normalizes would read it: without invisible characters and in plain width. */
function windowFrom(text: string, at: number, kind: string): string {
  const raw = text.slice(at, at + WINDOW_CHARS);
  const next = raw.slice(1).search(ENDS[kind] ?? /\n/);
  const piece = next < 0 ? raw : raw.slice(0, next + 2);
  return piece.normalize("NFKC").replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, "");
}

function mapJson(text: string, map: (text: string) => string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return map(text); // the model wrote no JSON
  }
  const mapped = JSON.stringify(mapDeep(value, map));
  return mapped === JSON.stringify(value) ? text : mapped;
}

function mapDeep(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === "string") return map(value);
  if (Array.isArray(value)) return value.map((item) => mapDeep(item, map));
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).map(([key, item]) => [map(key), mapDeep(item, map)]);
  return Object.fromEntries(entries);
}
