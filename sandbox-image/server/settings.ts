import type { Shell } from "../../src/contract/workspace/shell.ts";
import { proxyEnvironment } from "./proxy-environment.ts";

/** Where things are in the container. Tests run the same server elsewhere by handing in other paths. */
export interface ServerSettings {
  readonly workspaceDir: string;
  readonly homeDir: string;
  /** A directory of the server's own on a temporary file system, mode 0700. */
  readonly scratchDir: string;
  readonly shell: string;
  /** The shells of terminals: copies with mode 0711, so that no other process can look into them. An image may lack some. */
  readonly terminalShells: Readonly<Record<Shell, string>>;
  /** Runs a command as child subreaper and first in line for the OOM killer. */
  readonly supervise: string;
  /** Where the shell integrations lie, which have the shells of a terminal tell what they do. */
  readonly integrationDir: string;
  /** Environment of everything the server starts; nothing else is passed on. */
  readonly childEnv: Readonly<Record<string, string>>;
  /** Paths were resolved and approved before: one that leads through a link now is refused, not followed. */
  readonly exactPaths?: boolean;
}

export function imageSettings(): ServerSettings {
  return {
    workspaceDir: "/workspace",
    homeDir: "/home/agent",
    scratchDir: "/tmp/.deckhand",
    shell: "/bin/bash",
    terminalShells: {
      bash: "/opt/deckhand/bash",
      zsh: "/opt/deckhand/zsh",
      fish: "/opt/deckhand/fish",
    },
    supervise: "/opt/deckhand/supervise",
    integrationDir: "/opt/deckhand",
    childEnv: {
      HOME: "/home/agent",
      USER: "agent",
      LOGNAME: "agent",
      SHELL: "/bin/bash",
      PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
      LANG: "en_US.UTF-8",
      TERM: "xterm-256color",
      ...proxyEnvironment(),
    },
  };
}

/** For the server of one approved root call: the same places, root's own home. */
export function rootSettings(): ServerSettings {
  const settings = imageSettings();
  const childEnv = { ...settings.childEnv, HOME: "/root", USER: "root", LOGNAME: "root" };
  return { ...settings, homeDir: "/root", scratchDir: "/run/deckhand", childEnv, exactPaths: true };
}
