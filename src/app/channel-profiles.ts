import { z } from "zod";
import type { ChannelApprovers } from "../authorization/policy/policy.ts";
import { Who } from "../authorization/policy/policy-schema.ts";
import { threadOf } from "../contract/conversation/subagent.ts";
import { nearestPlace } from "../lib/nearest-place.ts";
import { readYaml, textOfFile } from "../lib/yaml-file.ts";

/** What the operator has set up for the threads of one channel. */
const Profile = z.strictObject({
  /** What the agent is told to work on. */
  repository: z.string().trim().min(1).max(500).optional(),
  /** What its workspaces are made from; one that `scripts/image` has made. */
  image: z
    .string()
    .regex(/^[\w][\w./:@-]*$/, "must be the name of an image")
    .optional(),
  instructions: z.string().trim().min(1).max(20_000).optional(),
  /** They alone approve what is asked for there, at every risk. */
  approvers: z.array(Who).min(1, "must name at least one person; omit it otherwise").optional(),
});

/** A platform, one of its teams, or a channel. */
const PLACE = /^[a-z]+(:[A-Za-z0-9_.-]+){0,2}$/;

const ProfilesFile = z.strictObject({
  version: z.literal(1, { error: "write version: 1" }),
  channels: z.record(
    z.string().regex(PLACE, "must be written as platform:team:channel, such as slack:T012:C345"),
    Profile,
  ),
});

type Profiles = z.infer<typeof ProfilesFile>["channels"];

/** What holds in which channel. */
export interface ChannelProfiles {
  readonly approvers: ChannelApprovers;
  /** Undefined: what the workspaces of all other threads are made from. */
  imageOf(conversation: string): string | undefined;
  /** What the agent is told in this thread beside its prompt. */
  notesOf(conversation: string): Promise<string | undefined>;
}

export function openChannelProfiles(file: string | undefined): ChannelProfiles {
  const profiles: Profiles = file === undefined ? {} : readProfiles(file);
  return {
    approvers: Object.fromEntries(
      Object.entries(profiles).flatMap(([channel, { approvers }]) =>
        approvers ? [[channel, approvers]] : [],
      ),
    ),
    imageOf: (conversation) => profileOf(profiles, conversation)?.image,
    notesOf: async (conversation) => notesOf(profileOf(profiles, conversation)),
  };
}

function readProfiles(file: string): Profiles {
  const text = textOfFile(file, "CHANNELS_FILE");
  return readYaml(text, { name: file, schema: ProfilesFile }).channels;
}

/** The ids of a channel's threads begin with the channel's own. Of several profiles the most exact one counts alone. */
function profileOf(profiles: Profiles, conversation: string): Profiles[string] | undefined {
  const found = nearestPlace(Object.keys(profiles), threadOf(conversation));
  return found === undefined ? undefined : profiles[found];
}

function notesOf(profile: Profiles[string] | undefined): string | undefined {
  const { repository, instructions } = profile ?? {};
  const notes = [
    ...(repository ? [`The repository of this channel: ${repository}`] : []),
    ...(instructions ? [instructions] : []),
  ];
  return notes.length > 0 ? notes.join("\n\n") : undefined;
}
