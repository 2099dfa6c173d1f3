import type { ViewName } from "./views.ts";

/**
 * How a secret may be written, for one way of looking at a text. What a view undoes by itself (wrapping,
 * colours, upper and lower case of hexadecimal digits, URL-safe base64 …) needs no entry here.
 */
export function encodingsOf(secret: string, view: ViewName): string[] {
  if (view === "raw" || view === "visible") return [...new Set(written(secret))];
  const [utf8, utf16] = [Buffer.from(secret, "utf8"), Buffer.from(secret, "utf16le")];
  // As it is, what looks like an escape in it is undone; with all of it escaped, nothing is.
  if (view === "unescaped") return [secret, reversed(secret), percentEncoded(utf8)];
  if (view === "base64") return [...base64(utf8), ...base64(utf16)];
  return [utf8.toString("hex"), utf16.toString("hex"), Buffer.from(utf16).swap16().toString("hex")];
}

function written(secret: string): string[] {
  return [
    secret,
    reversed(secret),
    JSON.stringify(secret).slice(1, -1),
    JSON.stringify(JSON.stringify(secret)).slice(3, -3),
    encodeURIComponent(secret.toWellFormed()),
    encodeURI(secret.toWellFormed()),
    new URLSearchParams({ secret }).toString().slice("secret=".length),
    secret
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;")
      .replaceAll("'", "&#39;"),
    secret.replaceAll("'", `'\\''`),
    secret.replaceAll(/["\\$`]/g, "\\$&"),
    secret.replaceAll(/[^\w@%+=:,./-]/g, "\\$&"),
  ];
}

function percentEncoded(bytes: Buffer): string {
  return bytes.toString("hex").replaceAll(/../g, "%$&");
}

function reversed(secret: string): string {
  return Array.from(secret).reverse().join("");
}

/**
 * A secret in the middle of something longer begins at one of three places within base64's groups of three
 * bytes. Only the characters that the secret alone decides are looked for.
 */
function base64(bytes: Buffer): string[] {
  return [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    const first = Math.ceil((offset * 8) / 6);
    const last = Math.floor(((offset + bytes.length) * 8) / 6);
    return text.slice(first, last);
  });
}
