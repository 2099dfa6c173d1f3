import { expect } from "vitest";
import type { BuildLab } from "./workspace.ts";

/** Two branches that changed the same line, in the middle of their merge. */
export function conflict(lab: BuildLab, name = "side"): void {
  if (name === "side") lab.repository();
  lab.git(["checkout", "-q", "-b", name]);
  lab.write("a.txt", `${name}\n`);
  lab.git(["commit", "-q", "-a", "-m", name]);
  lab.git(["checkout", "-q", "main"]);
  lab.write("a.txt", `main ${name}\n`);
  lab.git(["commit", "-q", "-a", "-m", `main ${name}`]);
  expect(() => lab.git(["merge", "-q", name])).toThrow();
}
