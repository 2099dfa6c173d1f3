import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { checkServices } from "../../scripts/doctor.d/check-compose.mjs";
import { EngineApi } from "../../scripts/lib/engine-api.mjs";

const IMAGE = "sha256:new";
const HEALTHY = { Status: "running", Health: { Status: "healthy" } };
const logged = (Output: string) => ({ Status: "unhealthy", Log: [{ Output }] });
const ready = (parts: object) => JSON.stringify({ ready: false, draining: false, parts });

/** What an engine has of one part, and what the doctor says. */
const CASES: readonly (readonly [string, object | undefined, string])[] = [
  ["works", { State: HEALTHY, Image: IMAGE }, "ok: healthy"],
  [
    "was started a moment ago",
    { State: { Status: "running", Health: { Status: "starting" } }, Image: IMAGE },
    "ok: starting",
  ],
  ["has not been set up", undefined, ""],
  [
    "was ended",
    { State: { Status: "exited" }, Image: IMAGE },
    "problem: exited → Run `docker-compose up -d`; `docker-compose logs bot` may say more.",
  ],
  [
    "ends again and again",
    { State: { Status: "restarting" }, Image: IMAGE },
    "problem: restarting → Run `docker-compose up -d`; `docker-compose logs bot` may say more.",
  ],
  [
    "lacks the engine",
    {
      State: {
        Status: "running",
        Health: logged(
          ready({
            store: { ok: true, lastSuccessSeconds: 2 },
            engine: { ok: false, lastSuccessSeconds: null, problem: "no answer within 5 seconds" },
          }),
        ),
      },
      Image: IMAGE,
    },
    "problem: unhealthy: engine: no answer within 5 seconds → Run `docker-compose up -d`; `docker-compose logs bot` may say more.",
  ],
  [
    "does not answer",
    {
      State: { Status: "running", Health: logged("http://x/readyz: ECONNREFUSED\n") },
      Image: IMAGE,
    },
    "problem: unhealthy: http://x/readyz: ECONNREFUSED → Run `docker-compose up -d`; `docker-compose logs bot` may say more.",
  ],
  [
    "is of an older image",
    { State: HEALTHY, Image: "sha256:old" },
    "note: healthy, from an older image than deckhand → Run `docker-compose up -d`.",
  ],
];

it.each(CASES)("npm run doctor tells that the bot %s", async (_, container, expected) => {
  const directory = mkdtempSync(join(tmpdir(), "doctor-"));
  const socket = join(directory, "docker.sock");
  const engine = createServer(({ url = "" }, response) => {
    const isBot = container && decodeURIComponent(url).includes("service=bot");
    const answer = () => {
      if (url.startsWith("/containers/json")) return isBot ? [{ Id: "x" }] : [];
      if (url === "/images/deckhand/json") return { Id: IMAGE };
      return { ...container, Config: { Image: "deckhand" } };
    };
    response.end(JSON.stringify(answer()));
  });
  await new Promise<void>((resolve) => engine.listen(socket, resolve));
  try {
    const found = await checkServices(new EngineApi({ DOCKER_HOST: `unix://${socket}` }), [
      "docker-compose",
    ]);
    const lines = found.map((one) => `${one.state}: ${one.found}${one.fix ? ` → ${one.fix}` : ""}`);
    expect(lines.join("\n")).toBe(expected);
  } finally {
    engine.close();
    rmSync(directory, { recursive: true });
  }
});
