import type { CommandClass, ShellPlace } from "./command-class.ts";
import { Judge } from "./judge.ts";
import { mayDiffer, readsAsInBash } from "./other-shells.ts";
import { objectionToCharacters, recallsHistory, visiblePart } from "./screen.ts";
import { Sheet } from "./sheet.ts";
import { openSyntax } from "./syntax.ts";

export interface ShellParser {
  /** Never throws: what cannot be read is asked about. */
  classify(command: string, place: ShellPlace): CommandClass;
}

/** Loads the grammar; once per process is enough. */
export async function openShellParser(): Promise<ShellParser> {
  const parse = await openSyntax();
  return {
    classify: (command, place) => {
      const sheet = new Sheet();
      sheet.text = command;
      const judge = new Judge(parse, sheet, place);
      const { shell = "bash" } = place;
      if (!readsAsInBash(command, shell)) sheet.cannotRead(mayDiffer(shell), command);
      const objection = objectionToCharacters(command);
      if (objection) {
        sheet.cannotRead(objection, command);
        judge.readParts(visiblePart(command));
      } else {
        if (place.typed && recallsHistory(command))
          sheet.cannotRead("it recalls earlier lines", command);
        judge.read(command);
      }
      judge.tryHiddenCommands(visiblePart(command));
      judge.judgeCarriedTexts(visiblePart(command));
      return sheet.result();
    },
  };
}
