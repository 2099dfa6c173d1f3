import { shareOf } from "./thorough.ts";

const WIRES = ["chat", "responses"] as const;

/**
 * For behaviour that lies above the model's wires: in `npm run test:all` both of them, with every change the one or the
 * other by the index. What a wire does itself is tested over both in `test/src/agent/model`.
 */
export function shareOfWires(index: number): readonly (typeof WIRES)[number][] {
  return shareOf(WIRES, { index, step: 2 });
}
