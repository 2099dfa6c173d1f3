import { isIPv4 } from "node:net";
import ipaddr from "ipaddr.js";
import type { HostPort } from "../contract/network.ts";

type NormalHost =
  | (HostPort & { readonly kind: "name" | "address" })
  /** The reason is a sentence for people. */
  | { readonly kind: "rejected"; readonly reason: string };

const LONGEST_NAME = 253;
const LONGEST_LABEL = 63;
/** Longer spellings of a name that is short enough do not exist, apart from attempts to confuse. */
const LONGEST_TEXT = 1024;

/** Those that end the host of a URL, or that URL parsers decode or drop: none belongs to a host. */
const NEVER_IN_A_HOST = /[\p{Cc}\p{Cf}\p{Z}%/\\?#@:<>[\]^|"'`{}*,;!$&()+=~]/u;
const LABEL = /^[a-z0-9_-]+$/;

/**
 * The one spelling of a host: what it returns is a fixed point, so that policy, guard and connector see the same host.
 * Case, one trailing dot, IDN, and decimal, octal, hexadecimal and short IPv4 addresses are normalised; an IPv4-mapped
 * IPv6 address becomes IPv4. Anything ambiguous is rejected.
 */
export function normaliseHost(text: string, port: number): NormalHost {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    return rejected(`${String(port).slice(0, 20)} is not a port. Use a number from 1 to 65535.`);
  }
  if (text === "") return rejected("The host name is missing.");
  if (text.length > LONGEST_TEXT) return rejected("The host name is too long.");
  const bare = /^\[.*\]$/.test(text) ? text.slice(1, -1) : text;
  if (bare.includes(":")) return normaliseIPv6(bare, port);
  if (bare !== text) return rejected(`${shown(text)} is not an IPv6 address.`);
  return normaliseName(text, port);
}

/** Splits "host:port", as CONNECT and an address bar have it. A missing port is the one given here, if any. */
export function parseAuthority(authority: string, defaultPort?: number): NormalHost {
  if (authority.includes("@")) return rejected("A host with a user name or password is refused.");
  const parts = /^(\[[^\]]*\]|[^:[\]]*)(?::([0-9]{1,5}))?$/s.exec(authority);
  const port = parts?.[2] === undefined ? defaultPort : Number(parts[2]);
  if (!parts || port === undefined) {
    return rejected(`${shown(authority)} is not a host and a port, such as example.com:443.`);
  }
  return normaliseHost(parts[1] ?? "", port);
}

/** As it stands in a URL: an IPv6 address in brackets. */
export function authorityOf({ host, port }: HostPort): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

function normaliseIPv6(text: string, port: number): NormalHost {
  // The URL parser knows all forms and no zones; the library alone would take ::1.2.3.4 for ::ffff:1.2.3.4.
  const parsed = /^[0-9a-fA-F:.]+$/.test(text) ? URL.parse(`http://[${text}]/`) : undefined;
  if (!parsed) return rejected(`${shown(text)} is not an IPv6 address.`);
  const address = ipaddr.IPv6.parse(parsed.hostname.slice(1, -1));
  const host = address.isIPv4MappedAddress()
    ? address.toIPv4Address().toString()
    : parsed.hostname.slice(1, -1);
  return { kind: "address", host, port };
}

function normaliseName(text: string, port: number): NormalHost {
  if (NEVER_IN_A_HOST.test(text) || !text.isWellFormed()) {
    return rejected(`${shown(text)} has characters that no host name has.`);
  }
  // Does UTS 46 and every spelling of IPv4; what ends in a number and is no address is invalid to it.
  const parsed = URL.parse(`http://${text}/`)?.hostname;
  if (parsed === undefined || parsed === "") return rejected(`${shown(text)} is not a host name.`);
  const host = parsed.endsWith(".") ? parsed.slice(0, -1) : parsed;
  if (isIPv4(host)) return { kind: "address", host, port };
  const labels = host.split(".");
  const isName =
    host.length <= LONGEST_NAME &&
    labels.every((label) => LABEL.test(label) && label.length <= LONGEST_LABEL);
  if (!isName) return rejected(`${shown(text)} is not a host name.`);
  return { kind: "name", host, port };
}

function rejected(reason: string): NormalHost {
  return { kind: "rejected", reason };
}

/** Printable ASCII, so that the message itself cannot confuse. */
function shown(text: string): string {
  return JSON.stringify(text.slice(0, 80)).replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
