/** What Enter hands to whoever reads the terminal. */
export type Submission =
  | { readonly kind: "line"; readonly text: string }
  /** A line that the keystrokes alone do not tell: recalled, completed, edited in the middle. */
  | { readonly kind: "unreadable"; readonly why: string };

const MAXIMUM_CHARS = 128 * 1024;

interface State {
  /** What stands on the line, if that is known. */
  readonly line: string;
  /** Why it is not known. */
  readonly lost: string | undefined;
  readonly cursorAtEnd: boolean;
  /** Lines before this one that the shell has not run yet, because they were incomplete. */
  readonly before: string;
  /** What has come of an escape sequence, without the Escape itself. */
  readonly escape: string | undefined;
  /** The last key was ^X: the next one belongs to it. */
  readonly controlX: boolean;
}

const EMPTY_LINE = {
  line: "",
  lost: undefined,
  cursorAtEnd: true,
  escape: undefined,
  controlX: false,
};
const START: State = { ...EMPTY_LINE, before: "" };

/**
 * Puts together the lines that keystrokes make at one terminal, however they arrive. Only what certainly makes the
 * line that it seems to make is followed; after anything else the line is unreadable until the next Enter.
 */
export class LineAssembler {
  readonly #isComplete: (text: string) => boolean;
  #state: State = START;

  /** `isComplete` says whether a shell would run a text at once instead of asking for more lines. */
  constructor(isComplete: (text: string) => boolean) {
    this.#isComplete = isComplete;
  }

  /** What this input would submit if it were typed now. Nothing changes. */
  look(input: string): Submission[] {
    return this.#typed(input).submissions;
  }

  /** The input was typed. */
  take(input: string): Submission[] {
    const { state, submissions } = this.#typed(input);
    this.#state = state;
    return submissions;
  }

  /** The line was emptied by somebody else: a command ran, or the shell was started anew. */
  cleared(): void {
    this.#state = START;
  }

  #typed(input: string): { state: State; submissions: Submission[] } {
    const submissions: Submission[] = [];
    let state = this.#state;
    for (const key of input) {
      const pressed = press(state, key);
      if (pressed.submits) submissions.push(submissionOf(pressed.state));
      state = pressed.submits ? this.#afterEnter(pressed.state) : pressed.state;
      if (pressed.recalls) state = lose(state, "a line from the history");
    }
    return { state, submissions };
  }

  #afterEnter({ line, lost, before }: State): State {
    const text = before + line;
    const waits = lost === undefined && text.trim() !== "" && !this.#isComplete(text);
    return { ...START, before: waits ? `${text}\n` : "" };
  }
}

interface Pressed {
  readonly state: State;
  readonly submits?: boolean;
  /** Afterwards something stands on the line already. */
  readonly recalls?: boolean;
}

function submissionOf({ line, lost, before }: State): Submission {
  return lost === undefined
    ? { kind: "line", text: before + line }
    : { kind: "unreadable", why: lost };
}

function press(state: State, key: string): Pressed {
  if (state.controlX)
    return { state: lose(state, "a command of the line editor"), submits: key === "\x05" };
  if (state.escape !== undefined) return { state: continueEscape(state, state.escape + key) };
  const special = KEYS[key];
  if (special) return special(state);
  const code = key.codePointAt(0) ?? 0;
  if (code < 0x20 || code === 0x7f) return { state: lose(state, "a key of the line editor") };
  return { state: type(state, key) };
}

const ENTER = (state: State): Pressed => ({ state, submits: true });
const NOTHING = (state: State): Pressed => ({ state });
const RECALL = (state: State): Pressed => ({ state: lose(state, "a line from the history") });
const MOVE = (state: State): Pressed => ({ state: { ...state, cursorAtEnd: false } });

const KEYS: Readonly<Record<string, (state: State) => Pressed>> = {
  "\r": ENTER,
  "\n": ENTER,
  // ^O submits and then brings the next line of the history.
  "\x0f": (state) => ({ state, submits: true, recalls: true }),
  "\x03": () => ({ state: START }),
  // A program that reads lines gets what was typed so far; the shell does nothing.
  "\x04": (state) =>
    state.line === "" && state.lost === undefined ? { state } : { state, submits: true },
  "\x15": (state) => ({
    state: state.cursorAtEnd
      ? { ...state, ...EMPTY_LINE }
      : lose(state, "a line cut in the middle"),
  }),
  "\x17": (state) => ({ state: onLine(state, (line) => line.replace(/\S*\s*$/, "")) }),
  "\x7f": (state) => ({ state: onLine(state, withoutLast) }),
  "\b": (state) => ({ state: onLine(state, withoutLast) }),
  "\x05": (state) => ({ state: { ...state, cursorAtEnd: true } }),
  "\x01": MOVE,
  "\x02": MOVE,
  "\x0c": NOTHING,
  "\x13": NOTHING,
  "\x11": NOTHING,
  "\x1a": () => ({ state: START }),
  "\x1c": () => ({ state: START }),
  "\x10": RECALL,
  "\x0e": RECALL,
  "\x12": RECALL,
  "\t": (state) => ({ state: lose(state, "a word completed by Tab") }),
  "\x19": (state) => ({ state: lose(state, "text that was cut before") }),
  "\x18": (state) => ({ state: { ...state, controlX: true } }),
  "\x1b": (state) => ({ state: { ...state, escape: "" } }),
};

/** Arrow keys, Home, End, the brackets around a paste. Everything else that begins with Escape loses the line. */
function continueEscape(state: State, sequence: string): State {
  const ended = { ...state, escape: undefined };
  if (/^[[O]$|^\[[0-9;]+$/.test(sequence)) return { ...state, escape: sequence };
  if (/^\[20[01]~$/.test(sequence)) return ended;
  if (/^[[O][AB]$/.test(sequence)) return lose(ended, "a line from the history");
  if (/^[[O][CDH]$|^\[[17]~$/.test(sequence)) return { ...ended, cursorAtEnd: false };
  if (/^[[O]F$|^\[[48]~$/.test(sequence)) return { ...ended, cursorAtEnd: true };
  return lose(ended, "a key of the line editor");
}

function type(state: State, text: string): State {
  return onLine(state, (line) => line + text);
}

/** Changes the end of the line; where the cursor may stand elsewhere, nobody knows what changes. */
function onLine(state: State, change: (line: string) => string): State {
  if (state.lost !== undefined) return state;
  if (!state.cursorAtEnd) return lose(state, "a line edited in the middle");
  const line = change(state.line);
  return line.length > MAXIMUM_CHARS ? lose(state, "a line without an end") : { ...state, line };
}

function lose(state: State, why: string): State {
  return { ...state, line: "", lost: state.lost ?? why, controlX: false };
}

/** One character less. What counts as one is only certain for plain ones; a wrong guess leaves an odd line, not a safe one. */
function withoutLast(line: string): string {
  return [...line].slice(0, -1).join("");
}
