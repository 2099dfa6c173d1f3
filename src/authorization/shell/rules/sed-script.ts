/** What a sed script does besides editing. */
export interface SedEffects {
  readonly writes: readonly string[];
  /** It has the `e` command or the `e` flag: sed then runs text as a command. */
  readonly starts: boolean;
}

/** Reads a sed script command by command; gives nothing when it is not one. */
export function readSedScript(script: string): SedEffects | undefined {
  const reader = new SedReader(script);
  while (!reader.done) if (!reader.command()) return undefined;
  return { writes: reader.writes, starts: reader.starts };
}

class SedReader {
  readonly writes: string[] = [];
  starts = false;
  readonly #script: string;
  #at = 0;

  constructor(script: string) {
    this.#script = script;
    this.#skip(/[\s;]*/y);
  }

  get done(): boolean {
    return this.#at >= this.#script.length;
  }

  command(): boolean {
    if (!this.#addresses()) return false;
    const letter = this.#script[this.#at++] ?? "";
    const fine = this.#body(letter);
    this.#skip(/[\s;]*/y);
    return fine;
  }

  #body(letter: string): boolean {
    if (letter === "s") return this.#substitute();
    if (letter === "y") return this.#delimited() && this.#delimited(this.#script[this.#at - 1]);
    if (/[aic]/.test(letter)) return this.#take(/(?:[^\n\\]|\\[\s\S])*/y) !== undefined;
    if (/[rR]/.test(letter)) return this.#take(/[^\n]*/y) !== undefined;
    if (/[wW]/.test(letter)) {
      this.writes.push((this.#take(/[^\n]*/y) ?? "").trim());
      return true;
    }
    if (letter === "e") {
      this.starts = true;
      return this.#take(/[^\n]*/y) !== undefined;
    }
    if (/[btT:]/.test(letter)) return this.#take(/[^\n;}]*/y) !== undefined;
    if (/[qQlL]/.test(letter)) return this.#take(/ *\d*/y) !== undefined;
    if (letter === "#") return this.#take(/[^\n]*/y) !== undefined;
    return /[{}=dDgGhHnNpPxzF]/.test(letter);
  }

  #substitute(): boolean {
    const delimiter = this.#script[this.#at];
    if (!this.#delimited() || !this.#delimited(delimiter)) return false;
    const flags = this.#take(/[gpimIMe0-9]*/y) ?? "";
    if (flags.includes("e")) this.starts = true;
    if (this.#script[this.#at] !== "w") return /^(?:[\s;}#]|$)/.test(this.#script.slice(this.#at));
    this.#at++;
    this.writes.push((this.#take(/[^\n]*/y) ?? "").trim());
    return true;
  }

  /** One text up to its delimiter. The first call also takes the delimiter before it. */
  #delimited(known?: string): boolean {
    const delimiter = known ?? this.#script[this.#at++];
    if (delimiter === undefined || delimiter === "\n" || delimiter === "\\") return false;
    for (; this.#at < this.#script.length; this.#at++) {
      const character = this.#script[this.#at];
      if (character === "\\") this.#at++;
      else if (character === delimiter) {
        this.#at++;
        return true;
      } else if (character === "[" && !known) this.#brackets();
    }
    return false;
  }

  /** Goes to the end of `[…]`, in which a delimiter is an ordinary character. */
  #brackets(): void {
    const found = this.#take(/\[\^?\]?(?:\[([:.=]).*?\1\]|[^\]\n])*\]/y);
    if (found) this.#at--;
  }

  #addresses(): boolean {
    for (let count = 0; count < 2; count++) {
      if (!this.#address()) return false;
      this.#skip(/\s*/y);
      if (this.#script[this.#at] !== ",") break;
      this.#at++;
      this.#skip(/\s*/y);
    }
    this.#skip(/[\s!]*/y);
    return true;
  }

  #address(): boolean {
    const character = this.#script[this.#at];
    if (character === "/") return this.#delimited() && this.#skip(/[IM]*/y);
    if (character === "\\") {
      this.#at++;
      return this.#delimited() && this.#skip(/[IM]*/y);
    }
    return this.#skip(/(?:\d+(?:~\d+)?|\$|[+~]\d+)?/y);
  }

  #skip(pattern: RegExp): true {
    this.#take(pattern);
    return true;
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const taken = pattern.exec(this.#script)?.[0];
    this.#at += taken?.length ?? 0;
    return taken;
  }
}
