import { z } from "zod";
import { parseAllowedHost } from "./allow-list.ts";

const MIB = 1024 ** 2;

const amount = z.coerce.number().int().min(1);

/** Settings of the network of workspaces, as an operator sets them. */
export const NETWORK_ENV = {
  NETWORK_ALLOW: z
    .string()
    .default("")
    .transform((text, context) =>
      text.split(/[\s,]+/).flatMap((entry) => {
        if (entry === "") return [];
        const host = parseAllowedHost(entry);
        if (host) return [host];
        const message =
          `"${entry}" is not a host. Use \`example.com\`, \`example.com:8443\`, or ` +
          "`git.internal:443=10.1.0.0/16` for one in a private network";
        context.addIssue({ code: "custom", message });
        return [];
      }),
    )
    .describe(
      "hosts that workspaces may connect to, separated by commas: `example.com` (ports 443 and 80), `example.com:8443`, " +
        "`git.internal:443=10.1.0.0/16` for a host with private addresses; by default none",
    ),
  NETWORK_RATE_MB: amount
    .default(20)
    .describe("network rate limit per workspace, in MB per second, both directions together"),
  NETWORK_THREAD_MB: amount
    .default(10_240)
    .describe("bytes that a workspace may send and receive before it is reset, in MB"),
  NETWORK_CONNECTIONS: amount
    .default(256)
    .describe("network connections that a workspace may have open at the same time"),
};

type NetworkEnv = z.infer<z.ZodObject<typeof NETWORK_ENV>>;

export type NetworkSettings = ReturnType<typeof networkSettings>;

export function networkSettings(values: NetworkEnv) {
  return {
    allow: values.NETWORK_ALLOW,
    limits: {
      bytesPerSecond: values.NETWORK_RATE_MB * MIB,
      bytes: values.NETWORK_THREAD_MB * MIB,
      connections: values.NETWORK_CONNECTIONS,
    },
  };
}
