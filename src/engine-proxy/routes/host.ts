import type { EngineAnswer } from "../engine-client.ts";
import { RefusedError } from "../request.ts";
import {
  narrowAnswer,
  pickFields,
  type Route,
  type RouteParts,
  type RouteRequest,
} from "./route.ts";

/** Looks at the engine itself and at the images of workspaces. */
export const HOST_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: /^\/_ping$/,
    run: (_, { engine }) => engine.ask({ method: "GET", path: "/_ping" }),
  },
  { method: "GET", path: /^\/info$/, run: describeHost },
  { method: "GET", path: /^\/images\/(.+)\/json$/, run: describeImage },
];

async function describeHost(_: RouteRequest, { engine }: RouteParts): Promise<EngineAnswer> {
  const answer = await engine.ask({ method: "GET", path: "/info" });
  return narrowAnswer(answer, (info) => pickFields(info, ["NCPU", "SecurityOptions"]));
}

async function describeImage(
  { target }: RouteRequest,
  { engine, images }: RouteParts,
): Promise<EngineAnswer> {
  if (!images.includes(target))
    throw new RefusedError(
      "This image is not allowed: add it to ENGINE_PROXY_IMAGES if workspaces may use it.",
    );
  const answer = await engine.ask({ method: "GET", path: `/images/${target}/json` });
  return narrowAnswer(answer, (image) => pickFields(image, ["Id"]));
}
