import type { PostId } from "../../../src/contract/platform/adapter.ts";
import { BoundedMap } from "../../../src/lib/bounded.ts";
import type { Attempt } from "../../shared/attempts.ts";
import { NONCE_CHARS } from "../connection/calls.ts";

const MOST_KNOWN = 5_000;

/** Stands for the attempt in the message itself, where it is found again however late. */
export function markOf({ digest }: Pick<Attempt, "digest">): number {
  // Small numbers are those that Discord itself gives to components.
  return 1_000 + (Buffer.from(digest, "base64url").readUInt32BE(0) % 2_147_000_000);
}

/** Discord posts the same nonce once within some minutes, and remembers the nonce of what was deleted. */
export function nonceOf({ digest, deletions }: Attempt): string {
  const end = deletions === 0 ? "" : `.${deletions}`;
  return `${digest.slice(0, NONCE_CHARS - end.length)}${end}`;
}

/** The marks of posts, which every edit must leave in them. */
export class Marks {
  readonly #byPost = new BoundedMap<PostId, number>(MOST_KNOWN);

  posted(attempt: Attempt, post: PostId): void {
    attempt.post = post;
    attempt.isInDoubt = false;
    this.#byPost.set(post, markOf(attempt));
  }

  /** Undefined where it was posted too long ago to be asked for again. */
  of(post: PostId): number | undefined {
    return this.#byPost.get(post);
  }
}
