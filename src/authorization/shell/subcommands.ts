import type { Call } from "./rule.ts";
import { subcommandAt } from "./rules/git.ts";
import { exactly } from "./word.ts";

/** Programs whose first word says what they do: a grant for `npm test` is not one for `npm install`. */
const WITH_SUBCOMMANDS = new Set(
  (
    "git npm pnpm yarn bun pip pip3 uv poetry pdm pipenv conda cargo go gem bundle composer dotnet docker podman kubectl helm " +
    "terraform tofu aws gcloud az gh glab systemctl apt apt-get make just task rake mvn gradle"
  ).split(" "),
);

/** Programs that run what their words or input say: a grant by their name would cover anything. */
const OPEN_ENDED = new Set(
  (
    "sh bash dash ash zsh ksh mksh rbash eval source . trap exec command builtin env xargs find fd fdfind watch script flock " +
    "python python2 python3 node nodejs perl ruby php lua luajit deno tsx ts-node awk gawk mawk sed npx bunx pnpx uvx " +
    "timeout nice nohup time stdbuf setsid ionice chrt taskset strace ltrace busybox toybox coproc vim vi nvim ex emacs gdb lldb"
  ).split(" "),
);

/** The key of a timed grant for one call: same program, same subcommand. */
export function grantKeyOf({ program, args }: Call): string | undefined {
  if (OPEN_ENDED.has(program)) return undefined;
  if (!WITH_SUBCOMMANDS.has(program)) return program;
  const at =
    program === "git" ? subcommandAt(args) : args.findIndex(({ shape }) => !shape.startsWith("-"));
  const subcommand = exactly(args[at]);
  if (subcommand === undefined) return args.length === 0 ? program : undefined;
  const script = /^run(?:-script)?$/.test(subcommand) ? exactly(args[at + 1]) : "";
  if (script === undefined) return undefined;
  return [program, subcommand, script].filter(Boolean).join(" ");
}
