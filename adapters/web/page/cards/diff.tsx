import { memo } from "preact/compat";
import { Scrolling } from "../parts/scrolling.tsx";

type LineKind = "added" | "removed" | "place" | "file" | "same";

/** A unified diff, line by line. The sign stays in the text: colour alone says nothing to many. */
export const Diff = memo(function Diff({
  diff,
  label,
}: {
  readonly diff: string;
  readonly label: string;
}) {
  const lines = diff.replace(/\n$/, "").split("\n");
  return (
    <Scrolling look="diff" label={label}>
      <code>
        {lines.map((line, index) => (
          <span key={index} class={`line ${kindOf(line)}`}>
            {line === "" ? " " : line}
            {"\n"}
          </span>
        ))}
      </code>
    </Scrolling>
  );
});

function kindOf(line: string): LineKind {
  if (line.startsWith("+++") || line.startsWith("---") || line.startsWith("diff ")) return "file";
  if (line.startsWith("@@")) return "place";
  if (line.startsWith("+")) return "added";
  return line.startsWith("-") ? "removed" : "same";
}

export function diffCount(diff: string): string {
  const kinds = diff.split("\n").map(kindOf);
  const count = (wanted: LineKind) => kinds.filter((kind) => kind === wanted).length;
  return `+${count("added")} −${count("removed")}`;
}
