import { z } from "zod";
import type { Problem } from "./problem-matchers.ts";

const EslintReport = z.array(
  z.object({
    filePath: z.string(),
    messages: z.array(
      z.object({
        line: z.number().optional(),
        column: z.number().optional(),
        severity: z.number(),
        message: z.string(),
        ruleId: z.string().nullish(),
      }),
    ),
  }),
);

/** eslint's `--format json`; undefined when it is no such report. */
export function eslintProblems(output: string): Problem[] | undefined {
  const report = EslintReport.safeParse(jsonIn(output));
  return report.data?.flatMap(({ filePath, messages }) =>
    messages.map((one) => ({
      file: filePath,
      line: one.line ?? 1,
      column: one.column ?? 1,
      severity: one.severity >= 2 ? ("error" as const) : ("warning" as const),
      message: one.message,
      ...(one.ruleId ? { code: one.ruleId } : {}),
    })),
  );
}

const RuffReport = z.array(
  z.object({
    filename: z.string(),
    location: z.object({ row: z.int(), column: z.int() }),
    message: z.string(),
    code: z.string().nullish(),
  }),
);

/** ruff's `--output-format json`; undefined when it is no such report. */
export function ruffProblems(output: string): Problem[] | undefined {
  const report = RuffReport.safeParse(jsonIn(output));
  return report.data?.map(({ filename, location, message, code }) => ({
    file: filename,
    line: location.row,
    column: location.column,
    severity: "error" as const,
    message,
    ...(code ? { code } : {}),
  }));
}

function jsonIn(output: string): unknown {
  try {
    return JSON.parse(output.slice(Math.max(0, output.indexOf("["))));
  } catch {
    // The checker broke and said so in words.
    return undefined;
  }
}
