/**
 * Programs that start others by themselves, as part of what they are. The guard judges the program by its words;
 * what it starts inside is not read off the command. Everything else a command starts must have been foreseen.
 */
export const STARTS_HELPERS: Readonly<Record<string, string>> = {
  git: "its subcommands are programs, and it starts a pager, an editor, hooks and remote helpers",
  "git-submodule": "a shell script of git",
  "git-bisect": "a shell script of git",
  npm: "runs the project's scripts by sh, and node",
  npx: "runs a program of the project by sh, and node",
  make: "runs the project's rules by sh",
  collect2: "a part of gcc: starts the linker",
  apt: "starts dpkg and its own methods",
  gcc: "starts cc1, as and the linker",
  "g++": "starts cc1plus, as and the linker",
  tar: "starts gzip for packed archives",
  zcat: "a shell script around gzip",
  python3: "code of the project, venv and pip start programs",
  pip: "asks uname what machine it is on, and builds what it installs",
  pip3: "asks uname what machine it is on, and builds what it installs",
  node: "code of the project, test runners start node again",
  script: "hands its words to a shell",
  sh: "runs what npm, make and scripts hand it",
  "apt-get": "starts its methods and dpkg",
  dpkg: "starts dpkg-query",
};

/** A login shell reads /etc/profile, which asks who it is. */
export const STARTED_BY_PROFILE = "id";
