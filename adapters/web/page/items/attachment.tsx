import { useEffect, useState } from "preact/hooks";
import type { Attachment, ThreadId } from "../../../../src/contract/platform/incoming.ts";
import { Icon } from "../parts/icon.tsx";
import type { Actions } from "../state/actions.ts";
import { bytes } from "../words.ts";

const SHOWN_IMAGES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

export function AttachmentShown({
  actions,
  thread,
  file,
}: {
  readonly actions: Actions;
  readonly thread: ThreadId;
  readonly file: Attachment;
}) {
  const load = () => actions.attempt(() => actions.api.sharedFile(thread, file.id));
  const save = async () => {
    const blob = await load();
    if (blob) saveAs(blob, file.name);
  };
  return (
    <figure class="attachment">
      {SHOWN_IMAGES.has(file.mimeType) && <Preview load={load} file={file} />}
      <figcaption>
        <button type="button" class="file" onClick={() => void save()}>
          <Icon name="file" />
          <span class="ellipsis">{file.name}</span>
          <span class="faint">{bytes(file.bytes)}</span>
          <Icon name="download" />
          <span class="hidden">Download</span>
        </button>
      </figcaption>
    </figure>
  );
}

/** Only kinds of images that cannot hold a program, and typed by us: the browser must not guess. */
function Preview({
  load,
  file,
}: {
  readonly load: () => Promise<Blob | undefined>;
  readonly file: Attachment;
}) {
  const [url, setUrl] = useState("");
  useEffect(() => {
    let made = "";
    void load().then((blob) => {
      if (!blob) return;
      made = URL.createObjectURL(new Blob([blob], { type: file.mimeType }));
      setUrl(made);
    });
    return () => URL.revokeObjectURL(made);
  }, [file.id]);
  return url ? <img src={url} alt={file.name} /> : null;
}

export function saveAs(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const anchor = document.createElement("a");
  anchor.href = url;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
