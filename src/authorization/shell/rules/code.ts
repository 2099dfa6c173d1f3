/**
 * Code in other languages is not parsed. Whatever it does, it does as the workspace's user, without capabilities and
 * without a network: it can change the sandbox and nothing else, so it is medium. It is asked for when it says that
 * it starts programs (the guard could not see which), hides what it does, removes whole trees, or names root or
 * credentials. A code that builds these words itself is still confined by the kernel.
 */
export function objectionToCode(code: string): string | undefined {
  return OBJECTIONS.find(([pattern]) => pattern.test(code))?.[1];
}

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
  [
    /\b(?:eval|compile|__import__|importlib|getattr|globals|__builtins__|instance_eval|class_eval|send|public_send|Function)\s*\(|\bbase64\b|\bb64decode|\bfromhex\b|\bunhexlify|\bcodecs\b|\bmarshal\b|\bpickle\b|fromCharCode|\batob\b|Buffer\.from|\bchr\s*\(|\bpack\s*\(|\\x[0-9a-f]{2}\\x|\brot_?13\b|\bzlib\b/i,
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
