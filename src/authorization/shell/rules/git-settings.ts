import type { Inspector } from "../rule.ts";
import { literalWord, readable, type Word } from "../word.ts";
import { judgeRefs } from "./git-push.ts";

/** Settings that cannot make git start a program or talk to another host. */
const HARMLESS_SETTING =
  /^(?:user\.(?:name|email)|color\.|core\.(?:quotepath|autocrlf|eol|safecrlf|filemode|ignorecase|abbrev|precomposeunicode|longpaths|bare|compression)|init\.defaultbranch|advice\.|safe\.directory|commit\.(?:gpgsign|verbose)|tag\.gpgsign|log\.|diff\.(?:renames|renamelimit|algorithm|context|colormoved|noprefix|mnemonicprefix)|merge\.(?:conflictstyle|ff|renamelimit)|pull\.|push\.(?:default|autosetupremote|followtags)|fetch\.(?:prune|parallel)|branch\.|rerere\.|status\.|column\.|gc\.auto|pack\.|index\.|feature\.|grep\.|blame\.|format\.pretty|help\.autocorrect|http\.(?:version|postbuffer|lowspeed)|remote\.[^.]+\.fetch|submodule\.recurse|rebase\.autostash|protocol\.version)/i;

/** A setting as `key=value`, or as a key with its value apart. */
export function setSetting(setting: Word, inspect: Inspector, value = afterEquals(setting)): void {
  const text = readable(setting.shape);
  if (HARMLESS_SETTING.test(text)) return;
  if (
    /^core\.pager(?:=|$)/i.test(text) &&
    /^(?:cat|less|more|head|)(?:\s[-\w\s]*)?$/.test(value.shape)
  )
    return;
  const [, alias] = /^alias\.([^=]+)/i.exec(text) ?? [];
  if (alias !== undefined && !value.shape.startsWith("!")) {
    givesAlias(alias, value, inspect);
    return;
  }
  if (/^remote\..+\.push(?:=|$)/i.test(text)) judgeRefs([readable(value.shape)], inspect);
  if (/^remote\..+\.mirror(?:=|$)/i.test(text))
    inspect.phrase("overwrites all branches of a remote");
  inspect.click(`git setting ${text.split("=")[0]} may start a program or send data elsewhere`);
  if (value.shape.startsWith("!"))
    inspect.runsCode({ ...value, shape: value.shape.slice(1) }, "a git alias");
}

/** An alias is as good as what it stands for, with any words behind it. */
function givesAlias(name: string, value: Word, inspect: Inspector): void {
  const words = value.shape.trim().split(/\s+/).map(literalWord);
  inspect.notes("defines a git alias");
  inspect.gitAliases.set(name, words);
  inspect.runs([literalWord("git"), ...words]);
}

function afterEquals({ text, shape }: Word): Word {
  return { text, shape: shape.slice(shape.indexOf("=") + 1) };
}
