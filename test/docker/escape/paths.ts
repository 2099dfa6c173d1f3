import type { Attempt, AttemptClass, Marks } from "../../support/escape.ts";

const FILES = "file_operations";
const OUTSIDE = { evidence: "cat /etc/NAME" };
const ROOTS = {
  plant:
    "mkdir -p /root/NAME; echo 'word SECRET' > /root/NAME/f-SECRET.txt; echo SECRET > /root/NAME/f; chmod 700 /root",
};

/** create_file at a path that leads to /etc/NAME. */
function creates(title: string, path: (name: string) => string): Attempt {
  return {
    title: `create_file at ${title}`,
    attack: (arena, { name, secret }) =>
      arena.call(FILES, { operation: "create_file", filePath: path(name), content: secret }),
    ...OUTSIDE,
  };
}

/** An operation whose answer must not show what only root may see. */
function tells(title: string, args: (marks: Marks) => object, tool = FILES): Attempt {
  return { title, ...ROOTS, attack: (arena, marks) => arena.call(tool, args(marks)) };
}

const attempts: Attempt[] = [
  creates("a path with ..", (name) => `../etc/${name}`),
  creates("an absolute path", (name) => `/etc/${name}`),
  creates("a path that goes down first", (name) => `a/b/../../../etc/${name}`),
  creates("a path from the home directory", (name) => `~/../../etc/${name}`),
  creates("/proc/self/root", (name) => `/proc/self/root/etc/${name}`),
  creates("/proc/self/cwd/..", (name) => `/proc/self/cwd/../etc/${name}`),
  creates("doubled slashes and dots", (name) => `//./../.././/etc/./${name}`),
  creates("a path through /dev/..", (name) => `/dev/../etc//${name}`),
  tells("read_file with .. to root's file", ({ name }) => ({
    operation: "read_file",
    filePath: `../root/${name}/f`,
  })),
  tells("list_dir of root's directory", ({ name }) => ({
    operation: "list_dir",
    path: `../root/${name}`,
  })),
  tells("file_search from root's directory", ({ name }) => ({
    operation: "file_search",
    query: "**/*.txt",
    rootPath: `/root/${name}`,
  })),
  tells("semantic_search from root's directory", ({ name }) => ({
    operation: "semantic_search",
    query: "word",
    rootPath: `../root/${name}`,
  })),
  tells("list_usages from root's directory", ({ name }) => ({
    operation: "list_usages",
    symbolName: "word",
    rootPath: `/workspace/../root/${name}`,
  })),
  tells(
    "run_command in root's directory",
    ({ name }) => ({
      operation: "run_command",
      command: "cat -- *.txt",
      working_directory: `../root/${name}`,
    }),
    "terminal_operations",
  ),
  {
    title: "create_directory outside",
    attack: (arena, { name }) =>
      arena.call("terminal_operations", {
        operation: "create_directory",
        dirPath: `../etc/${name}`,
      }),
    evidence: "[ -d /etc/NAME ] && echo SECRET",
  },
  {
    title: "rename_file from inside to outside",
    attack: async (arena, { name, secret }) => {
      await arena.run(`echo ${secret} > ${name}`);
      return arena.call(FILES, {
        operation: "rename_file",
        oldPath: name,
        newPath: `../etc/${name}`,
      });
    },
    ...OUTSIDE,
  },
  {
    title: "rename_file that fetches root's file",
    plant: "echo SECRET > /root/NAME; chmod 600 /root/NAME",
    attack: (arena, { name }) =>
      arena.call(FILES, { operation: "rename_file", oldPath: `../root/${name}`, newPath: name }),
    evidence: "cat /workspace/NAME",
  },
  {
    title: "delete_file outside",
    plant: "touch /etc/NAME",
    attack: (arena, { name }) =>
      arena.call(FILES, { operation: "delete_file", filePath: `../etc/${name}` }),
    evidence: "[ -e /etc/NAME ] || echo SECRET",
  },
  {
    title: "a task that runs in root's directory",
    ...ROOTS,
    attack: (arena, { name }) =>
      arena.call("build_and_version_control", {
        operation: "create_and_run_task",
        task: { label: name, type: "shell", command: "cat -- *.txt" },
        workspaceFolder: `../root/${name}`,
      }),
  },
  { title: "a redirection with ..", attack: "echo SECRET > ../../../etc/NAME", ...OUTSIDE },
  {
    title: "a program replaced on the PATH",
    attack: "echo 'echo SECRET' > /usr/local/bin/NAME && chmod +x /usr/local/bin/NAME",
    evidence: "cat /usr/local/bin/NAME",
  },
];

export const paths: AttemptClass = {
  name: "P-S2 .. and absolute paths",
  control: "bare",
  attempts,
};
