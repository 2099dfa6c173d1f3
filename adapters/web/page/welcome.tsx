import type { Actions } from "./state/actions.ts";
import { usePart } from "./state/state.ts";

const TRIES = [
  { text: "$ ls -la", about: "Run a command yourself in this thread's own container" },
  { text: "tour", about: "A guided tour: a plan, a command, an approval, an undo" },
  { text: "help", about: "The commands that people use most" },
];

/** The first minute: three things that work at once. */
export function Welcome({ actions }: { readonly actions: Actions }) {
  const status = usePart(actions.store, (state) => state.status);
  return (
    <div class="welcome">
      <h2>What should Deckhand do?</h2>
      <p>
        Each thread has its own container. You see what Deckhand does as it happens, and risky
        actions wait for your click.
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
