import { useState } from "preact/hooks";
import { copyText } from "./clipboard.ts";
import { Scrolling } from "./scrolling.tsx";

const COPIED_MS = 1_500;

export function CodeBlock({
  text,
  language = "",
  label = "Code",
}: {
  readonly text: string;
  readonly language?: string;
  readonly label?: string;
}) {
  return (
    <div class="code-block">
      <Scrolling label={language ? `${label}: ${language}` : label}>
        <code>{text}</code>
      </Scrolling>
      <CopyButton text={text} />
    </div>
  );
}

function CopyButton({ text }: { readonly text: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    if (!(await copyText(text))) return;
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED_MS);
  };
  return (
    <button type="button" class="quiet small copy" onClick={() => void copy()}>
      {isCopied ? "Copied" : "Copy"}
    </button>
  );
}
