const WORDS =
  /^(?:(?:your|my|the|some|an?|user|new|old|test|fake|dummy|example|sample|default)[-_. ]?)*(?:password|passwd|passphrase|pass|pwd|pw|secret|token|key|api[-_]?key|user(?:name)?|login|changeme|change[-_]me|redacted|none|null|undefined|true|false|example|placeholder|string|value|here)[-_]?(?:here|\d{0,3})$/i;
const TEMPLATE = /^[$%{<[(]|\$\{|\{\{|\$\(|\$[A-Z_]{2}|^\*+$|^(.)\1*$|^x{3,}|\.\.\.|…/i;

/** Whether this stands where a secret would stand, in an example or a template, and is none. */
export function isPlaceholder(value: string): boolean {
  return WORDS.test(value) || TEMPLATE.test(value);
}
