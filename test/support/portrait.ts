import { docker } from "./engine.ts";

/** One line for what each thing is and one for each file's bytes, seen by root from outside of the server. */
const LOOK = `cd /workspace
find . -printf '%P %y %m %U:%G %l\\n' | LC_ALL=C sort
find . -type f -print0 | LC_ALL=C sort -z | xargs -0 -r sha256sum`;

/** All files of a workspace, byte for byte. */
export function portraitOf(container: string): Promise<string> {
  return docker("exec", "--user", "0", container, "sh", "-c", LOOK);
}
