import { boundLayout } from "../../../../src/lib/text/bound-layout.ts";

/** JSON of the server, with every text such that it can be laid out without freezing the page. */
export function parseShown(json: string) {
  return JSON.parse(json, (_, value: unknown) =>
    typeof value === "string" ? boundLayout(value) : value,
  );
}
