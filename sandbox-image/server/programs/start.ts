import { startupSnapshot } from "node:v8";

/** The image starts each program from a snapshot of its heap, taken when all its modules had been loaded. */
export function start(main: () => void): void {
  if (startupSnapshot.isBuildingSnapshot()) startupSnapshot.setDeserializeMainFunction(main);
  else main();
}
