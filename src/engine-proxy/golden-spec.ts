import { apparmorProfiles } from "../workspace/docker/apparmor.ts";
import { containerSpec, type HealthTimes } from "../workspace/docker/container-spec.ts";
import { Names, WORKSPACE_LABEL } from "../workspace/names.ts";
import type { WorkspaceSettings } from "../workspace/settings.ts";
import type { EngineClient } from "./engine-client.ts";
import { parseContainerName } from "./own-names.ts";
import { RefusedError } from "./request.ts";

export interface GoldenSpecParts {
  readonly engine: EngineClient;
  readonly settings: WorkspaceSettings;
  readonly images: readonly string[];
  /** Content of seccomp.json. */
  readonly seccomp: string;
  readonly health?: HealthTimes | undefined;
}

const NOT_GOLDEN = "The container's specification differs from the bot's.";

/** Makes the one container that the bot may make under a name, from the proxy's own settings. */
export class GoldenSpec {
  readonly #parts: GoldenSpecParts;

  constructor(parts: GoldenSpecParts) {
    this.#parts = parts;
  }

  /**
   * The container that the bot asks for. Throws unless the request has exactly the bytes that the bot's own code would
   * send: then no other parser can find anything else in them. "no-image": the image is not, or no longer, one of ours.
   */
  async match(name: string, body: string): Promise<object | "no-image"> {
    const asked = variablesOf(body);
    const { instance, pooled } = parseContainerName(name) ?? {};
    if (!asked || instance === undefined || (pooled ?? asked.workspace) !== asked.workspace) {
      throw new RefusedError(NOT_GOLDEN);
    }
    const { settings, seccomp, health } = this.#parts;
    const { engineCpus, apparmors } = await this.#host();
    const golden = apparmors
      .map((apparmor) => ({
        settings,
        seccomp,
        imageId: asked.image,
        engineCpus,
        apparmor,
        health,
      }))
      .map((input) => containerSpec(input, new Names(instance), asked.workspace))
      .find((spec) => JSON.stringify(spec) === body);
    if (!golden) throw new RefusedError(NOT_GOLDEN);
    return (await this.#isOurs(asked.image)) ? golden : "no-image";
  }

  async #host(): Promise<{ engineCpus: number; apparmors: readonly (string | undefined)[] }> {
    const { body } = await this.#parts.engine.ask({ method: "GET", path: "/info" });
    const info = JSON.parse(body) as { NCPU?: number; SecurityOptions?: string[] | null };
    return { engineCpus: info.NCPU ?? 1, apparmors: apparmorProfiles(info.SecurityOptions ?? []) };
  }

  /** A tag may have moved on since the bot has looked: then it looks again. */
  async #isOurs(imageId: string): Promise<boolean> {
    const { engine, images } = this.#parts;
    const found = await Promise.all(
      images.map((name) => engine.ask({ method: "GET", path: `/images/${name}/json` })),
    );
    return found.some(
      ({ status, body }) => status === 200 && (JSON.parse(body) as { Id?: string }).Id === imageId,
    );
  }
}

/** The two things that a request may choose. */
function variablesOf(body: string): { image: string; workspace: string } | undefined {
  const { Image: image, Labels } = parsed(body);
  const workspace = (Labels as Record<string, unknown> | null | undefined)?.[WORKSPACE_LABEL];
  if (typeof image !== "string" || !/^sha256:[0-9a-f]{64}$/.test(image)) return undefined;
  if (typeof workspace !== "string" || !/^[0-9a-f]{16}$/.test(workspace)) return undefined;
  return { image, workspace };
}

function parsed(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
