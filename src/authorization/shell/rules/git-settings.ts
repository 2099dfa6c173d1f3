import type { Inspector } from "../rule.ts";
import { readable, type Word } from "../word.ts";

/** Settings that cannot make git start a program or talk to another host. */
const HARMLESS_SETTING =
  /^(?:user\.(?:name|email)|color\.|core\.(?:quotepath|autocrlf|eol|safecrlf|filemode|ignorecase|abbrev|precomposeunicode|longpaths|bare|compression)|init\.defaultbranch|advice\.|safe\.directory|commit\.(?:gpgsign|verbose)|tag\.gpgsign|log\.|diff\.(?:renames|renamelimit|algorithm|context|colormoved|noprefix|mnemonicprefix)|merge\.(?:conflictstyle|ff|renamelimit)|pull\.|push\.(?:default|autosetupremote|followtags)|fetch\.(?:prune|parallel)|branch\.|rerere\.|status\.|column\.|gc\.auto|pack\.|index\.|feature\.|grep\.|blame\.|format\.pretty|help\.autocorrect|http\.(?:version|postbuffer|lowspeed)|remote\.[^.]+\.fetch|submodule\.recurse|rebase\.autostash|protocol\.version)/i;

/** A setting as `key=value`, or as a key with its value apart. */
export function setSetting(setting: Word, inspect: Inspector, value = afterEquals(setting)): void {
  const text = readable(setting.shape);
  if (HARMLESS_SETTING.test(text)) return;
  inspect.click(`git setting ${text.split("=")[0]} may start a program or send data elsewhere`);
  if (value.shape.startsWith("!"))
    inspect.runsCode({ ...value, shape: value.shape.slice(1) }, "a git alias");
}

function afterEquals({ text, shape }: Word): Word {
  return { text, shape: shape.slice(shape.indexOf("=") + 1) };
}
