import type { Workspace } from "../../src/contract/workspace/workspace.ts";
import { command } from "./lab.ts";

/** Sources of this many lines, a hundred to a directory, one in a hundred with the word in it. */
export interface Tree {
  readonly files: number;
  readonly linesPerFile: number;
  readonly word: string;
}

/** Fills the workspace with files as a project has them. */
export async function plantTree(workspace: Workspace, tree: Tree): Promise<void> {
  const { files, linesPerFile, word } = tree;
  await command(
    workspace,
    `python3 - <<'END'
import os
line = "  const value_%d = await compute(argument_%d, { option: %d });\\n"
for n in range(${files}):
    directory = "project/part-%d" % (n // 100)
    os.makedirs(directory, exist_ok=True)
    with open(directory + "/source-%d.ts" % n, "w") as file:
        file.writelines(line % (n, i, n * i) for i in range(${linesPerFile}))
        if n % 100 == 7: file.write("// ${word} %d\\n" % n)
END
sync`,
  );
}
