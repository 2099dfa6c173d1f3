import type { FilePattern } from "./code-report.ts";
import { absoluteRoutes, absoluteShapes } from "./paths.ts";
import type { Call } from "./rule.ts";
import { hasPattern, isUnknown, literalWord, readable } from "./word.ts";

/** They show what is there, and follow a link to it. */
const LOOKS = /^(?:ls|dir|vdir|stat|du|df|find|tree|test|\[)$/;

/** The directories in which a call may run, and the paths that it looks at. */
export function placesOf({ program, args, directories }: Call): string[] {
  const operands = LOOKS.test(program) ? args.filter(({ shape }) => !/^-|^$/.test(shape)) : [];
  return [
    ...directories,
    ...operands
      .filter((word) => !hasPattern(word))
      .flatMap(({ shape }) => absoluteRoutes(shape, directories)),
  ].filter((path) => path.startsWith("/") && !isUnknown(literalWord(path)));
}

/** The patterns among the words of a call: the shell puts the names of files in their place. */
export function patternsOf({ args, input, directories }: Call): FilePattern[] {
  return [...args, ...(input.file ? [input.file] : [])].filter(hasPattern).flatMap(({ shape }) =>
    absoluteShapes(shape, directories).map((path) => {
      const names = path.split("/");
      const at = names.findIndex((name) => /[\ue000-\ue00a]/.test(name));
      const place = names.slice(0, at).join("/") || "/";
      return { written: readable(shape), place, isDeep: at < names.length - 1 };
    }),
  );
}
