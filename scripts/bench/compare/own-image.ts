import { EngineApi } from "../../lib/engine-api.mjs";
import { completeContext, imageInputs } from "../../lib/image-inputs.mjs";
import { IMAGE } from "../../lib/project.mjs";
import { prepareBase } from "../../setup.d/base.mjs";
import { build, staleImage } from "../../setup.d/image.mjs";
import { docker } from "../lab.ts";

/** The sandbox image of this tree as it is now. */
export interface OwnImage extends AsyncDisposable {
  readonly tag: string;
}

/** The shared image where it is current; otherwise one of its own, so that no other process gets another image. */
export async function openOwnImage(): Promise<OwnImage> {
  const engine = new EngineApi(process.env);
  const inputs = await imageInputs();
  try {
    if (!(await staleImage(engine, inputs.hash))) {
      return { tag: IMAGE, [Symbol.asyncDispose]: async () => {} };
    }
    const tag = `deckhand-bench-${inputs.hash.slice(0, 12)}`;
    await completeContext(inputs);
    const base = await prepareBase(engine);
    await build(engine, inputs.directory, { tag, base, hash: inputs.hash });
    const remove = async () => void (await docker("image", "rm", "--force", tag));
    return { tag, [Symbol.asyncDispose]: remove };
  } finally {
    inputs.dispose();
  }
}
