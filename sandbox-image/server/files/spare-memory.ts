/** Enough for any source file; more is not worth keeping. */
const KEPT_BYTES = 16 * 1024 * 1024;
const KEPT_MS = 5_000;

let spare: Buffer | undefined;
let timer: NodeJS.Timeout | undefined;

/**
 * Memory for a large file that is needed for a moment. Reading into memory that was used just now takes a third of the
 * time, because the kernel need not find it page by page; and edits come in rows.
 */
export class BorrowedMemory implements Disposable {
  readonly bytes: Buffer;
  readonly #whole: Buffer;

  constructor(size: number) {
    this.#whole = spare && spare.length >= size ? spare : Buffer.allocUnsafeSlow(size);
    if (this.#whole === spare) spare = undefined;
    this.bytes = this.#whole.subarray(0, size);
  }

  /** Nobody may use the bytes afterwards. */
  [Symbol.dispose](): void {
    if (this.#whole.length > KEPT_BYTES || this.#whole.length < (spare?.length ?? 0)) return;
    spare = this.#whole;
    clearTimeout(timer);
    timer = setTimeout(() => {
      spare = undefined;
    }, KEPT_MS).unref();
  }
}
