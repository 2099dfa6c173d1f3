import type { Presence } from "./actor.ts";
import type { ThreadId } from "./incoming.ts";
import type { ViewForm } from "./view.ts";

/** A click on a button that opens a form. */
export interface FormClick {
  readonly thread: ThreadId;
  readonly action: string;
  /** Looks the person up as they are now; throws when that fails. Only called where their rights matter. */
  readonly presence: () => Promise<Presence>;
}

/** Undefined: the button's own form. */
export type FormOpening = { readonly refusal: string } | { readonly form: ViewForm } | undefined;

/** Decides before a form opens, so that no one types what they may not send. Changes nothing. */
export type OpenForm = (click: FormClick) => Promise<FormOpening>;

export const RIGHTS_UNKNOWN =
  "Your rights could not be checked, so nothing was approved. Click again in a moment.";

/** Platforms wait three seconds for a window. */
const CHECK_MS = 2_500;

/** A check that fails or takes too long refuses. */
export async function openingOf(
  openForm: OpenForm | undefined,
  click: FormClick,
  onFailure: (error: unknown) => void,
): Promise<FormOpening> {
  if (!openForm) return undefined;
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("The check timed out.")), CHECK_MS);
  try {
    return await Promise.race([openForm(click), late]);
  } catch (error) {
    onFailure(error);
    return { refusal: RIGHTS_UNKNOWN };
  } finally {
    clearTimeout(timer);
  }
}
