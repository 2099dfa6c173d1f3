import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createRedactor } from "../../src/redaction/redactor.ts";
import { interleaved, median, rounded, timed } from "./figures.ts";

const ROOT = join(import.meta.dirname, "../..");
const CHARS = 4_000_000;
/** As terminals and tools hand it on. */
const PIECE_CHARS = 65_536;
const ROUNDS = 7;
/** SAFETY P-X2, for the output of builds. */
const LEAST_MEGABYTES = 20;

/** Output of builds, code and coloured output without their secrets, in units of one plain look for three words in it. */
export async function benchRedact() {
  const redactor = createRedactor({ secrets: secrets() });
  const log = buildLog();
  const texts = { log, code: sourceCode(), colours: log.replaceAll("npm", "\x1b[32mnpm\x1b[0m") };
  let salt = 0;
  /** Never the same text twice: that would only be remembered. */
  const overAll = (text: string, look: (piece: string) => unknown) => async () => {
    salt += 1;
    for (let at = 0; at < text.length; at += PIECE_CHARS)
      look(`${salt} ${text.slice(at, at + PIECE_CHARS)}`);
  };
  const measure = (text: string, look: (piece: string) => unknown) => () =>
    timed(overAll(text, look));
  const measured = await interleaved(ROUNDS, {
    plain: measure(texts.log, (piece) => /password|secret|token/i.test(piece)),
    log: measure(texts.log, redactor.redact),
    code: measure(texts.code, redactor.redact),
    colours: measure(texts.colours, redactor.redact),
  });
  const megabytes = (name: keyof typeof texts) =>
    rounded(texts[name].length / 1000 / median(measured[name]));
  return {
    ratio: rounded(median(measured.log) / median(measured.plain)),
    megabytesPerSecond: megabytes("log"),
    codeMegabytesPerSecond: megabytes("code"),
    coloursMegabytesPerSecond: megabytes("colours"),
    ok: megabytes("log") >= LEAST_MEGABYTES,
  };
}

function secrets(): Record<string, string> {
  const random = (index: number) => createHash("sha256").update(`secret ${index}`).digest("hex");
  return Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [`SECRET_${index}`, `xoxb-${random(index)}`]),
  );
}

function buildLog(): string {
  let text = "";
  for (let index = 0; text.length < CHARS; index += 1) {
    const digest = createHash("sha1").update(String(index)).digest("hex");
    text +=
      `2026-01-0${(index % 9) + 1}T12:00:0${index % 10}.123Z npm warn deprecated inflight@1.0.${index}: not supported (${digest})\n` +
      ` ✓ test/src/part-${index}.test.ts (${index % 50} tests) ${index % 999} ms, see https://host.example/build/${index}\n`;
  }
  return text.slice(0, CHARS);
}

const isThere = (file: string) => existsSync(join(ROOT, file));

function sourceCode(): string {
  const listed = execFileSync("git", ["ls-files", "src", "adapters"], { cwd: ROOT }).toString();
  const files = listed
    .trim()
    .split("\n")
    .filter(isThere)
    .map((file) => readFileSync(join(ROOT, file), "utf8"));
  return files.join("\n").slice(0, CHARS);
}
