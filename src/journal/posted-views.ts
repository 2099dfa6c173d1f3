import type { LineData } from "./lines.ts";
import { addBy, type Projection } from "./projection.ts";

/** What is known of one part of a slot. */
type Posted = LineData<"view.posted">;

/** By slot and part, in the order in which they were posted last. */
type PostedViews = Map<string, Posted>;

/** Which messages show what. */
export const postedViews: Projection<PostedViews> = {
  initial: () => new Map(),
  add: addBy<PostedViews>(
    { "view.posted": keepLast, "view.removed": keepLast },
    { needs: ["view"] },
  ),
};

/** The last line of a part counts. */
function keepLast(views: PostedViews, posted: Posted): void {
  const key = JSON.stringify([posted.slot, posted.part]);
  views.delete(key);
  views.set(key, posted);
}
