import { rules } from "@secretlint/secretlint-rule-preset-recommend";
import type { Finding, Rule } from "./finding.ts";

type LintRule = (typeof rules)[number];
type RuleContext = Parameters<LintRule["create"]>[0];
type Source = Parameters<NonNullable<ReturnType<LintRule["create"]>["file"]>>[0];
type Reported = Parameters<RuleContext["report"]>[0];

/**
 * secretlint's recommended rules, called one by one and without its core: the core answers later, and a
 * redaction that has to be waited for is one that gets forgotten; and it obeys comments that switch rules
 * off, which is right for a linter and wrong here, because whoever writes the text would decide.
 */
const RULES = rules.filter(({ meta }) => !meta.id.endsWith("-filter-comments"));

/** Some rules look at certain files only. A text without a name is any file to them, except for this one. */
const FILE_NAMES = [undefined, ".npmrc"];

/** The rules one by one, so that each can be left out where its signs are not there. */
export function secretlintRules(): Rule[] {
  return RULES.map((rule) => {
    const signs = SIGNS[rule.meta.id.replace(/^.*-rule-/, "")];
    return { ...(signs ? { signs } : {}), find: finderOf(rule) };
  });
}

function finderOf(rule: LintRule): Rule["find"] {
  let reports: Reported[] = [];
  const { file } = rule.create(
    contextFor(rule, (reported) => reports.push(reported)),
    {},
  );
  const names = rule.meta.id.endsWith("-npm") ? FILE_NAMES : [undefined];
  return (text) => {
    reports = [];
    // What a rule for text does is done when it returns; only binary files are looked at later.
    for (const name of names) void file?.(sourceOf(text, name));
    return reports.map((reported) => located(text, rule, reported));
  };
}

/** A rule that is not named here, such as a new one, looks through every text. */
const SIGNS: Readonly<Record<string, readonly string[]>> = {
  aws: ["a3t", "kia", "agp", "aid", "roa", "aip", "anp", "anv", "sia", "ske", "s_k"],
  gcp: ["-be"],
  privatekey: ["-be"],
  npm: ["_au", "pm_", "x-o"],
  basicauth: ["://"],
  slack: ["xox", "xap", "ks."],
  sendgrid: ["sg."],
  shopify: ["shp"],
  stripe: ["sk_", "rk_"],
  github: ["hp_", "ho_", "hu_", "hs_", "hr_", "b_p"],
  gitlab: ["glp"],
  grafana: ["glc", "gls"],
  openai: ["sk-"],
  anthropic: ["sk-"],
  groq: ["gsk"],
  huggingface: ["hf_"],
  linear: ["_ap"],
  notion: ["ntn"],
  "1password": ["ps_"],
  "database-connection-string": ["odb", "ysq", "tgr"],
  "hashicorp-vault": ["hvs", "hvb", "hvr"],
  vercel: ["vcp", "vci", "vca", "vcr", "vck"],
  databricks: ["dap"],
  docker: ["ckr"],
  figma: ["igd"],
  cloudflare: ["cfk", "cfu", "cfa"],
  tailscale: ["tsk"],
};

/** What the masks of these rules can say. */
export function secretlintLabels(): string[] {
  return RULES.flatMap((rule) => Object.keys(rule.messages).map((id) => labelOf(rule, id)));
}

/** "found GitHub Token(classic): ghp_…" is a sentence of the rule's; its beginning names the kind. */
function labelOf(rule: LintRule, messageId: string): string {
  const message = rule.messages[messageId]?.en;
  const sentence = typeof message === "function" ? message({}) : (message ?? "secret");
  const name =
    sentence
      .replace(/^found /, "")
      .split(/[:([\]]/)[0]
      ?.trim() || "secret";
  return `looks like ${/^[aeiou]|^npm/i.test(name) ? "an" : "a"} ${name}`;
}

/**
 * Rules that match `name = value` report the place of the name with the length of the value. The value
 * itself stands in the message's data: it is looked for from there on.
 */
function located(text: string, rule: LintRule, { message, range }: Reported): Finding {
  const label = labelOf(rule, message.messageId);
  const [start, end] = range;
  const reported = text.slice(start, end);
  const values = Object.values(message.data ?? {}).filter((one) => typeof one === "string");
  const value = values.toSorted((one, other) => other.length - one.length)[0];
  if (!value || reported.includes(value)) return { start, end, label };
  const at = text.indexOf(value, start);
  return at < 0 ? { start, end, label } : { start: at, end: at + value.length, label };
}

function contextFor(rule: LintRule, report: RuleContext["report"]): RuleContext {
  return {
    sharedOptions: {},
    createTranslator: (() => (messageId: string, data?: object) => ({
      message: rule.meta.id,
      messageId,
      data,
    })) as RuleContext["createTranslator"],
    report,
    ignore: () => {},
  };
}

function sourceOf(content: string, filePath: string | undefined): Source {
  const nowhere = { line: 1, column: 0 };
  return {
    content,
    filePath,
    physicalFilePath: undefined,
    contentType: "text",
    ext: "",
    hasBOM: false,
    getFilePath: () => filePath,
    getPhysicalFilePath: () => undefined,
    locationToRange: () => [0, 0],
    rangeToLocation: () => ({ start: nowhere, end: nowhere }),
    positionToIndex: () => 0,
    indexToPosition: () => nowhere,
  } as Source;
}
