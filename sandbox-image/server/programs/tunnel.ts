import { serveTunnel } from "../tunnel/serve.ts";

// No snapshot: Node cannot keep HTTP/2 in one.
serveTunnel();
