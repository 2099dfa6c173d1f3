/**
 * Code in other languages is not parsed. Whatever it does, it does as the workspace's user, without capabilities and
 * without a network: it can change the sandbox and nothing else, so it is medium. It is asked for when it says that
 * it starts programs (the guard could not see which), hides what it does, removes whole trees, or names root or
 * credentials. A code that builds these words itself is still confined by the kernel.
 */
export function objectionToCode(code: string): string | undefined {
  return OBJECTIONS.find(([pattern]) => pattern.test(code))?.[1];
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
    /\bos\.(?:system|popen|exec\w*|spawn\w*|posix_spawn\w*|fork\w*)|\bsubprocess\b|\bpty\b|\bchild_process\b|\b(?:spawn|exec|execFile|fork)(?:Sync)?\s*\(|\bsystem\b|\bpopen\b|\bqx\b|%x|`|\bOpen3\b|\bshell_exec\b|\bpassthru\b|\bproc_open\b|\bpcntl_exec\b|\bKernel\b|\bIO\.popen|\bos\.execute\b|\bio\.popen\b|\bProcess\b|\bctypes\b|\bcffi\b|\bDeno\.(?:run|Command)|\bBun\.(?:spawn|\$)|\bexec\s*["'{]|\bopen\s*\(?[^)]*["'][^"']*\|/,
    "code that starts programs",
  ],
  [OBEYED_IN_CODE, "code that names files which shells or tools obey by themselves"],
  [
    /\b(?:eval|exec|compile|__import__|importlib|getattr|globals|__builtins__|instance_eval|class_eval|send|public_send|Function)\s*\(|\bmarshal\b|\bpickle\b|\\x[0-9a-f]{2}\\x/i,
    "code that hides what it does",
  ],
  [
    /\brmtree\b|\brm_rf?\b|\brmSync\b|\brmdirSync\b|\bremove_dir_all\b|\brimraf\b|recursive\s*:\s*true|\bremove_tree\b|\bRemoveAll\b/,
    "code that removes whole directories",
  ],
  [
    /\bsocket\b|\brequests\.(?:post|put|delete|patch)|\bsmtplib\b|\bparamiko\b|\bftplib\b/,
    "code that opens connections",
  ],
  [
    /\bos\.kill|\bprocess\.kill|\bkillpg\b|\bkill\s*\(?\s*['"]?[A-Z0-9-]+/,
    "code that ends processes",
  ],
];
