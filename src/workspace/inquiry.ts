/** How often a question is sent at most: a server that refuses every line must not keep us busy for ever. */
const ASK_LIMIT = 10;

/** One question that may be sent several times; the first answer to any of them counts. */
export class Inquiry<T> {
  readonly #send: () => Promise<T>;
  readonly #settled = Promise.withResolvers<T>();
  #asked = 0;

  constructor(send: () => Promise<T>) {
    this.#send = send;
  }

  answer(): Promise<T> {
    this.askAgain();
    return this.#settled.promise;
  }

  askAgain(): void {
    if (this.#asked >= ASK_LIMIT) return;
    this.#asked += 1;
    this.#send().then(this.#settled.resolve, this.#settled.reject);
  }
}
