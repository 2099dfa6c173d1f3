import { z } from "zod";
import { HostListText } from "./policy/host-list.ts";

const MIB = 1024 ** 2;

const amount = z.coerce.number().int().min(1);

/** Settings of the network of workspaces, as an operator sets them. */
export const NETWORK_ENV = {
  NETWORK_ALLOW: HostListText.describe(
    "hosts and presets that every workspace may connect to, separated by commas, such as `npm, *.example.com:443`: " +
      "[network](network.md); by default none",
  ),
  NETWORK_DENY: HostListText.describe(
    "hosts that no workspace may connect to, whatever else allows them: [network](network.md)",
  ),
  NETWORK_ASK: z
    .stringbool()
    .default(true)
    .describe("ask people about hosts that no list names; `false` refuses them without a card"),
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
    rules: { allow: values.NETWORK_ALLOW, deny: values.NETWORK_DENY },
    asks: values.NETWORK_ASK,
    limits: {
      bytesPerSecond: values.NETWORK_RATE_MB * MIB,
      bytes: values.NETWORK_THREAD_MB * MIB,
      connections: values.NETWORK_CONNECTIONS,
    },
  };
}
