import { gitConfigVariables, SAFE_CONFIG } from "../build/git/safe-environment.ts";
import { proxyEnvironment } from "../proxy-environment.ts";

/** Root's own directories, so that nothing the agent installs is found by its name. */
const PATH = "/opt/deckhand/approved:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** The repository's settings must not name programs; unlike the server's own git, an approved one may use the network. */
const { "protocol.allow": _offline, ...SETTINGS } = SAFE_CONFIG;
const GIT_CONFIG: Readonly<Record<string, string>> = {
  ...SETTINGS,
  "core.sshCommand": "ssh -F /etc/ssh/ssh_config",
  "protocol.ext.allow": "never",
};

const IDENTITIES = {
  root: { HOME: "/root", USER: "root", LOGNAME: "root" },
  agent: { HOME: "/home/agent", USER: "agent", LOGNAME: "agent" },
} as const;

/**
 * The environment of an approved command, made from nothing. Files in the home directory are the workload's: where a
 * program can be pointed elsewhere by a variable, it is.
 */
export function approvedEnvironment(
  as: keyof typeof IDENTITIES,
  git: readonly (readonly [string, string])[] = [],
  temporaryDir?: string,
): Record<string, string> {
  return {
    ...IDENTITIES[as],
    ...(temporaryDir === undefined ? {} : { TMPDIR: temporaryDir }),
    SHELL: "/bin/bash",
    PATH,
    LANG: "en_US.UTF-8",
    TERM: "dumb",
    PAGER: "cat",
    MANPAGER: "cat",
    SYSTEMD_PAGER: "cat",
    AWS_PAGER: "",
    EDITOR: "true",
    VISUAL: "true",
    GIT_ASKPASS: "true",
    GIT_CONFIG_GLOBAL: "/opt/deckhand/approved.gitconfig",
    GIT_EDITOR: "true",
    GIT_PAGER: "cat",
    GIT_SEQUENCE_EDITOR: "true",
    GIT_SSH_COMMAND: "ssh -F /etc/ssh/ssh_config",
    GIT_TERMINAL_PROMPT: "0",
    ...gitConfigVariables([...Object.entries(GIT_CONFIG), ...git]),
    PYTHONSAFEPATH: "1",
    PYTHONNOUSERSITE: "1",
    PIP_CONFIG_FILE: "/etc/pip.conf",
    npm_config_userconfig: "/dev/null",
    CURL_HOME: "/opt/deckhand/approved",
    WGETRC: "/dev/null",
    PSQLRC: "/dev/null",
    INPUTRC: "/dev/null",
    SCREENRC: "/dev/null",
    GEMRC: "/dev/null",
    BUNDLE_IGNORE_CONFIG: "1",
    ...proxyEnvironment(),
  };
}
