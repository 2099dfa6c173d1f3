import { randomBytes } from "node:crypto";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** The page's program and looks by their names, made from the sources when the server starts. */
export type Page = ReadonlyMap<string, { readonly type: string; readonly text: string }>;

export async function buildPage(): Promise<Page> {
  const { outputFiles } = await build({
    entryPoints: { page: fileURLToPath(new URL("page/main.tsx", import.meta.url)) },
    bundle: true,
    splitting: true, // the terminal is half of it all, and comes when somebody opens one
    minify: true,
    write: false,
    outdir: "/",
    format: "esm",
    target: ["es2022", "chrome123", "firefox120", "safari17.5"],
    jsx: "automatic",
    jsxImportSource: "preact",
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "silent",
  });
  return new Map(
    outputFiles.map(({ path, text }) => {
      const type = path.endsWith(".css") ? "text/css" : "text/javascript";
      return [basename(path), { type, text }];
    }),
  );
}

const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'%3E%3Crect width='32' height='32' rx='8' fill='%230f6b5c'/%3E%3Cpath d='M16 7v18M9 17c0 5 3 8 7 8s7-3 7-8M12 12h8' stroke='white' stroke-width='2.5' fill='none' stroke-linecap='round'/%3E%3C/svg%3E";

/** Nothing in it comes from anybody: no name, no text, no token. */
export function html(nonce: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content">
<meta name="color-scheme" content="light dark">
<title>Deckhand</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="/page/page.css">
<script type="module" src="/page/page.js" nonce="${nonce}"></script>
</head>
<body><div id="page"></div><noscript>Deckhand's web chat needs JavaScript.</noscript></body>
</html>
`;
}

export function newNonce(): string {
  return randomBytes(16).toString("base64");
}

/** Only our own two files run and style; the terminal's style elements carry the nonce. */
export function contentSecurityPolicy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' blob: data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}
