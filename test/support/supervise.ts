import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const IMAGE = join(import.meta.dirname, "../../sandbox-image");
const SOURCES = ["supervise.c", "confine.c", "confine.h"].map((name) => join(IMAGE, name));

let compiled: string | undefined;

/** The image's program, compiled for this machine once for each state of its sources. */
export function superviseProgram(): string {
  compiled ??= compile();
  return compiled;
}

function compile(): string {
  const hash = createHash("sha256");
  for (const path of SOURCES) hash.update(readFileSync(path));
  const directory = join(tmpdir(), `deckhand-supervise-${process.getuid?.()}`);
  const program = join(directory, hash.digest("hex"));
  if (existsSync(program)) return program;
  mkdirSync(directory, { recursive: true, mode: 0o755 });
  const aside = `${program}.${process.pid}`;
  execFileSync("cc", ["-O1", "-o", aside, ...SOURCES.filter((path) => path.endsWith(".c"))]);
  renameSync(aside, program);
  return program;
}
