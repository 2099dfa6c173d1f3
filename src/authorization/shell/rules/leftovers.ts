import { hasOption, operandsOf } from "../options.ts";
import { each, type Rules } from "../rule.ts";
import { literalWord } from "../word.ts";
import { asksAndSends } from "./places.ts";

/** Programs that look for duplicates, old files and odd names, and may remove or rename what they find. */
export const leftovers: Rules = {
  ...each("fdupes jdupes", ({ args }, inspect) => {
    inspect.notes("looks for duplicates");
    if (!hasOption(args, { short: "d", long: "delete" })) return;
    for (const place of operandsOf(args, { valued: "GLoX" }))
      inspect.deletes(place, { recursive: true });
  }),
  rdfind: ({ args }, inspect) => {
    inspect.notes("looks for duplicates");
    const at = args.findIndex(({ shape }) => /^-(?:deleteduplicates|make\w+links)$/.test(shape));
    if (at < 0 || args[at + 1]?.shape === "false") return;
    for (const place of operandsOf(args)) inspect.deletes(place, { recursive: true });
  },
  fclones: ({ args }, inspect) => {
    inspect.notes("looks for duplicates");
    // The list of files comes on its input.
    if (/^(?:remove|link|dedupe|move)$/.test(operandsOf(args)[0]?.shape ?? ""))
      inspect.discards("removes files that its input names");
  },
  ...each("tmpreaper tmpwatch stmpclean", ({ args }, inspect) => {
    inspect.notes("removes old files");
    for (const place of operandsOf(args).slice(1)) inspect.deletes(place, { recursive: true });
  }),
  // Copies of repositories, as good as `git clone`.
  ...each("degit tiged giget", ({ args }, inspect) => {
    inspect.notes("fetches a repository");
    const [, place] = operandsOf(args);
    inspect.downloads(place?.shape === "." ? undefined : place);
  }),
  // Its commits are made on the server, and so is everything that names one by its address.
  svn: ({ args }, inspect) => {
    const [verb, ...rest] = operandsOf(args, { valued: "mrF" }).map(({ shape }) => shape);
    const looks = /^(?:checkout|co|export|info|log|ls|list|cat|diff|blame|update|up|switch|sw)$/;
    const atServer = rest.some((word) => /:\/\//.test(word)) && !looks.test(verb ?? "");
    inspect.notes("works on a copy of a repository");
    if (atServer || /^(?:commit|ci)$/.test(verb ?? ""))
      asksAndSends("svn changes data on a server", inspect);
  },
  bleachbit: ({ args }, inspect) => {
    if (args.some(({ shape }) => /^(?:-c|--clean|-s|--shred|-w|--wipe-\S+)$/.test(shape)))
      inspect.click("removes files of other programs");
  },
  ...each("detox convmv", ({ args }, inspect) => {
    inspect.notes("renames files");
    for (const place of operandsOf(args, { valued: "fs" })) inspect.touches(place);
  }),
  stow: ({ args }, inspect) => {
    inspect.notes("links files");
    const at = args.findIndex(({ shape }) => /^(?:-t|--target)$/.test(shape));
    const [attached] = args.flatMap(
      ({ shape }) => /^(?:-t|--target=)(.+)$/s.exec(shape)?.[1] ?? [],
    );
    const target = at < 0 ? literalWord(attached ?? "..") : args[at + 1];
    if (target) inspect.touches(target);
  },
};
