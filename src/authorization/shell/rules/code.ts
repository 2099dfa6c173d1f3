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
  /\brmtree\b|\brm_rf?\b|\brmSync\b|\brmdirSync\b|\bremove_dir_all\b|\brimraf\b|recursive\s*:\s*true|\bremove_tree\b|\bremove_entry(?:_secure)?\b|\bdelete-directory\b|\bRemoveAll\b|\bunlink\s*\([^)]*\brecursive\s*=\s*T|\bos\.walk\b[\s\S]*\b(?:remove|unlink)\b/;
/** Calls that change a file. */
const WRITES_FILES =
  /\b(?:f|i|sys)?open\s*\(?[^)]*,\s*(?:mode\s*=\s*)?["'][rb]*[wax+]|\bopen\b[^;]*["']\s*>|\bwrite_?(?:File|text|bytes|file)?(?:Sync)?\s*\(|\bappendFile|\bFile\.(?:write|open|rename|delete|unlink|symlink|chmod)|\b(?:copy|copy2|copyfile|copytree|move|rename|replace|symlink|link|unlink|remove|rmdir|mkdir|makedirs|chmod|chown|truncate|touch)(?:Sync|_to)?\s*\(|\bFileUtils\.|\bfile_put_contents\b|\bunlink\b|\bDeno\.write|\b(?:download(?:_file)?|urlwrite|websave|writeLines|writelines|sink|spit|spurt)\s*[( ]|\bdownload\.file\b|\bDownloads\.|\b(?:write|append)File\b|\b(?:with-output-to-file|call-with-output-file|open-output-file)\b|\b(?:FileWriter|FileOutputStream|PrintWriter|RandomAccessFile)\b|\bFiles\.(?:write|copy|move|delete|create)|\bfile:(?:write_file|delete|rename|copy)\b|\bFile\.(?:rm|cp|ln|mkdir)|\bset\s+(?:output|print|table)\b|\bcat\s*\([^)]*\bfile\s*=/;
const FETCHES =
  /\burllib\b|\burlretrieve\b|\brequests\.get\b|\bfetch\s*\(|\bhttps?\.get\b|\bopen-uri\b|\bNet::HTTP\b|\bLWP\b|\bHTTP::Tiny\b|\bhttpx\.|\bfile_get_contents\s*\(\s*["']https?:|\bdownload(?:_file|\.file)?\s*\(|\bDownloads\.|\burlwrite\b|\bwebsave\b|\bopenStream\b/;

/** Paths that code names as a text of their own and removes with all that is in them, or changes. */
export function effectsOfCode(code: string): {
  readonly removes: readonly string[];
  readonly writes: readonly string[];
  /** It fetches something and keeps it in a file. */
  readonly fetches: boolean;
  /** It names credentials, or takes the whole environment. */
  readonly readsCredentials: boolean;
  readonly sends: boolean;
} {
  const paths = [...code.matchAll(/(["'`])(\/[^"'`\s]*)\1|\bq[qw]?[({]\s*(\/[^)}\s]*)/g)].map(
    ([, , quoted, other]) => quoted ?? other ?? "",
  );
  const changes = WRITES_FILES.test(code);
  return {
    removes: REMOVES_TREES.test(code) ? paths : [],
    writes: changes ? paths.filter((path) => !/^\/(?:proc|sys)\/|^\/$/.test(path)) : [],
    fetches: FETCHES.test(code) && (changes || /\burlretrieve\b/.test(code)),
    readsCredentials: CREDENTIALS.test(code) || (SENDS.test(code) && WHOLE_ENVIRONMENT.test(code)),
    sends: SENDS.test(code) && !ONLY_LOCAL.test(code),
  };
}

const CREDENTIALS =
  /\.ssh\b|\.aws\b|\.netrc|\.git-credentials|\.gnupg|\/etc\/shadow|\/proc\/[^/]*\/environ|id_rsa|id_ed25519|169\.254\.169\.254|docker\.sock|\.kube\b/;
/** All variables at once, and not one of them by its name. */
const WHOLE_ENVIRONMENT =
  /\bos\.environ\b(?!\s*(?:\[|\.get\b|\.setdefault\b))|\bprocess\.env\b(?!\s*[.[])|\bENV\.(?:to_h|to_a|inspect|map|each)\b|%ENV\b|\$_ENV\b|\bgetenv\s*\(\s*\)|\benv\.toObject\b|\bSystem\.getenv\(\)/;
/** Calls that hand data to another machine, also inside an address. */
const SENDS =
  /\burllib\b|\burlopen\b|\brequests\.|\bhttpx\b|\baiohttp\b|\bfetch\s*\(|\bhttps?["']?\)?\.(?:get|request|client)|\bXMLHttpRequest\b|\baxios\b|\bNet::HTTP\b|\bLWP\b|\bHTTP::Tiny\b|\bsocket\b|["']net["']|\bsmtplib\b|\bparamiko\b|\bftplib\b|\bboto3\b|\bfile_get_contents\s*\(\s*["']https?:|\bcurl_(?:init|exec)\b|\bfsockopen\b|\bTCPSocket\b|\bIO::Socket\b|\bopen-uri\b/;
const ONLY_LOCAL =
  /\bhttps?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])[:/"'](?![\s\S]*\bhttps?:\/\/(?!localhost|127))/;

/** The words of programs that code starts: `["rm", "-rf", "/opt"]`, `qw(rm -rf /opt)`, `"rm -" + "rf /opt"`. */
export function startedPrograms(code: string): string[][] {
  const lists = [...code.matchAll(/(["'])[\w./-]+\1(?:\s*,\s*\[?\s*(["'])[^"']*\2)+/g)].map(
    ([list]) => [...list.matchAll(/(["'])([^"']*)\1/g)].map(([, , word]) => word ?? ""),
  );
  const quoted = [...code.matchAll(/\bq[qwx]?\s*[({[]([^)}\]]*)[)}\]]/g)].map(([, text]) =>
    (text ?? "").trim().split(/\s+/),
  );
  const joined = code.replaceAll(/["']\s*[+.]\s*["']/g, "");
  const texts = joined === code ? [] : [...joined.matchAll(/(["'])([^"']+)\1/g)];
  return [...lists, ...quoted, ...texts.map(([, , text]) => (text ?? "").split(/\s+/))]
    .filter((words) => words.length > 1)
    .slice(0, 8);
}

/** Names from the list of files that programs obey, wherever they stand in code. */
const OBEYED_IN_CODE =
  /\.git\/(?:hooks|config)|\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|gitconfig|envrc|inputrc|vimrc|exrc|gdbinit)\b|\.mcp\.json|\.(?:vscode|idea|husky)\/|\.config\/(?:git|fish|systemd|autostart)/;

const OBJECTIONS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:sudo|doas|pkexec|setuid|seteuid)\b/, "code that asks for root"],
  [CREDENTIALS, "code that reads or uses credentials"],
  [
    /\bos\.(?:system|popen|exec\w*|spawn\w*|posix_spawn\w*|fork\w*)|\bsubprocess\b|\bpty\b|\bchild_process\b|\b(?:spawn|exec|execFile|fork)(?:Sync)?\s*\(|\bsystem\b|\bpopen\b|\bqx\b|%x|`|\bOpen3\b|\bshell_exec\b|\bpassthru\b|\bproc_open\b|\bpcntl_exec\b|\bKernel\b|\bIO\.popen|\bos\.execute\b|\bio\.popen\b|\bProcess(?:Builder)?\b|\bCommand::new\b|\bexec\.Command\b|\bgetRuntime\b|\bsys\.process\b|\.!!?(?=\W|$)|\.execute\s*\(|\bos:cmd\b|\bSystem\.(?:cmd|shell)\b|\bcall(?:Command|Process)\b|\brun-program\b|\bjava\.shell\b|\bshell\s+["']|\bspawn\s|\bexec\s+(?:-\w+\s+)*(?:\/|(?:ba|da|z|k)?sh\b)|\bshell-command|\bcall-process|\bstart-process|\bmake-process|\bexecute_process\b|\bctypes\b|\bcffi\b|\bDeno\.(?:run|Command)|\bBun\.(?:spawn|\$)|\bexec\s*(?:["'{]|q[qwx]?\b)|\bopen\s*\(?[^)]*["'][^"']*\|/,
    "code that starts programs",
  ],
  [OBEYED_IN_CODE, "code that names files that shells or tools obey automatically"],
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
