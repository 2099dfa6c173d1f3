import type { View } from "../../../src/contract/platform/view.ts";
import { isRefusal } from "../connection/calls.ts";
import { type Rendered, render } from "../format.ts";
import type { Anchor } from "../rendering/buttons.ts";

/** Whether a workspace takes plans. Where it refuses one and takes the same as a list, it is not asked again. */
export class Plans {
  #areTaken = true;

  render(anchor: Anchor, view: View): Rendered {
    return render(view, { ...anchor, hasPlans: this.#areTaken });
  }

  async show<Value>(
    anchor: Anchor,
    view: View,
    send: (shown: Rendered) => Promise<Value>,
  ): Promise<Value> {
    const shown = this.render(anchor, view);
    try {
      return await send(shown);
    } catch (error) {
      const isPlan = shown.blocks.some(({ type }) => type === "plan");
      if (!isPlan || !isRefusal(error, "invalid_blocks", "unsupported_block_type")) throw error;
      const value = await send(render(view, { ...anchor, hasPlans: false }));
      this.#areTaken = false;
      return value;
    }
  }
}
