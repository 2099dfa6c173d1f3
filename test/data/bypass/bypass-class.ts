import type { AskedLevel } from "../../../src/contract/permission/level.ts";

/** One way to hide an effect, in many spellings of our own. None may have a lower level than the effect. */
export interface BypassClass {
  readonly name: string;
  readonly level: AskedLevel;
  readonly spellings: readonly string[];
}

/** Commands that are hidden in templates: `@@` stands for one of them. */
const PAYLOADS: Readonly<Record<AskedLevel, readonly string[]>> = {
  click: ["sudo id"],
  phrase: ["git push -f origin x", "rm -rf /opt/data"],
};

/** The same templates around each payload, with the payload's own level. */
export function around(name: string, templates: readonly string[]): BypassClass[] {
  return (["click", "phrase"] as const).map((level) => ({
    name,
    level,
    spellings: PAYLOADS[level].flatMap((payload) =>
      templates.map((template) => template.replaceAll("@@", payload)),
    ),
  }));
}
