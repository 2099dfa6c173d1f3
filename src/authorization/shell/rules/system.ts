import { hasAnyOption, hasOption, operandsOf } from "../options.ts";
import { asks, type Call, changes, each, type Inspector, type Rule, type Rules } from "../rule.ts";
import { literalWord, mayBeOptions, OWN_JOB, readable } from "../word.ts";
import { looksAtMachine } from "./machine-looks.ts";
import { printedTexts } from "./upstream.ts";

/** Devices, other people's processes, services, users, the kernel: what belongs to the machine. */
export const system: Rules = {
  ...each(
    "mkfs mke2fs mkntfs mkdosfs mkexfatfs mkreiserfs mkudffs newfs mkswap wipefs fdisk sfdisk cfdisk gdisk sgdisk cgdisk parted partprobe growpart blkdiscard hdparm sdparm sg_format nvme " +
      "losetup cryptsetup tune2fs resize2fs fatresize ntfsresize ntfsclone xfs_repair xfs_growfs btrfstune bcachefs badblocks fsck e2fsck debugfs",
    disks,
  ),
  dd,
  ...each("dosbox dosbox-x dosemu", ({ args }, inspect) => {
    inspect.notes("runs programs in an emulator");
    if (args.some(({ shape }) => /^-[cEK]/.test(shape)))
      inspect.hides("runs commands in an emulator that may see all files");
  }),
  ...each("shred wipe srm", overwrites),
  ...each(
    "pvcreate vgcreate lvcreate lvremove vgremove pvremove mdadm zpool zfs btrfs dmsetup multipath",
    disks,
  ),
  ...each("umount swapon swapoff pivot_root", unlessItLooks("changes mounts")),
  ...each("shutdown reboot halt poweroff init telinit kexec", asks("stops the machine")),
  ...each("pkill killall killall5 skill snice xkill", asks("ends processes by name")),
  ...each(
    "iptables ip6tables nft ufw firewall-cmd ebtables arptables ipset pfctl ipfw shorewall csf conntrack tc",
    firewall,
  ),
  ...each(
    "useradd adduser usermod groupadd groupdel groupmod passwd chpasswd chsh chfn vipw gpasswd",
    asks("changes users"),
  ),
  visudo: ({ args }, inspect) => {
    if (hasOption(args, { short: "c", long: "check" })) inspect.notes("checks a file");
    else inspect.click("changes users");
  },
  ...each("userdel deluser", ({ args }, inspect) => {
    const withFiles = hasAnyOption(args, [
      { short: "r", long: "remove" },
      { long: "remove-home" },
      { long: "remove-all-files" },
    ]);
    if (withFiles) inspect.phrase("deletes a user with all files");
    else inspect.click("changes users");
  }),
  ...each(
    "insmod rmmod modprobe depmod setenforce setcap setsebool semanage apparmor_parser auditctl update-grub grub-install",
    asks("changes the system"),
  ),
  ...each("at batch atq atrm systemd-run", ({ program, args, input }, inspect) => {
    if (program === "atq" || (program === "at" && args[0]?.shape === "-l")) {
      inspect.notes("lists what runs later");
      return;
    }
    inspect.click("runs commands at another time");
    for (const text of input.upstream.length > 0 ? (printedTexts(input) ?? []) : [])
      inspect.runsCode(literalWord(text), "at");
    if (input.text) inspect.runsCode(input.text, "at");
  }),
  ...each(
    "service rc-service rc-update update-rc.d chkconfig initctl supervisorctl launchctl",
    ({ args }, inspect) => {
      const [first, last] = [args[0]?.shape ?? "", args.at(-1)?.shape ?? ""];
      const looks =
        /^(?:status|--status-all|list|-e|-l|-r)$/.test(last) ||
        /^(?:status|tail|maintail|avail|pid|print|version)$/.test(first);
      if (!looks) inspect.click("controls services");
    },
  ),
  ...each(
    "update-alternatives alternatives ldconfig locale-gen dpkg-reconfigure",
    unlessItLooks("changes the system"),
  ),
  ...each("timedatectl hostnamectl localectl loginctl", ({ args }, inspect) => {
    const [verb] = operandsOf(args);
    if (
      verb &&
      !/^(?:status|show(?:-[\w-]+)?|list-[\w-]+|timesync-status|\w+-status)$/.test(verb.shape)
    )
      inspect.click("changes the system");
  }),
  sysctl: ({ args }, inspect) => {
    const changing = [
      { short: "w", long: "write" },
      { short: "p", long: "load" },
      { long: "system" },
    ];
    if (hasAnyOption(args, changing) || args.some(({ shape }) => shape.includes("=")))
      inspect.click("changes the system");
  },
  nginx: ({ args }, inspect) => {
    if (!args.every(({ shape }) => /^-(?:t|T|v|V|q)$/.test(shape)) || args.length === 0)
      inspect.notes("starts a server");
  },
  ...each("reptyr gcore", asks("attaches to another process")),
  ...each("renice", changes("changes how processes run")),
  mount: ({ args }, inspect) => {
    if (args.length > 0 && !hasAnyOption(args, [{ short: "l" }, { short: "V" }, { short: "h" }]))
      inspect.click("changes mounts");
  },
  kill,
  fuser: ({ args }, inspect) => {
    const kills = hasOption(args, { short: "k", long: "kill" });
    const ports = operandsOf(args, { valued: "n" });
    if (kills && !ports.every(({ shape }) => /^\d+(?:\/(?:tcp|udp))?$/.test(shape)))
      inspect.click("ends processes by name");
    else inspect.notes("looks at processes");
  },
  crontab: ({ args, input }, inspect) => {
    if (args.some(({ shape }) => shape === "-l")) return;
    inspect.click("runs commands at another time");
    // Five fields or a name such as @daily stand before the command.
    for (const line of readable(input.text?.shape ?? "").split("\n"))
      inspect.mayRun([literalWord(line.replace(/^\s*(?:@\w+|(?:\S+\s+){4}\S+)\s+/, ""))]);
  },
  systemctl: ({ args }, inspect) => {
    const [verb] = operandsOf(args, { valued: "tHMpn" });
    const reads =
      /^(?:status|show|cat|list-units|list-unit-files|list-timers|list-sockets|list-[\w-]+|is-[\w-]+|get-default|show-environment|help)$/;
    const isReading = verb && reads.test(verb.shape);
    if (verb && !isReading) inspect.click("controls services");
  },
  ip: ({ args }, inspect) => {
    if (
      args.some(({ shape }) =>
        /^(?:add|del|delete|set|change|replace|flush|up|down|append|exec|attach)$/.test(shape),
      )
    )
      inspect.click("changes the network");
  },
  ifconfig: ({ args }, inspect) => {
    if (operandsOf(args).length > 1) inspect.click("changes the network");
  },
  route: ({ args }, inspect) => {
    if (operandsOf(args).length > 0) inspect.click("changes the network");
  },
  ...each(
    "ifup ifdown dhclient wpa_supplicant nmcli iw brctl ethtool bridge",
    unlessItLooks("changes the network"),
  ),
};

/** `mkfs.ntfs`, `fsck.vfat`, `partclone.ext4`: a file system is a part of the name. */
export const DISK_PROGRAMS = /^(?:mkfs|fsck|partclone)\.\w/;

export function disks({ args, program }: Call, inspect: Inspector): void {
  if (looksAtMachine({ args, program })) {
    inspect.notes(`${program} looks at disks`);
    return;
  }
  const lists =
    args.length > 0 &&
    args.every(({ shape }) =>
      /^(?:-l|--list|list|status|get|show|-a|--all|--help|--version)$/.test(shape),
    );
  // Without any word they only say how they are used.
  if (lists || args.length === 0) inspect.click(`${program} looks at disks`);
  else inspect.phrase("works on disks");
}

/** Without `of=` it prints what it reads. */
function dd({ args }: Call, inspect: Inspector): void {
  if (
    args.every(({ shape }) => /^(?!of=)[a-z]+=/.test(shape) && !mayBeOptions({ text: "", shape }))
  )
    return;
  inspect.click("overwrites files or disks");
  for (const { text, shape } of args)
    if (shape.startsWith("of=")) inspect.writes({ text, shape: shape.slice(3) });
}

function overwrites({ args }: Call, inspect: Inspector): void {
  inspect.click("overwrites files or disks");
  for (const path of operandsOf(args, { valued: "ns" }))
    inspect.deletes(path, { recursive: false });
}

function unlessItLooks(why: string): Rule {
  return (call, inspect) => {
    if (looksAtMachine(call)) inspect.notes(`${call.program} looks at the machine`);
    else inspect.click(why);
  };
}

function firewall({ args, program }: Call, inspect: Inspector): void {
  if (looksAtMachine({ args, program })) {
    inspect.notes("looks at the firewall");
    return;
  }
  const lists =
    args.length > 0 &&
    args.every(({ shape }) =>
      /^-(?:[LSnv]+|-list|-line-numbers)$|^(?:list|status|ruleset|tables|[A-Z]+)$/.test(shape),
    );
  if (!lists) inspect.click("changes the firewall");
}

/** Own jobs may be ended. A number can be anybody's: the workspace's own server runs as the same user. */
function kill({ args, input }: Call, inspect: Inspector): void {
  if (args.some(({ shape }) => /^-(?:l|L|-list|-table)$/.test(shape))) return;
  inspect.notes("sends a signal");
  // Appended by xargs.
  if (listsPort(input)) return;
  const targets = args.filter(
    ({ text, shape }, index) =>
      !(index === 0 && isSignal(shape)) &&
      shape !== "--" &&
      !isOwnJob(shape) &&
      !OWN_SERVER.test(text) &&
      !followsSignalOption(args[index - 1]?.shape),
  );
  const probes =
    args[0]?.shape === "-0" || (hasOption(args, { short: "s" }) && args[1]?.shape === "0");
  if (targets.length > 0 && !probes)
    inspect.click(
      `may end another program's process (${targets.map(({ shape }) => readable(shape)).join(" ")})`,
    );
}

/** A server of one's own: by the port it serves, the file that it wrote its number to, or as a job of this shell. */
const OWN_SERVER =
  /^"?(?:\$\(|`)\s*(?:lsof\s+(?:-[a-zA-Z]*t[a-zA-Z]*\s+)?(?:-[a-zA-Z]*i\s*(?:tcp|udp)?:\d+|-[a-zA-Z]*ti?\s*(?:tcp|udp)?:?\d*)(?:\s+-s\S+)*|cat\s+["']?[\w./-]+\.pid["']?|jobs\s+-p)\s*(?:2>\s*\/dev\/null\s*)?(?:\)|`)"?$/;

/** `lsof -ti:3000 | xargs kill` */
function listsPort({ upstream }: Call["input"]): boolean {
  const [only, ...others] = upstream;
  const words = only?.args.map(({ shape }) => shape) ?? [];
  return (
    only?.program === "lsof" &&
    others.length === 0 &&
    words.some((word) => /^-[a-zA-Z]*t/.test(word)) &&
    words.some((word) => /:\d+$/.test(word))
  );
}

function isSignal(shape: string): boolean {
  return /^-(?:[A-Z][A-Z0-9+-]*|\d{1,2}|s|n)$/.test(shape) && shape !== "-1";
}

function followsSignalOption(before: string | undefined): boolean {
  return before === "-s" || before === "-n";
}

/** `%1`, `$!`, or a variable that holds `$!`. */
function isOwnJob(shape: string): boolean {
  return shape.startsWith("%") || shape === OWN_JOB;
}
