/** What can go wrong on the way to Slack and from it. All of it is off until a test switches it on. */
export class SlackFaults {
  /** Every n-th call is refused with 429. 0: none. */
  refuseEvery = 0;
  /** Every answer of the Web API comes so late. */
  answerAfterMs = 0;
  /** Every delivery comes so late. */
  deliverAfterMs = 0;
  /** Every event comes so often. */
  copies = 1;
  /** Files appear in their channel so late, although the answer has come. */
  shareAfterMs = 0;
  /** False: nothing goes in or out. */
  isReachable = true;
  /** Instead of a file's contents comes the page where people log in. */
  showsLogin = false;
  /** Where Slack says that files are, if not at itself. */
  filesAt: string | undefined;
  /** Methods that this workspace does not have, with what Slack says to them. */
  readonly lacks = new Map<string, string>();
  /** Kinds of blocks that this workspace does not have. */
  readonly lacksBlocks = new Set<string>();
  readonly #lost: (readonly string[])[] = [];
  readonly #refused: { readonly method: string | undefined; readonly retryAfterMs: number }[] = [];
  readonly #turnedDown: { readonly method: string; readonly error: string }[] = [];
  readonly #emptied: string[] = [];
  #calls = 0;
  #reordering = 0;

  /** The next call (of one of these methods) is carried out, but its answer never arrives. */
  loseNextAnswer(...methods: string[]): void {
    this.#lost.push(methods);
  }

  /** The next call (of this method) is refused with 429. Slack tells the time in whole seconds. */
  refuseNext(retryAfterMs: number, method?: string): void {
    this.#refused.push({ method, retryAfterMs });
  }

  /** The next call of this method is refused with this word. */
  turnDownNext(method: string, error: string): void {
    this.#turnedDown.push({ method, error });
  }

  /** The next call of this method succeeds, but its answer lacks everything else. */
  emptyNext(method: string): void {
    this.#emptied.push(method);
  }

  /** The next so many deliveries are kept back and then come in the opposite order. */
  reorderNext(deliveries: number): void {
    this.#reordering = deliveries;
  }

  /** How many deliveries are to be turned round, asked once. */
  takeReordering(): number {
    const taken = this.#reordering;
    this.#reordering = 0;
    return taken;
  }

  /** What Slack says to a call that this workspace does not offer. */
  lackOf(method: string, blocks: unknown): string | undefined {
    const text = typeof blocks === "string" ? blocks : JSON.stringify(blocks ?? "");
    const isUnknown = [...this.lacksBlocks].some((type) => text.includes(`"type":"${type}"`));
    const turnedDown = this.#take(this.#turnedDown, (one) => one.method === method)?.value.error;
    return turnedDown ?? this.lacks.get(method) ?? (isUnknown ? "invalid_blocks" : undefined);
  }

  takeEmptiness(method: string): boolean {
    return this.#take(this.#emptied, (one) => one === method) !== undefined;
  }

  takeLoss(method: string): boolean {
    return this.#take(this.#lost, (one) => one.length === 0 || one.includes(method)) !== undefined;
  }

  /** Milliseconds to wait, where this call is to be refused. */
  takeRefusal(method: string): number | undefined {
    this.#calls += 1;
    const refusal = this.#take(this.#refused, (one) => (one.method ?? method) === method);
    if (refusal) return refusal.value.retryAfterMs;
    return this.refuseEvery > 0 && this.#calls % this.refuseEvery === 0 ? 1_000 : undefined;
  }

  #take<Value>(from: Value[], fits: (value: Value) => boolean): { value: Value } | undefined {
    const at = from.findIndex(fits);
    if (at === -1) return undefined;
    return { value: from.splice(at, 1)[0] as Value };
  }
}
