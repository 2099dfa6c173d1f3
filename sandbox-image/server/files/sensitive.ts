/** Directories whose contents tools run or obey by themselves. */
const DIRECTORIES = new Set([
  ".claude",
  ".cursor",
  ".devcontainer",
  ".fleet",
  ".githooks",
  ".husky",
  ".idea",
  ".ssh",
  ".vscode",
  ".zed",
]);

/** Files that a shell, git, a package manager or an editor reads when it starts. */
const FILES = new Set([
  ".bash_aliases",
  ".bash_login",
  ".bash_logout",
  ".bash_profile",
  ".bashrc",
  ".cshrc",
  ".direnvrc",
  ".envrc",
  ".exrc",
  ".gdbinit",
  ".git",
  ".gitconfig",
  ".gitmodules",
  ".inputrc",
  ".kshrc",
  ".lldbinit",
  ".login",
  ".mcp.json",
  ".netrc",
  ".npmrc",
  ".profile",
  ".pypirc",
  ".ripgreprc",
  ".tcshrc",
  ".vimrc",
  ".xprofile",
  ".yarnrc",
  ".yarnrc.yml",
  ".zlogin",
  ".zlogout",
  ".zprofile",
  ".zshenv",
  ".zshrc",
]);

/** Inside a git directory: what makes git run a program or look elsewhere. */
const GIT_FILES = new Set(["attributes", "commondir", "config", "config.worktree", "gitdir"]);

/** Whether a write there may make something run later, at any depth. The path must be resolved. */
export function isSensitive(path: string): boolean {
  const names = path.split("/");
  const leaf = names.at(-1) ?? "";
  if (FILES.has(leaf) || names.some((name) => DIRECTORIES.has(name))) return true;
  if (names.some((name, index) => name === ".config" && names[index + 1] === "fish")) return true;
  const git = names.indexOf(".git");
  return git >= 0 && (names.indexOf("hooks", git) >= 0 || GIT_FILES.has(leaf));
}
