/** Where things are in the container. Tests run the same server elsewhere by handing in other paths. */
export interface ServerSettings {
  readonly workspaceDir: string;
  readonly homeDir: string;
  /** A directory of the server's own on a temporary file system, mode 0700. */
  readonly scratchDir: string;
  readonly shell: string;
  /** The shell of terminals: a copy with mode 0711, so that no other process can look into it. */
  readonly terminalShell: string;
  /** Runs a command as child subreaper and first in line for the OOM killer. */
  readonly supervise: string;
  /** Shell integration: sourced by every interactive bash of a terminal. */
  readonly shellIntegration: string;
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
    terminalShell: "/opt/deckhand/bash",
    supervise: "/opt/deckhand/supervise",
    shellIntegration: "/opt/deckhand/shell-integration.bash",
    childEnv: {
      HOME: "/home/agent",
      USER: "agent",
      LOGNAME: "agent",
      SHELL: "/bin/bash",
      PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
      LANG: "en_US.UTF-8",
      TERM: "xterm-256color",
    },
  };
}

/** For the server of one approved root call: the same places, root's own home. */
export function rootSettings(): ServerSettings {
  const settings = imageSettings();
  const childEnv = { ...settings.childEnv, HOME: "/root", USER: "root", LOGNAME: "root" };
  return { ...settings, homeDir: "/root", scratchDir: "/run/deckhand", childEnv, exactPaths: true };
}
