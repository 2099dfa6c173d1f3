import { valuesOfOption } from "../options.ts";
import { type Call, each, type Inspector, type Rules, writesOutputs } from "../rule.ts";
import { literalWord, readable } from "../word.ts";

/** TeX reads its own language, which starts programs where that is switched on. */
export const typesetting: Rules = each(
  "tex etex pdftex xetex luatex luahbtex luajittex latex pdflatex xelatex lualatex dvilualatex amstex mex pdfmex ptex uptex platex uplatex context latexmk tectonic arara mf mpost metafun",
  typeset,
);

const STARTS_PROGRAMS =
  /^--?(?:shell-escape|enable-write18|shell-restricted|Zshell-escape)$|^shell-escape$|^--?(?:lua(?:only)?|luaonly|tex)(?:=|$)|^-(?:pdflatex|latex|xelatex|lualatex|pdflualatex|pdfxelatex|bibtex|usepretex|pretex)=|^-[eR]$/;
const IN_TEXT =
  /\\(?:immediate\s*)?\\?write18\s*\{([^}]*)\}|\\input\s*\{?\s*\|\s*([^}]*)|\\(?:directlua|latelua|ShellEscape|write18)\s*\{([^}]*)\}/g;

function typeset({ args }: Call, inspect: Inspector): void {
  inspect.notes("converts files");
  writesOutputs(args, inspect);
  for (const name of ["output-directory", "outdir", "auxdir", "aux-directory"])
    for (const directory of [
      ...valuesOfOption(args, { long: name }),
      ...args.flatMap(({ text, shape }) =>
        shape.startsWith(`-${name}=`) ? [{ text, shape: shape.slice(name.length + 2) }] : [],
      ),
    ])
      inspect.writes(directory);
  const texts = args.map(({ shape }) => readable(shape));
  const started = texts.flatMap((text) =>
    [...text.matchAll(IN_TEXT)].map(([, one, other, third]) => one ?? other ?? third ?? ""),
  );
  if (started.length === 0 && !texts.some((text) => STARTS_PROGRAMS.test(text))) return;
  inspect.hides("lets TeX start programs");
  for (const code of started)
    inspect.mayRun([literalWord(code), ...code.trim().split(/\s+/).map(literalWord)]);
}
