import { ruleFor } from "./programs.ts";
import type { Call } from "./rule.ts";
import { exactly, type Word } from "./word.ts";

/** Programs that start the one named by their words; which of their options take a value is not known. */
const LAUNCHERS = new Set(
  (
    "runlim cpulimit cgexec daemon daemonize gamemoderun gamescope cage torify oniux retry ifne cronic mispipe pee caffeinate kde-inhibit " +
    "memray samply rr extrace bear aa-exec runcon newrole run_init mpirun mpiexec numactl in-toto-run sccache ccache distcc x11docker " +
    "distrobox-enter schroot arch-chroot xwinwrap abduco dtach dvtm shpool watchexec reflex heaptrack uftrace mangohud primusrun optirun " +
    "prime-run softlimit envdir envuidgid setuidgid chpst s6-setuidgid s6-envdir with-contenv watchman-make zrun noglob nocorrect summon"
  ).split(" "),
);

/**
 * The words that a program without a rule probably starts: those behind two dashes, and for a launcher those from the
 * first name of a program on.
 */
export function startedWords({ program, args }: Call): readonly Word[] | undefined {
  const dashes = args.findIndex(({ shape }) => shape === "--");
  const from = dashes >= 0 ? dashes + 1 : 0;
  if (dashes < 0 && !LAUNCHERS.has(program)) return undefined;
  const at = args.findIndex((word, index) => index >= from && isProgram(word));
  return at < 0 || (dashes >= 0 && at > from) ? undefined : args.slice(at);
}

function isProgram(word: Word): boolean {
  const name = exactly(word) ?? "";
  return !name.startsWith("-") && ruleFor(name.slice(name.lastIndexOf("/") + 1)) !== undefined;
}
