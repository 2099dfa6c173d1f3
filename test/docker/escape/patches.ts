import type { Attempt, AttemptClass, Marks } from "../../support/escape.ts";

const OUTSIDE = { evidence: "cat /etc/NAME" };
const OLD = { plant: "echo old > /etc/NAME" };
const ADDED = "@@ -0,0 +1 @@\n+SECRET\n";
const CHANGED = "@@ -1 +1 @@\n-old\n+SECRET\n";

const filled = (text: string, { name, secret }: Marks) =>
  text.replaceAll("NAME", name).replaceAll("SECRET", secret);

/** apply_patch with a patch that names a foreign path. */
function patch(title: string, text: string, more: Partial<Attempt> & { args?: object } = {}) {
  const { args = {}, ...rest } = more;
  const attempt: Attempt = {
    title,
    attack: (arena, marks) =>
      arena.call("file_operations", {
        operation: "apply_patch",
        patchContent: filled(text, marks),
        ...JSON.parse(filled(JSON.stringify(args), marks)),
      }),
    ...OUTSIDE,
    ...rest,
  };
  return attempt;
}

const begin = (body: string) => `*** Begin Patch\n${body}\n*** End Patch\n`;
const shell = (
  title: string,
  text: string,
  apply: string,
  more: Partial<Attempt> = {},
): Attempt => ({
  title,
  attack: `cat > NAME.diff <<'END'\n${text}END\n${apply}`,
  ...OUTSIDE,
  ...more,
});

const attempts: Attempt[] = [
  patch("a unified diff that adds ../etc", `--- /dev/null\n+++ b/../etc/NAME\n${ADDED}`),
  patch("a unified diff that adds an absolute path", `--- /dev/null\n+++ /etc/NAME\n${ADDED}`),
  patch(
    "a unified diff that changes ../etc",
    `--- a/../etc/NAME\n+++ b/../etc/NAME\n${CHANGED}`,
    OLD,
  ),
  patch(
    "a git diff that adds ../etc",
    `diff --git a/../etc/NAME b/../etc/NAME\nnew file mode 100644\n--- /dev/null\n+++ b/../etc/NAME\n${ADDED}`,
  ),
  patch(
    "a git diff that deletes ../etc",
    "diff --git a/../etc/NAME b/../etc/NAME\ndeleted file mode 100644\n--- a/../etc/NAME\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n",
    { ...OLD, evidence: "[ -e /etc/NAME ] || echo SECRET" },
  ),
  patch(
    "a git diff that renames root's file into the workspace",
    "diff --git a/../root/NAME b/NAME\nsimilarity index 100%\nrename from ../root/NAME\nrename to NAME\n",
    { plant: "echo SECRET > /root/NAME; chmod 600 /root/NAME", evidence: "cat /workspace/NAME" },
  ),
  patch(
    "a git diff that copies root's file into the workspace",
    "diff --git a/../root/NAME b/NAME\nsimilarity index 100%\ncopy from ../root/NAME\ncopy to NAME\n",
    { plant: "echo SECRET > /root/NAME; chmod 600 /root/NAME", evidence: "cat /workspace/NAME" },
  ),
  patch("a block that adds ../etc", begin("*** Add File: ../etc/NAME\n+SECRET")),
  patch(
    "a block that updates an absolute path",
    begin("*** Update File: /etc/NAME\n@@\n-old\n+SECRET"),
    OLD,
  ),
  patch("a block that deletes ../etc", begin("*** Delete File: ../etc/NAME"), {
    ...OLD,
    evidence: "[ -e /etc/NAME ] || echo SECRET",
  }),
  patch(
    "a block that moves a file outside",
    begin("*** Update File: NAME\n*** Move to: ../etc/NAME\n@@\n-old\n+SECRET"),
    { plant: "echo old > /workspace/NAME; chown 1000:1000 /workspace/NAME" },
  ),
  patch("a diff with a target_directory outside", `--- /dev/null\n+++ b/NAME\n${ADDED}`, {
    args: { target_directory: "../etc" },
  }),
  patch("a diff with a filePath outside", CHANGED, { ...OLD, args: { filePath: "/etc/NAME" } }),
  shell(
    "git apply of an absolute and a .. path",
    `--- /dev/null\n+++ b/../etc/NAME\n${ADDED}`,
    "git apply --unsafe-paths NAME.diff",
  ),
  shell(
    "git apply of a link and a file below it",
    "diff --git a/l-NAME b/l-NAME\nnew file mode 120000\n--- /dev/null\n+++ b/l-NAME\n@@ -0,0 +1 @@\n+/etc\n\\ No newline at end of file\n",
    "git apply NAME.diff; echo SECRET > l-NAME/NAME",
  ),
  shell(
    "patch of a file below /etc",
    `--- NAME\n+++ NAME\n${CHANGED}`,
    "patch -d /etc -p0 < NAME.diff",
    OLD,
  ),
  shell(
    "patch with the output named on its command line",
    `--- x\n+++ x\n${CHANGED}`,
    "echo old > x; patch -o /etc/NAME x < NAME.diff",
  ),
];

export const patches: AttemptClass = {
  name: "P-S7 patches with foreign paths",
  control: "bare",
  attempts,
};
