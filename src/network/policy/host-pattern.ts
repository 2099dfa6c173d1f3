import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import type { HostPort } from "../../contract/network.ts";
import { normaliseHost } from "../host-name.ts";

/** One entry of a list, read: the hosts, ports and addresses that it stands for. */
export interface HostPattern {
  /** As it was written. */
  readonly entry: string;
  /** The labels of a name, "*" for any one label and "**" in the first place for one or more; or an address. */
  readonly labels: readonly string[];
  /** A range of addresses instead of a name. */
  readonly range?: string;
  readonly ports: { readonly from: number; readonly to: number };
  /** Addresses beyond the public internet that the host may have. */
  readonly privateRange?: string;
}

/** The ports of an entry that names none. */
const WEB_PORTS = [443, 80];
const ANY_PORT = { from: 1, to: 65_535 };

/** An entry that cannot be read. The message is for whoever wrote it. */
export class HostEntryError extends Error {
  override readonly name = "HostEntryError";
}

/**
 * `example.com`, `*.example.com:8443`, `example.com:*`, `[2001:db8::1]:443`, `10.1.0.0/16:5432`, and
 * `git.internal:443=10.1.0.0/16` for a host with private addresses. Throws a HostEntryError.
 */
export function readEntry(entry: string): HostPattern[] {
  if (entry.includes("://")) {
    const host = URL.parse(entry)?.host;
    const instead = host ? ` Write ${host}.` : "";
    throw bad(entry, `is a URL, and a list takes a host.${instead}`);
  }
  const [place = "", behind, ...more] = entry.split("=");
  if (more.length > 0) throw bad(entry, "has more than one =. Write one range behind it.");
  const privateRange = behind === undefined ? {} : { privateRange: readRange(entry, behind) };
  const { host, port } = splitPort(place);
  const ports = portsOf(entry, port);
  const range = host.includes("/") ? readRange(entry, host) : undefined;
  if (range !== undefined) return ports.map((one) => ({ entry, labels: [], range, ports: one }));
  const labels = labelsOf(entry, host);
  return ports.map((one) => ({ entry, labels, ports: one, ...privateRange }));
}

/** Whether an entry stands for a place. The place is as `normaliseHost` spells it. */
export function matches({ labels, range, ports }: HostPattern, { host, port }: HostPort): boolean {
  if (port < ports.from || port > ports.to) return false;
  if (range !== undefined) return isIP(host) !== 0 && isInRange(host, range);
  if (isIP(host) !== 0) return labels.length === 1 && labels[0] === host;
  const given = host.split(".");
  const [first, ...rest] = labels;
  if (first === "**") {
    return given.length > rest.length && endsWith(given, rest);
  }
  return given.length === labels.length && endsWith(given, labels);
}

/** The one way to write an entry: the same host of two people is one entry. */
export function canonical({ labels, range, ports, privateRange }: HostPattern): string {
  const name = range ?? labels.join(".");
  const port = portInWords(ports);
  const shown = name.includes(":") ? name.replace(/^([^/]*)/, "[$1]") : name;
  return `${shown}:${port}${privateRange === undefined ? "" : `=${privateRange}`}`;
}

function portInWords({ from, to }: HostPattern["ports"]): string {
  if (from === ANY_PORT.from && to === ANY_PORT.to) return "*";
  return from === to ? `${from}` : `${from}-${to}`;
}

function endsWith(given: readonly string[], labels: readonly string[]): boolean {
  const end = given.slice(given.length - labels.length);
  return labels.every((label, index) => label === "*" || label === end[index]);
}

function splitPort(entry: string): { host: string; port: string | undefined } {
  const [, host = entry, port] = /^(\[[^\]]*\](?:\/\d+)?|[^:]*)(?::([^:]*))?$/s.exec(entry) ?? [];
  return { host, port };
}

function portsOf(entry: string, port: string | undefined): HostPattern["ports"][] {
  if (port === undefined) return WEB_PORTS.map((one) => ({ from: one, to: one }));
  if (port === "*") return [ANY_PORT];
  const [, low = "", high = low] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(port) ?? [];
  const [from, to] = [Number(low), Number(high)];
  if (low === "" || from < 1 || to > 65_535 || from > to) {
    throw bad(
      entry,
      "has a bad port. Write a number from 1 to 65535, a range such as 8000-8100, or *.",
    );
  }
  return [{ from, to }];
}

function readRange(entry: string, host: string): string {
  const text = host.replace(/^\[(.*)\]/, "$1");
  if (!ipaddr.isValidCIDR(text)) throw bad(entry, "is no range of addresses, such as 10.1.0.0/16.");
  const [address, bits] = ipaddr.parseCIDR(text);
  if (bits === 0) throw bad(entry, "is every address. List the hosts, or a smaller range.");
  return `${address.toString()}/${bits}`;
}

function labelsOf(entry: string, host: string): string[] {
  const labels = host.split(".");
  if (!host.includes("*")) {
    const normal = normaliseHost(host, 443);
    if (normal.kind === "rejected") throw bad(entry, `is no host: ${normal.reason}`);
    return normal.kind === "address" ? [normal.host] : normal.host.split(".");
  }
  if (labels.some((label, index) => label.includes("*") && !isWildcard(label, index))) {
    throw bad(
      entry,
      "has a wildcard inside a label. A * stands for one whole label, such as *.example.com; ** in the first place for one or more.",
    );
  }
  const named = labels.filter((label) => !/^\*+$/.test(label));
  if (named.length < 2) {
    throw bad(
      entry,
      "is too wide. Name at least two labels behind the wildcard, such as *.example.com.",
    );
  }
  const normal = normaliseHost(labels.map((label) => label.replace(/^\*+$/, "x")).join("."), 443);
  if (normal.kind !== "name") throw bad(entry, "is no host name with wildcards.");
  const spelled = normal.host.split(".");
  return labels.map((label, index) => (/^\*+$/.test(label) ? label : (spelled[index] ?? label)));
}

function isWildcard(label: string, index: number): boolean {
  return label === "*" || (label === "**" && index === 0);
}

/** Whether an address lies in a range of its own kind. */
function isInRange(address: string, range: string): boolean {
  const parsed = ipaddr.parse(address);
  const [network, bits] = ipaddr.parseCIDR(range);
  if (parsed instanceof ipaddr.IPv4) {
    return network instanceof ipaddr.IPv4 && parsed.match(network, bits);
  }
  return network instanceof ipaddr.IPv6 && (parsed as ipaddr.IPv6).match(network, bits);
}

/** Whether two ranges share an address. */
export function overlap(one: string, other: string): boolean {
  const first = (range: string) => range.slice(0, range.lastIndexOf("/"));
  return isInRange(first(one), other) || isInRange(first(other), one);
}

function bad(entry: string, problem: string): HostEntryError {
  return new HostEntryError(`${JSON.stringify(entry.slice(0, 100))} ${problem}`);
}
