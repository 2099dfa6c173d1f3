import { z } from "zod";

/** The shells that a thread's terminals can use; bash is the default. */
export const Shell = z.enum(["bash", "zsh", "fish"]);
export type Shell = z.infer<typeof Shell>;
