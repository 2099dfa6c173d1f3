import type { Problems } from "../refusals.ts";

export const TYPE = {
  row: 1,
  button: 2,
  stringSelect: 3,
  textInput: 4,
  section: 9,
  text: 10,
  thumbnail: 11,
  gallery: 12,
  file: 13,
  separator: 14,
  container: 17,
  label: 18,
  fileUpload: 19,
} as const;

export interface ComponentContext {
  readonly problems: Problems;
  readonly isV2: boolean;
  /** Names that `attachment://` may point at. */
  readonly fileNames: ReadonlySet<string>;
  readonly customIds: Set<string>;
  readonly ids: Set<number>;
}
