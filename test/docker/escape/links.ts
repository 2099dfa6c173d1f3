import type { Arena, Attempt, AttemptClass, Marks } from "../../support/escape.ts";

const FILES = "file_operations";
/** What must not come to hold the secret. */
const OUTSIDE = { evidence: "cat /etc/NAME" };
const OLD = "echo old > /etc/NAME; chmod 600 /etc/NAME";

/** Makes a link as the workload would, then calls one operation on it. */
function throughLink(
  link: (marks: Marks) => string,
  args: (marks: Marks) => object,
): (arena: Arena, marks: Marks) => Promise<unknown> {
  return async (arena, marks) => {
    await arena.run(link(marks));
    return arena.call(FILES, args(marks));
  };
}

const toDirectory = ({ name }: Marks) => `ln -sfn /etc link-${name}`;
const toFile = ({ name }: Marks) => `ln -sfn /etc/${name} link-${name}`;

/** Exchanges a directory and a link to the outside as fast as the kernel can. */
const SWAP = `mkdir -p race-NAME; ln -sfn /etc/NAME link-NAME
(timeout 3 python3 -c '
import ctypes, time
libc = ctypes.CDLL(None); end = time.time() + 1.2
while time.time() < end: libc.renameat2(-100, b"race-NAME", -100, b"link-NAME", 2)
' &) > /dev/null 2>&1`;
const RACED = { plant: "mkdir /etc/NAME; echo SECRET > /etc/NAME/secret; chmod 700 /etc/NAME" };
/** Checks and then uses, as a careless tool does. */
const careless = (use: string) => `${SWAP}
python3 -c '
import os, time
end = time.time() + 1
while time.time() < end:
  try:
    if not os.path.islink("race-NAME"): ${use}
  except OSError: pass
'`;

/** The same race against an operation: many calls while the workload exchanges directory and link. */
function raced(args: (marks: Marks, turn: number) => object) {
  return async (arena: Arena, marks: Marks) => {
    await arena.run(SWAP.replaceAll("NAME", marks.name));
    const answers: unknown[] = [];
    for (let turn = 0; turn < 150; turn++) answers.push(await arena.call(FILES, args(marks, turn)));
    return answers;
  };
}

const attempts: Attempt[] = [
  {
    title: "create_file below a link to a directory outside",
    attack: throughLink(toDirectory, ({ name, secret }) => ({
      operation: "create_file",
      filePath: `link-${name}/${name}`,
      content: secret,
    })),
    ...OUTSIDE,
  },
  {
    title: "create_file at a dangling link to the outside",
    attack: throughLink(toFile, ({ name, secret }) => ({
      operation: "create_file",
      filePath: `link-${name}`,
      content: secret,
    })),
    ...OUTSIDE,
  },
  {
    title: "create_file over a file that a link points to",
    plant: OLD,
    attack: throughLink(toFile, ({ name, secret }) => ({
      operation: "create_file",
      filePath: `link-${name}`,
      content: secret,
      overwrite: true,
    })),
    ...OUTSIDE,
  },
  {
    title: "replace_string in a file that a link points to",
    plant: "echo old > /etc/NAME",
    attack: throughLink(toFile, ({ name, secret }) => ({
      operation: "replace_string",
      filePath: `link-${name}`,
      oldString: "old",
      newString: secret,
    })),
    ...OUTSIDE,
  },
  {
    title: "multi_replace_string in a file that a link points to",
    plant: "echo old > /etc/NAME",
    attack: throughLink(toFile, ({ name, secret }) => ({
      operation: "multi_replace_string",
      filePath: `link-${name}`,
      replacements: [{ oldString: "old", newString: secret }],
    })),
    ...OUTSIDE,
  },
  {
    title: "insert_edit in a file that a link points to",
    plant: "echo old > /etc/NAME",
    attack: throughLink(toFile, ({ name, secret }) => ({
      operation: "insert_edit",
      filePath: `link-${name}`,
      lineNumber: 1,
      newText: secret,
      insertOperation: "insert",
    })),
    ...OUTSIDE,
  },
  {
    title: "rename_file into a linked directory",
    attack: throughLink(
      (marks) => `${toDirectory(marks)}; echo ${marks.secret} > own-${marks.name}`,
      ({ name }) => ({
        operation: "rename_file",
        oldPath: `own-${name}`,
        newPath: `link-${name}/${name}`,
      }),
    ),
    ...OUTSIDE,
  },
  {
    title: "delete_file below a linked directory",
    plant: OLD,
    attack: throughLink(toDirectory, ({ name }) => ({
      operation: "delete_file",
      filePath: `link-${name}/${name}`,
    })),
    evidence: "[ -e /etc/NAME ] || echo SECRET",
  },
  {
    title: "read_file of a link to root's file",
    plant: "echo SECRET > /root/NAME; chmod 600 /root/NAME",
    attack: throughLink(
      ({ name }) => `ln -sfn /root/${name} link-${name}`,
      ({ name }) => ({ operation: "read_file", filePath: `link-${name}` }),
    ),
  },
  {
    title: "list_dir through a chain of links and ..",
    plant: "mkdir /root/NAME; touch /root/NAME/SECRET; chmod 700 /root",
    attack: throughLink(
      ({ name }) => `ln -sfn /root/. a-${name}; ln -sfn a-${name}/../root/${name} b-${name}`,
      ({ name }) => ({ operation: "list_dir", path: `b-${name}/../${name}` }),
    ),
  },
  {
    title: "a hard link to root's file",
    plant: "echo SECRET > /etc/NAME; chmod 600 /etc/NAME",
    attack: "ln /etc/NAME /etc/NAME-2 && cat /etc/NAME-2; ln /etc/NAME hard-NAME; cat hard-NAME",
  },
  {
    title: "an archive that brings a link and then a file below it",
    attack: `python3 -c '
import io, tarfile
t = tarfile.open("NAME.tar", "w")
link = tarfile.TarInfo("out-NAME"); link.type = tarfile.SYMTYPE; link.linkname = "/etc"; t.addfile(link)
file = tarfile.TarInfo("out-NAME/NAME"); file.size = len(b"SECRET"); t.addfile(file, io.BytesIO(b"SECRET"))
t.close(); tarfile.open("NAME.tar").extractall()'`,
    ...OUTSIDE,
  },
  {
    title: "cp and rsync that write through a link",
    attack:
      "ln -sfn /etc r-NAME; echo SECRET > NAME; rsync --inplace NAME r-NAME/ || cp NAME r-NAME/NAME",
    ...OUTSIDE,
  },
  {
    title: "a race of create_file against a swapped directory",
    ...RACED,
    attackInControl: careless('open("race-NAME/f", "w").write("SECRET")'),
    attack: raced(({ name, secret }, turn) => ({
      operation: "create_file",
      filePath: `race-${name}/f${turn}`,
      content: secret,
    })),
    evidence: "rm /etc/NAME/secret; cat /etc/NAME/f*",
  },
  {
    title: "a race of read_file against a swapped directory",
    ...RACED,
    attackInControl: careless('print(open("race-NAME/secret").read())'),
    attack: raced(({ name }) => ({ operation: "read_file", filePath: `race-${name}/secret` })),
  },
  {
    title: "a race of delete_file against a swapped directory",
    ...RACED,
    attackInControl: careless('os.unlink("race-NAME/secret")'),
    attack: raced(({ name }) => ({ operation: "delete_file", filePath: `race-${name}/secret` })),
    evidence: "[ -e /etc/NAME/secret ] || echo SECRET",
  },
  {
    title: "a race of apply_patch against a swapped directory",
    ...RACED,
    attackInControl: careless('open("race-NAME/p", "w").write("SECRET")'),
    attack: raced(({ name, secret }, turn) => ({
      operation: "apply_patch",
      patchContent: `*** Begin Patch\n*** Add File: race-${name}/p${turn}\n+${secret}\n*** End Patch\n`,
    })),
    evidence: "rm /etc/NAME/secret; cat /etc/NAME/p*",
  },
];

export const links: AttemptClass = {
  name: "P-S7 symlinks and races",
  control: "bare",
  attempts,
};
