// Run by the tests as a process of its own: child.ts create|restore ROOT STORE ID STEP. Kills itself before the given
// change; 0 never does.
import { Checkpoints } from "../../../sandbox-image/server/checkpoints/checkpoints.ts";

const [verb, root = "", store = "", id = "", step = "0"] = process.argv.slice(2);
let steps = 0;
const onStep = () => {
  steps += 1;
  if (steps === Number(step)) process.kill(process.pid, "SIGKILL");
};
const checkpoints = new Checkpoints({ root, store, onStep });
if (verb === "create") await checkpoints.create();
else await checkpoints.restore(id);
process.stdout.write(`${steps}\n`);
