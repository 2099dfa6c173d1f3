import { pathMatcher } from "./paths.ts";
import { readable, type Word } from "./word.ts";

/** Programs that do harm with the words behind them; a name that is only known when it runs may be one of these. */
const HARMFUL =
  "rm git kubectl docker npm terraform chmod chown aws helm gcloud az cargo dd mkfs shred find rsync".split(
    " ",
  );

/** Words without which none of them asks for a phrase. */
const TELLING =
  /^-[a-zA-Z]*[rRfd]|^--(?:recursive|force|delete|destroy|mirror|replicas)|^(?:push|publish|unpublish|delete|destroy|purge|drain|uninstall|rm|rb|terminate[\w-]*|remove|scale|of=.*)$/;

/** The programs that a name may stand for, by its pattern, by the words inside it, or because it may be anything. */
export function guessedNames(name: Word, args: readonly Word[]): readonly string[] {
  if (!args.some(({ shape }) => TELLING.test(readable(shape)))) return [];
  if (!/[\ue000\ue001]/.test(name.shape)) {
    const matches = pathMatcher(name.shape.slice(name.shape.lastIndexOf("/") + 1));
    return HARMFUL.filter((one) => matches(one));
  }
  const named = HARMFUL.filter((one) =>
    new RegExp(`(?:^|[^\\w-])${one}(?:[^\\w-]|$)`).test(name.text),
  );
  return named.length > 0 ? named : HARMFUL;
}
