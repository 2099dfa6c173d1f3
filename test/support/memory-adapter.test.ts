import { adapterContract } from "../contracts/adapter.ts";
import {
  decodeThread,
  encodeThread,
  type MemoryPlace,
  openMemoryAdapter,
} from "./memory-adapter.ts";

adapterContract<MemoryPlace>({
  name: "the platform in memory",
  threadNames: {
    places: [
      { channel: "C1", root: "1" },
      { channel: "C1", root: "11" },
      { channel: "C11", root: "1" },
      { channel: "D-1", root: "1700000000.000100" },
    ],
    encode: encodeThread,
    decode: decodeThread,
  },
  open: async () => openMemoryAdapter(),
});
