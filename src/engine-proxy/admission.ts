import { type ParsedRequest, RefusedError } from "./request.ts";
import { CONTAINER_ROUTES } from "./routes/containers.ts";
import { HOST_ROUTES } from "./routes/host.ts";
import { PROCESS_ROUTES } from "./routes/processes.ts";
import type { Outcome, Route, RouteParts } from "./routes/route.ts";
import { VOLUME_ROUTES } from "./routes/volumes.ts";

/** Everything that the bot may ask of the engine. */
const ROUTES: readonly Route[] = [
  ...HOST_ROUTES,
  ...VOLUME_ROUTES,
  ...CONTAINER_ROUTES,
  ...PROCESS_ROUTES,
];

/**
 * Decides about a request, and sends the engine one of the proxy's own in its place. Throws a RefusedError for everything
 * that the bot does not send.
 */
export async function admit(request: ParsedRequest, parts: RouteParts): Promise<Outcome> {
  const { method, path, query, body, isUpgrade } = request;
  for (const route of ROUTES) {
    const found = route.method === method ? route.path.exec(path) : null;
    if (!found) continue;
    if (Boolean(route.isUpgrade) !== isUpgrade) throw new RefusedError("Wrong stream type.");
    if (!route.hasBody && body !== "") throw new RefusedError("This request must not have a body.");
    checkQuery(query, route.query ?? {});
    return route.run({ target: found[1] ?? "", query, body }, parts);
  }
  throw new RefusedError(`The bot never asks for ${method} ${path}.`);
}

function checkQuery(query: ParsedRequest["query"], expected: NonNullable<Route["query"]>): void {
  for (const name of new Set([...Object.keys(query), ...Object.keys(expected)])) {
    const value = query[name];
    const rule = Object.hasOwn(expected, name) ? expected[name] : undefined;
    const isRight = typeof rule === "string" ? value === rule : rule?.test(value ?? "") === true;
    if (value === undefined || !isRight)
      throw new RefusedError(`The parameter ${name} has a value that the bot never sends.`);
  }
}
