import type { GitSending } from "./git-pushes.ts";
import { Handovers } from "./handovers.ts";
import type { Call } from "./rule.ts";
import type { CodeUse, Script } from "./script.ts";

export interface FilePattern {
  /** As written in the command. */
  readonly written: string;
  /** The directory up to which its path is known. */
  readonly place: string;
  /** It also chooses among the directories below. */
  readonly isDeep: boolean;
}

/** Which files and directories decide what a command does, filled in while the command is read. */
export interface CodeReport {
  readonly uses: CodeUse[];
  /** Directories in which its programs run, and paths that they look at without reading a file. */
  readonly places: Set<string>;
  /** Those of them that a word names. */
  readonly lookedAt: Set<string>;
  /** Those of them out of which its programs may load code that no word names. */
  readonly loadedFrom: Set<string>;
  /** Its patterns: which files they find is known only when it runs. */
  readonly patterns: FilePattern[];
  /** Operands that are decided only when it runs, as the command writes them. */
  readonly open: Set<string>;
  /** Directories whose git repository it uses. */
  readonly git: Set<string>;
  /** Its git calls that may push. */
  readonly sendings: GitSending[];
  /** Branches that it may switch to before a push. */
  readonly branches: Set<string>;
  /** It makes commits or moves branches, and a push in it sends those. */
  addsCommits: boolean;
  /** It may change the current branch or the refs of a repository before a push. */
  changesRepository: boolean;
  /** It may change where the remotes of a repository lead. */
  changesRemotes: boolean;
  /** How it would leave the fixed environment, shell or directory of approved commands. */
  readonly leaves: Set<string>;
  /** Absent when the places of its words in the text are not known. */
  script: Script | undefined;
  /** It means something else in another directory. */
  dependsOnDirectory: boolean;
  /** It starts a program that may load code from the directory it starts in. */
  loadsCodeFromDirectory: boolean;
  /** Calls that may change any file before another part of the command reads it. */
  readonly changing: Set<Call>;
  /** Paths that it writes, or whose mode it changes; `..` behind a name stays in place. */
  readonly changed: Set<string>;
  /** Paths that it removes, in the same form. */
  readonly removed: Set<string>;
  /** It also changes files whose names the text does not tell. */
  changesUnknown: boolean;
  /** What it gives to the workload and uses afterwards. */
  readonly handovers: Handovers;
}

/** Of a command whose files are not known: it may depend on anything. */
export const UNREAD_CODE: CodeReport = {
  uses: [],
  places: new Set(),
  lookedAt: new Set(),
  loadedFrom: new Set(),
  patterns: [],
  open: new Set(),
  git: new Set(),
  sendings: [],
  branches: new Set(),
  addsCommits: true,
  changesRepository: true,
  changesRemotes: true,
  leaves: new Set(),
  script: undefined,
  dependsOnDirectory: true,
  loadsCodeFromDirectory: true,
  changing: new Set(),
  changed: new Set(),
  removed: new Set(),
  changesUnknown: true,
  handovers: new Handovers(),
};
