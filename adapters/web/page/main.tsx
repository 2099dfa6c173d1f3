import { render } from "preact";
import { App } from "./app.tsx";
import { Actions } from "./state/actions.ts";
import { Api } from "./state/api.ts";
import { placeOf } from "./state/place.ts";
import { Store } from "./state/state.ts";
import "@xterm/xterm/css/xterm.css";
import "./style/tokens.css";
import "./style/layout.css";
import "./style/parts.css";
import "./style/talk.css";
import "./style/cards.css";
import "./style/panels.css";

const TOKEN = "deckhand.token";

const fragment = new URLSearchParams(location.hash.slice(1));
const given = fragment.get("token");
const root = document.getElementById("page");

if (given !== null) {
  // Out of the address at once: it must not be in a bookmark's title, a screenshot or the history.
  localStorage.setItem(TOKEN, given);
  fragment.delete("token");
  history.replaceState(null, "", `#${decodeURIComponent(fragment.toString())}`);
}

const store = new Store();
const token = localStorage.getItem(TOKEN) ?? "";
const actions = new Actions(store, new Api(token), token);

const { thread, target } = placeOf(location.hash);
store.change({ current: thread, target });
addEventListener("popstate", () => {
  const { thread, target } = placeOf(location.hash);
  actions.open(thread, target?.item);
});

const theme = localStorage.getItem("deckhand.theme");
if (theme) document.documentElement.dataset.theme = theme;

if (root) render(<App actions={actions} />, root);
actions.live.connect();
