import type { ITheme } from "@xterm/xterm";

/**
 * The terminal makes style elements and sets style attributes. The page allows only what carries its nonce or goes by
 * the style object, so both are seen to where elements are made. The terminal asks the global document for most of
 * them, whichever one it is given; hence this replaces what that document does.
 */
export function allowTerminalStyles(): void {
  document.createElement = styledElement as Document["createElement"];
}

function styledElement(name: string, options?: ElementCreationOptions): HTMLElement {
  const element = Document.prototype.createElement.call(document, name, options);
  if (name === "style") element.nonce = document.querySelector("script")?.nonce ?? "";
  if (name === "span") {
    element.setAttribute = (attribute, value) => {
      if (attribute === "style") element.style.cssText = value;
      else Element.prototype.setAttribute.call(element, attribute, value);
    };
  }
  return element;
}

/** Always dark, as programs expect it. */
export function terminalTheme(): ITheme {
  return {
    background: "#14191c",
    foreground: "#d9e0dd",
    cursor: "#7fd1bd",
    selectionBackground: "#2f5a52",
    black: "#14191c",
    red: "#f08a83",
    green: "#86c98d",
    yellow: "#dcb968",
    blue: "#86b3ea",
    magenta: "#c79be0",
    cyan: "#77c7c4",
    white: "#d9e0dd",
    brightBlack: "#7f8d8a",
    brightRed: "#ffa59e",
    brightGreen: "#a3e0a9",
    brightYellow: "#f0d18a",
    brightBlue: "#a6c9f5",
    brightMagenta: "#dcb8ee",
    brightCyan: "#98dedb",
    brightWhite: "#ffffff",
  };
}
