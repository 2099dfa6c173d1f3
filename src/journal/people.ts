import { addBy, type Projection } from "./projection.ts";

/** Names by the keys of those who have written or decided. */
type Names = Map<string, string>;

/** How the people of a conversation are known to each other. */
export const people: Projection<Names> = {
  initial: () => new Map(),
  add: addBy<Names>({
    message: keepAuthor,
    overheard: keepAuthor,
    "approval.decided": (known, { by, names = [] }) => {
      by.forEach((key, index) => {
        const name = names[index];
        if (name !== undefined && name !== key) known.set(key, name);
      });
    },
  }),
};

function keepAuthor(known: Names, said: { readonly author: string; readonly name: string }): void {
  known.set(said.author, said.name);
}
