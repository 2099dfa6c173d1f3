import type { Arena, Attempt, AttemptClass, Marks } from "../../support/escape.ts";

const GIT = "build_and_version_control";
const RAN = { evidence: "cat /workspace/ran-NAME" };

/** A repository with one commit and one change, in the directory NAME. */
const REPOSITORY = `git init -q NAME && cd NAME && git config user.email a@example.com && git config user.name a
echo one > file.txt && git add . && git commit -qm first && echo two >> file.txt && echo new > other.txt
run="$PWD/../run-NAME"; printf '#!/bin/sh\\necho SECRET > /workspace/ran-NAME\\ncat\\nexit 0\\n' > $run; chmod +x $run\n`;

/** What people do with a repository, without any guard. */
const PLAIN_USE = `cd /workspace/NAME
git status > /dev/null; git diff > /dev/null; git add -A; EDITOR=: git commit -qm second; git log -p -1 > /dev/null; git status > /dev/null`;

const filled = (text: string, { name, secret }: Marks) =>
  text.replaceAll("NAME", name).replaceAll("SECRET", secret);

async function useByTools(arena: Arena, { name }: Marks): Promise<void> {
  const files = (args: object) => arena.call("file_operations", args);
  const repositoryPath = name;
  await files({ operation: "list_dir", path: name });
  await files({ operation: "read_file", filePath: `${name}/file.txt` });
  await files({ operation: "grep_search", query: "one" });
  await files({ operation: "search_index", query: "file" });
  await arena.call(GIT, { operation: "get_changed_files", repositoryPath });
  await arena.call(GIT, { operation: "git_commit", message: "second", repositoryPath });
  await files({
    operation: "replace_string",
    filePath: `${name}/file.txt`,
    oldString: "one",
    newString: "1",
  });
  await arena.call(GIT, { operation: "get_changed_files", repositoryPath });
}

/** A repository whose settings run a program; our tools use it and nothing runs. */
function hostile(title: string, settings: string, plainUse = PLAIN_USE): Attempt {
  const make = `${REPOSITORY}${settings}`;
  return {
    title,
    attackInControl: `(${make}) > /dev/null 2>&1; ${plainUse}`,
    attack: async (arena, marks) => {
      await arena.run(filled(`${make}\nrm -f /workspace/ran-NAME`, marks));
      await useByTools(arena, marks);
    },
    ...RAN,
  };
}

const hook = (name: string) => hostile(`a ${name} hook`, `cp $run .git/hooks/${name}`);

const attempts: Attempt[] = [
  hook("pre-commit"),
  hook("prepare-commit-msg"),
  hook("commit-msg"),
  hook("post-commit"),
  hook("post-index-change"),
  hook("reference-transaction"),
  hostile("core.hooksPath", "mkdir h; cp $run h/pre-commit; git config core.hooksPath h"),
  hostile("core.fsmonitor", "git config core.fsmonitor $run"),
  hostile(
    "a clean filter",
    "git config filter.f.clean $run; echo '*.txt filter=f' > .gitattributes",
  ),
  hostile(
    "a filter process that is required",
    "git config filter.f.process $run; git config filter.f.required true; echo '*.txt filter=f' > .git/info/attributes",
  ),
  hostile("a textconv", "git config diff.d.textconv $run; echo '*.txt diff=d' > .gitattributes"),
  hostile("diff.external", "git config diff.external $run"),
  hostile(
    "a diff driver's command",
    "git config diff.d.command $run; echo '*.txt diff=d' > .git/info/attributes",
  ),
  hostile(
    "gpg.program with signing on",
    "git config gpg.program $run; git config commit.gpgSign true",
  ),
  hostile(
    "settings included from the work tree",
    "printf '[core]\\nfsmonitor = %s\\n' $run > c; git config include.path ../c",
  ),
  hostile(
    "settings of a worktree",
    "git config extensions.worktreeConfig true; git config --worktree core.fsmonitor $run",
  ),
  hostile(
    "a submodule with a monitor of its own",
    "git init -q sub && git -C sub -c user.email=a@b -c user.name=a commit -q --allow-empty -m s && git add sub 2> /dev/null; git -C sub config core.fsmonitor $run; touch sub/x",
  ),
  hostile(
    "a .git file that leads to another repository's settings",
    'git config core.fsmonitor $run; mv .git ../real-NAME; echo "gitdir: $PWD/../real-NAME" > .git',
  ),
  hostile(
    "a directory of plain files that looks like a bare repository",
    "mkdir -p bare/refs bare/objects; echo 'ref: refs/heads/x' > bare/HEAD; printf '[core]\\nrepositoryformatversion = 0\\nbare = false\\nworktree = ..\\nfsmonitor = %s\\n' $run > bare/config; rm -rf .git; mv bare/* .",
    "cd /workspace/NAME; git status",
  ),
  hostile(
    "a branch that is named like an option",
    "git update-ref refs/heads/--output=/workspace/ran-NAME HEAD; echo SECRET > SECRET.txt; echo 'ref: refs/heads/--output=/workspace/ran-NAME' > .git/HEAD",
    "cd /workspace/NAME; git add -A; git diff HEAD $(git rev-parse --abbrev-ref HEAD | sed s,heads/,,)",
  ),
  {
    title: "files to commit that are named like options",
    attackInControl: `(${REPOSITORY}) > /dev/null 2>&1; cd /workspace/NAME; cp $PWD/../run-NAME .git/hooks/pre-commit; git commit -q -m x -a`,
    attack: async (arena, marks) => {
      await arena.run(filled(`${REPOSITORY}cp $run .git/hooks/pre-commit`, marks));
      for (const files of [
        ["--verify"],
        ["-c", "core.hooksPath=.git/hooks"],
        [":/"],
        ["--", "."],
      ]) {
        await arena.call(GIT, {
          operation: "git_commit",
          message: "--verify",
          files,
          repositoryPath: marks.name,
        });
      }
    },
    ...RAN,
  },
];

export const git: AttemptClass = {
  name: "P-S10 hostile git repositories",
  control: "bare",
  attempts,
};
