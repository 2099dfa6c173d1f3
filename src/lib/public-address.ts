import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** Public by its number, but the machine that a cloud's guests get their secrets from. */
const METADATA = new Set(["168.63.129.16"]);

const [GLOBAL_UNICAST, GLOBAL_UNICAST_BITS] = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Whether an IP address belongs to the public internet: not this machine, a private network, a link, a carrier's
 * inside, a group, a tunnel that could lead to any of these, nor a cloud's metadata service. False for what is no address.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const ip = ipaddr.process(withoutDots(address)); // IPv4 in the clothes of IPv6 counts as what it is
  if (METADATA.has(ip.toString()) || ip.range() !== "unicast") return false;
  // Ranges that nobody has given out yet count as unicast too, and so do the old ::1.2.3.4 addresses.
  return ip instanceof ipaddr.IPv4 || ip.match(GLOBAL_UNICAST, GLOBAL_UNICAST_BITS);
}

/** The library takes ::1.2.3.4 for ::ffff:1.2.3.4, which is another address. In hexadecimal it cannot. */
function withoutDots(address: string): string {
  if (!address.includes(":")) return address;
  return address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)/, (_whole, ...bytes) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
}
