import { appendFileSync } from "node:fs";
import { join } from "node:path";
import {
  addSubmodule,
  COMMIT,
  config,
  filter,
  type HostileRepository,
  hook,
  inConfig,
  promisor,
  STATUS,
  setting,
  subFilter,
  submodule,
  touch,
  write,
} from "./hostile-kinds.ts";

const nonUtf8 = Buffer.from([0xff, 0xfe]);

export const hostileRepositories: readonly HostileRepository[] = [
  hook("pre-commit"),
  hook("commit-msg"),
  hook("prepare-commit-msg"),
  hook("post-commit"),
  hook("post-index-change"),
  hook("reference-transaction"),
  hook("pre-commit", "tracked-hooks"),
  setting("fsmonitor", ({ evil }) => [["core.fsmonitor", evil]], STATUS),
  setting(
    "fsmonitor of version 1",
    ({ evil }) => [
      ["core.fsmonitor", evil],
      ["core.fsmonitorHookVersion", "1"],
    ],
    STATUS,
  ),
  filter("clean filter", inConfig),
  filter("filter process", inConfig, { key: "process" }),
  filter("filter with = in its name", inConfig, { filterName: "a=b.clean=" }),
  filter("filter with dots and capitals in its name", inConfig, { filterName: "A.b.Clean" }),
  filter("filter by the attributes in .git/info", ({ dir }, text) => {
    appendFileSync(join(dir, ".git/config"), text);
    appendFileSync(join(dir, ".git/info/attributes"), "a.txt filter=f\n");
  }),
  filter("filter of an included file", (arena, text) => {
    write(arena, "settings", text);
    config(arena, ["include.path", "../settings"]);
  }),
  filter("filter of a file that is included for a branch", (arena, text) => {
    write(arena, "settings", text);
    config(arena, ["includeIf.onbranch:main.path", "../settings"]);
  }),
  filter("filter of a worktree's settings", (arena, text) => {
    config(arena, ["core.repositoryFormatVersion", "1"], ["extensions.worktreeConfig", "true"]);
    write(arena, ".git/config.worktree", text);
  }),
  {
    name: "filter whose name is not UTF-8",
    plainly: [...STATUS, ...COMMIT],
    arm: (arena) => {
      const parts = ['[filter "', nonUtf8, `"]\n\tclean = ${arena.evil}\n`].map((part) =>
        typeof part === "string" ? Buffer.from(part) : part,
      );
      appendFileSync(join(arena.dir, ".git/config"), Buffer.concat(parts));
      write(arena, ".gitattributes", Buffer.concat([Buffer.from("* filter="), nonUtf8]));
      touch(arena);
    },
  },
  setting("textconv", ({ evil }) => [["diff.d.textconv", evil]], [["diff"]], "* diff=d\n"),
  setting("diff driver", ({ evil }) => [["diff.d.command", evil]], [["diff"]], "* diff=d\n"),
  setting("external diff", ({ evil }) => [["diff.external", evil]], [["diff"]]),
  setting(
    "signing program",
    ({ evil }) => [
      ["commit.gpgSign", "true"],
      ["gpg.program", evil],
    ],
    COMMIT,
  ),
  setting(
    "signing program for ssh keys",
    ({ evil }) => [
      ["commit.gpgSign", "true"],
      ["gpg.format", "ssh"],
      ["gpg.ssh.program", evil],
      ["gpg.ssh.defaultKeyCommand", evil],
    ],
    COMMIT,
  ),
  setting("editor", ({ evil }) => [["core.editor", evil]], [["add", "-A"], ["commit"]]),
  setting(
    "trailer command",
    ({ evil }) => [
      ["trailer.sign.key", "Signed-off-by"],
      ["trailer.sign.cmd", evil],
    ],
    [
      ["add", "-A"],
      ["commit", "-m", "x", "--trailer", "sign=x"],
    ],
  ),
  setting("pager", ({ evil }) => [["core.pager", evil]], false),
  submodule("submodule with a filter", subFilter),
  submodule(
    "submodule with a file system monitor",
    ({ evil }) => `[core]\n\tfsmonitor = ${evil}\n`,
  ),
  {
    name: "submodule with a filter, and nothing to commit in the end",
    plainly: COMMIT,
    arm: (arena) => {
      addSubmodule(arena);
      config(arena, ["submodule.sub.ignore", "none"]);
      appendFileSync(join(arena.dir, "sub/.git/config"), subFilter(arena));
      appendFileSync(join(arena.dir, "sub/.git/info/attributes"), "* filter=f\n");
      touch(arena, "sub/s.txt");
      // Staged, then taken back in the work tree: staging that leaves an index without changes.
      touch(arena);
      arena.git(["update-index", "a.txt"]);
      write(arena, "a.txt", "one\n");
    },
  },
  {
    name: "submodule that has another commit checked out, with a filter",
    plainly: [...STATUS, ...COMMIT],
    arm: (arena) => {
      addSubmodule(arena);
      arena.git(["commit", "-q", "--allow-empty", "-m", "more"], "sub");
      appendFileSync(join(arena.dir, "sub/.git/config"), subFilter(arena));
      appendFileSync(join(arena.dir, "sub/.git/info/attributes"), "* filter=f\n");
      touch(arena, "sub/s.txt");
    },
  },
  {
    name: "submodule named .. with an update command",
    plainly: false,
    arm: (arena) => {
      const text = `[submodule "../../x"]\n\tpath = ..\n\turl = -u${arena.evil}\n\tupdate = !${arena.evil}\n`;
      write(arena, ".gitmodules", text);
      config(arena, ["submodule.../../x.update", `!${arena.evil}`], ["submodule.recurse", "true"]);
      config(arena, ["status.submoduleSummary", "true"]);
    },
  },
  promisor("promised objects behind ext::", ({ evil }) => [
    ["protocol.ext.allow", "always"],
    ["remote.origin.url", `ext::${evil}`],
  ]),
  promisor("promised objects behind an upload-pack program", ({ dir, evil }) => [
    ["remote.origin.url", dir],
    ["remote.origin.uploadpack", evil],
  ]),
  promisor("promised objects behind an ssh command", ({ evil }) => [
    ["remote.origin.url", "ssh://nowhere.invalid/x"],
    ["core.sshCommand", evil],
  ]),
  {
    name: "directory that looks like a bare repository",
    plainly: [["-C", "bare", "status"]],
    at: "bare",
    arm: (arena) => {
      arena.git(["init", "-q", "--bare", "bare"]);
      arena.git(["config", "-f", "bare/config", "core.bare", "false"]);
      arena.git(["config", "-f", "bare/config", "core.worktree", ".."]);
      arena.git(["config", "-f", "bare/config", "core.fsmonitor", arena.evil]);
      arena.git(["config", "core.fsmonitor", arena.evil]);
      touch(arena);
    },
  },
  {
    name: "work tree in another repository, which has a filter",
    plainly: [["status"]],
    at: "inner",
    arm: (arena) => {
      arena.git(["init", "-q", "inner"]);
      arena.git(["config", "core.worktree", arena.dir], "inner");
      inConfig(arena, `[filter "f"]\n\tclean = ${arena.evil}\n`);
      write(arena, ".gitattributes", "* filter=f\n");
      touch(arena);
    },
  },
  {
    name: "branch whose name begins with a dash",
    plainly: false,
    arm: (arena) => {
      const name = `--upload-pack=${arena.evil.replaceAll("/", "_")}`;
      write(arena, ".git/HEAD", `ref: refs/heads/${name}\n`);
      touch(arena);
    },
  },
  {
    name: "files that look like options",
    plainly: false,
    files: ["--upload-pack=evil", "--exec-path=.", "-x", ":(top)x", ":!a.txt"],
    arm: (arena) => {
      for (const name of ["--upload-pack=evil", "--exec-path=.", "-x", ":(top)x", ":!a.txt"]) {
        write(arena, name, "x");
      }
      touch(arena);
    },
  },
  setting(
    "aliases of git's own commands",
    ({ evil }) => [
      ["alias.status", `!${evil}`],
      ["alias.commit", `!${evil}`],
      ["alias.update-index", `!${evil}`],
    ],
    false,
  ),
];
