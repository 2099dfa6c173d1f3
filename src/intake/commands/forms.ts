/** The words of a form's parameters, by their names. */
export type Args = Readonly<Record<string, string>>;

/** One way to say a verb, as people read it: `terminal tail [lines]`, `memory search <words…>`. */
export interface Usage {
  readonly usage: string;
  /** What a parameter has to look like. */
  readonly takes?: Readonly<Record<string, RegExp>>;
}

type Piece =
  | { readonly literal: string }
  | { readonly name: string; readonly isOptional: boolean; readonly isRest: boolean };

/** What was said in this form after the verb. Undefined: it is not this form. */
export function matchForm({ usage, takes = {} }: Usage, said: string): Args | undefined {
  const args: Record<string, string> = {};
  let rest = said.trim();
  for (const piece of piecesOf(usage)) {
    const taken = take(piece, rest);
    if (taken === undefined) return undefined;
    if ("name" in piece && taken !== "") {
      if (takes[piece.name]?.test(taken) === false) return undefined;
      args[piece.name] = taken;
    }
    rest = rest.slice(taken.length).trimStart();
  }
  return rest === "" ? args : undefined;
}

/** What a piece takes of what is left. Undefined: it wants something else. */
function take(piece: Piece, rest: string): string | undefined {
  const word = /^\S*/.exec(rest)?.[0] ?? "";
  if ("literal" in piece) return word.toLowerCase() === piece.literal ? word : undefined;
  const taken = piece.isRest ? rest : word;
  return taken === "" && !piece.isOptional ? undefined : taken;
}

/** `word`, `<name>`, `[name]`; with `…` the name takes all that is left. The first word is the verb. */
function piecesOf(usage: string): Piece[] {
  return usage
    .split(" ")
    .slice(1)
    .map((part) => {
      const parameter = /^[<[](.+?)(…?)[>\]]$/.exec(part);
      if (!parameter) return { literal: part };
      const [, name = "", rest] = parameter;
      return { name, isOptional: part.startsWith("["), isRest: rest === "…" };
    });
}
