import type { Actions } from "./state/actions.ts";
import { usePart } from "./state/state.ts";

const TRIES = [
  { text: "$ ls -la", about: "Run a command yourself, in a container of this thread's own" },
  { text: "tour", about: "A guided tour: a plan, a command, an approval, an undo" },
  { text: "help", about: "Everything you can say here" },
];

/** The first minute: three things that work at once. */
export function Welcome({ actions }: { readonly actions: Actions }) {
  const status = usePart(actions.store, (state) => state.status);
  return (
    <div class="welcome">
      <h2>What shall we do?</h2>
      <p>
        Each thread has its own container. What Deckhand does there you see as it happens, and what
        is risky waits for your click.
      </p>
      {status && <p class="faint">{status}</p>}
      <ul>
        {TRIES.map(({ text, about }) => (
          <li key={text}>
            <button type="button" onClick={() => actions.send(text)}>
              <code>{text}</code>
              <span>{about}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
