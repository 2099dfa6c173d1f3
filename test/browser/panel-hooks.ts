import type { WebHooks } from "../../adapters/web/hooks.ts";

/** Bytes as a real terminal sent them: a prompt, colours in 24 bits, and questions to the terminal itself. */
const OUTPUT = [
  "\u001b[?2004hagent@deckhand:/workspace$ npm test\r\n\u001b[?2004l\r",
  "\u001b[38;2;10;200;30mPASS\u001b[0m all of \u001b[1;34msrc\u001b[0m\r\n",
  "\u001b[c\u001b[6n\u001b]11;?\u0007\u001b[>q",
  "42 tests passed\r\n\u001b[?2004hagent@deckhand:/workspace$ ",
];

/** Everything that can be shown beside a conversation; `word` stands wherever a word can stand. */
export function panelHooks({
  word = "",
  sizes = [],
}: {
  readonly word?: string;
  /** What the terminal was made to be, each time. */
  readonly sizes?: { readonly rows: number; readonly cols: number }[];
} = {}): WebHooks {
  const at = new Date().toISOString();
  return {
    terminal: {
      list: async ({ thread }) => [
        { id: thread, title: `/workspace ${word}`, state: "idle", rows: 24, cols: 80 },
      ],
      async follow(_asker, _terminal, { onOutput, signal }) {
        let fromIndex = 0;
        for (const text of [...OUTPUT, word]) {
          await onOutput({ fromIndex, text, ended: false });
          fromIndex += text.length;
        }
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
      },
      resize: async (_asker, _terminal, size) => {
        sizes.push(size);
      },
    },
    files: {
      list: async () => ({
        isAsleep: false,
        entries: [
          { name: `src${word}`, path: "src", isDirectory: true, bytes: 0 },
          { name: `notes.md${word}`, path: "notes.md", isDirectory: false, bytes: 1_234 },
        ],
      }),
      wake: async () => undefined,
      download: async () => ({ name: "notes.md", bytes: new Uint8Array([65]) }),
    },
    timeline: async () => [
      {
        number: 2,
        at,
        who: `you ${word}`,
        what: `Approved once ${word}`,
        detail: "rm -rf build",
        tone: "good",
      },
      {
        number: 1,
        at,
        who: "guard",
        what: "Approval asked",
        detail: `rm -rf build ${word}`,
        tone: "waiting",
      },
    ],
    settings: {
      read: async () => [
        { name: "terminal", description: `Allow commands. ${word}`, value: true },
        { name: "maxIterations", description: "How many steps a turn may take.", value: 50 },
        { name: "prompt", description: "The system prompt.", value: `default ${word}` },
      ],
      change: async () => undefined,
    },
  };
}
