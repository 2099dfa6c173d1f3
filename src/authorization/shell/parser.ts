import type { CommandClass, ShellPlace } from "./command-class.ts";
import { Judge } from "./judge.ts";
import { objectionToCharacters, recallsHistory } from "./screen.ts";
import { Sheet } from "./sheet.ts";
import { openSyntax } from "./syntax.ts";

export interface ShellParser {
  /** Never throws: what cannot be read is high. */
  classify(command: string, place: ShellPlace): CommandClass;
}

/** Loads the grammar; once per process is enough. */
export async function openShellParser(): Promise<ShellParser> {
  const parse = await openSyntax();
  return {
    classify: (command, place) => {
      const sheet = new Sheet();
      const objection = objectionToCharacters(command);
      if (objection) sheet.cannotRead(objection, command);
      else if (place.typed && recallsHistory(command))
        sheet.cannotRead("it recalls earlier lines", command);
      else new Judge(parse, sheet, place).read(command);
      return sheet.result();
    },
  };
}
