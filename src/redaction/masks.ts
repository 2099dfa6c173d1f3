import type { Finding } from "./finding.ts";

export function maskOf(label: string): string {
  return `[redacted: ${label}]`;
}

/** One that needs no more room than what it hides, for where everything else has to be seen, too. */
export function briefMaskOf(label: string, room: number): string {
  return [maskOf(label), "[secret]"].find(({ length }) => length <= room) ?? "*".repeat(room);
}

export function masked(
  text: string,
  findings: readonly Finding[],
  mask: (label: string, room: number) => string = maskOf,
): string {
  if (findings.length === 0) return text;
  let result = "";
  let at = 0;
  for (const { start, end, label } of findings) {
    result += text.slice(at, start) + mask(label, end - start);
    at = end;
  }
  return result + text.slice(at);
}

/** A name in a mask must not end the mask. */
export function labelFor(name: string): string {
  return name.replaceAll(/[[\]\n\r]/g, "_");
}

/** Only masks that we could have made: something else in such brackets is looked at like all text. */
export function maskPattern(labels: readonly string[]): RegExp {
  const names = [...new Set(labels)].map((label) => RegExp.escape(label));
  return new RegExp(`\\[redacted: (?:${names.join("|")})\\]`, "g");
}

/**
 * What of a finding cannot do anything. Whoever asks for a permission may dress up a command as a secret, to have it
 * masked (an address with `;reboot;` for a password): a value that is only known by its look is masked where it is one
 * plain word, and otherwise only what is too long and mixed to be a word of a command. A value that is known nobody
 * can make up.
 */
export function inertParts(text: string, finding: Finding): Finding[] {
  const found = text.slice(finding.start, finding.end);
  if (finding.isKnown || /^[\w.~+/=@:%,-]*$/.test(found)) return [finding];
  return Array.from(found.matchAll(/[\w+=~-]{12,}/g))
    .filter(([word]) => /\d/.test(word) && /[a-z]/i.test(word))
    .map(({ 0: word, index }) => ({
      start: finding.start + index,
      end: finding.start + index + word.length,
      label: finding.label,
    }));
}
