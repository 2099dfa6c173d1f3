/**
 * Code in other languages is not parsed. Whatever it does, it does as the workspace's user, without capabilities and
 * without a network: it can change the sandbox and nothing else, so it is medium. It is asked for when it says that
 * it starts programs (the guard could not see which), hides what it does, removes whole trees, or names root or
 * credentials. A code that builds these words itself is still confined by the kernel.
 */
export function objectionToCode(code: string): string | undefined {
  return OBJECTIONS.find(([pattern]) => pattern.test(code))?.[1];
}

/** Calls that remove whole trees, in any language. */
const REMOVES_TREES =
  /\brmtree\b|\brm_rf?\b|\brmSync\b|\brmdirSync\b|\bremove_dir_all\b|\brimraf\b|recursive\s*:\s*true|\bremove_tree\b|\bRemoveAll\b|\bos\.walk\b[\s\S]*\b(?:remove|unlink)\b/;
/** Calls that change a file. */
const WRITES_FILES =
  /\bopen\s*\(?[^)]*,\s*(?:mode\s*=\s*)?["'][rb]*[wax+]|\bopen\b[^;]*["']\s*>|\bwrite_?(?:File|text|bytes|file)?(?:Sync)?\s*\(|\bappendFile|\bFile\.(?:write|open|rename|delete|unlink|symlink|chmod)|\b(?:copy|copy2|copyfile|copytree|move|rename|replace|symlink|link|unlink|remove|rmdir|mkdir|makedirs|chmod|chown|truncate|touch)(?:Sync|_to)?\s*\(|\bFileUtils\.|\bfile_put_contents\b|\bunlink\b|\bDeno\.write/;
const FETCHES =
  /\burllib\b|\burlretrieve\b|\brequests\.get\b|\bfetch\s*\(|\bhttps?\.get\b|\bopen-uri\b|\bNet::HTTP\b|\bLWP\b|\bHTTP::Tiny\b|\bhttpx\.|\bfile_get_contents\s*\(\s*["']https?:/;

/** Paths that code names as a text of their own and removes with all that is in them, or changes. */
export function effectsOfCode(code: string): {
  readonly removes: readonly string[];
  readonly writes: readonly string[];
  /** It fetches something and keeps it in a file. */
  readonly fetches: boolean;
} {
  const paths = [...code.matchAll(/(["'`])(\/[^"'`\s]*)\1|\bq[qw]?[({]\s*(\/[^)}\s]*)/g)].map(
    ([, , quoted, other]) => quoted ?? other ?? "",
  );
  const changes = WRITES_FILES.test(code);
  return {
    removes: REMOVES_TREES.test(code) ? paths : [],
    writes: changes ? paths.filter((path) => !/^\/(?:proc|sys)\/|^\/$/.test(path)) : [],
    fetches: FETCHES.test(code) && (changes || /\burlretrieve\b/.test(code)),
  };
}

/** Names from the list of files that programs obey, wherever they stand in code. */
const OBEYED_IN_CODE =
  /\.git\/(?:hooks|config)|\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|gitconfig|envrc|inputrc|vimrc|exrc|gdbinit)\b|\.mcp\.json|\.(?:vscode|idea|husky)\/|\.config\/(?:git|fish|systemd|autostart)/;

const OBJECTIONS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:sudo|doas|pkexec|setuid|seteuid)\b/, "code that asks for root"],
  [
    /\.ssh\b|\.aws\b|\.netrc|\.git-credentials|\.gnupg|\/etc\/shadow|\/proc\/[^/]*\/environ|id_rsa|id_ed25519|169\.254\.169\.254|docker\.sock|\.kube\/config/,
    "code that reaches for credentials",
  ],
  [
    /\bos\.(?:system|popen|exec\w*|spawn\w*|posix_spawn\w*|fork\w*)|\bsubprocess\b|\bpty\b|\bchild_process\b|\b(?:spawn|exec|execFile|fork)(?:Sync)?\s*\(|\bsystem\b|\bpopen\b|\bqx\b|%x|`|\bOpen3\b|\bshell_exec\b|\bpassthru\b|\bproc_open\b|\bpcntl_exec\b|\bKernel\b|\bIO\.popen|\bos\.execute\b|\bio\.popen\b|\bProcess\b|\bctypes\b|\bcffi\b|\bDeno\.(?:run|Command)|\bBun\.(?:spawn|\$)|\bexec\s*(?:["'{]|q[qwx]?\b)|\bopen\s*\(?[^)]*["'][^"']*\|/,
    "code that starts programs",
  ],
  [OBEYED_IN_CODE, "code that names files which shells or tools obey by themselves"],
  [
    /\b(?:eval|exec|compile|__import__|importlib|getattr|globals|__builtins__|instance_eval|class_eval|send|public_send|Function)\s*\(|\bmarshal\b|\bpickle\b|\\x[0-9a-f]{2}\\x/i,
    "code that hides what it does",
  ],
  [REMOVES_TREES, "code that removes whole directories"],
  [
    /\bsocket\b|\brequests\.(?:post|put|delete|patch)|\bsmtplib\b|\bparamiko\b|\bftplib\b/,
    "code that opens connections",
  ],
  [
    /\bos\.kill|\bprocess\.kill|\bkillpg\b|\bkill\s*\(?\s*['"]?[A-Z0-9-]+/,
    "code that ends processes",
  ],
];
