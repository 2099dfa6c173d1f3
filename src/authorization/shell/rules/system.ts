import { hasAnyOption, hasOption, operandsOf } from "../options.ts";
import { asks, type Call, changes, each, type Inspector, type Rules } from "../rule.ts";
import { OWN_JOB, readable } from "../word.ts";

/** Devices, other people's processes, services, users, the kernel: what belongs to the machine. */
export const system: Rules = {
  ...each(
    "mkfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mke2fs mkswap wipefs fdisk sfdisk cfdisk gdisk sgdisk parted partprobe blkdiscard hdparm losetup cryptsetup tune2fs resize2fs fsck e2fsck debugfs",
    asks("works on disks"),
  ),
  ...each("dd shred wipe srm", asks("overwrites files or disks")),
  ...each(
    "pvcreate vgcreate lvcreate lvremove vgremove pvremove mdadm zpool zfs btrfs dmsetup multipath",
    asks("works on disks"),
  ),
  ...each("umount swapon swapoff pivot_root", asks("changes what is mounted")),
  ...each("shutdown reboot halt poweroff init telinit kexec", asks("stops the machine")),
  ...each("pkill killall killall5 skill snice xkill fuser", asks("ends processes by name")),
  ...each("iptables ip6tables nft ufw firewall-cmd ebtables tc", firewall),
  ...each(
    "useradd adduser userdel deluser usermod groupadd groupdel groupmod passwd chpasswd chsh chfn visudo vipw gpasswd",
    asks("changes users"),
  ),
  ...each(
    "insmod rmmod modprobe depmod sysctl setenforce setcap setsebool semanage apparmor_parser auditctl update-grub grub-install",
    asks("changes the system"),
  ),
  ...each("at batch atq atrm systemd-run", asks("runs commands at another time")),
  ...each(
    "service rc-service rc-update update-rc.d chkconfig initctl supervisorctl launchctl",
    asks("controls services"),
  ),
  ...each(
    "update-alternatives ldconfig locale-gen dpkg-reconfigure timedatectl hostnamectl localectl",
    asks("changes the system"),
  ),
  ...each("reptyr gcore", asks("reaches into another process")),
  ...each("renice prlimit", changes("changes how processes run")),
  mount: ({ args }, inspect) => {
    if (args.length > 0 && !hasAnyOption(args, [{ short: "l" }, { short: "V" }, { short: "h" }]))
      inspect.high("changes what is mounted");
  },
  kill,
  crontab: ({ args }, inspect) => {
    if (!args.some(({ shape }) => shape === "-l")) inspect.high("runs commands at another time");
  },
  systemctl: ({ args }, inspect) => {
    const [verb] = operandsOf(args, { valued: "tHMpn" });
    const reads =
      /^(?:status|show|cat|list-units|list-unit-files|list-timers|list-sockets|is-active|is-enabled|is-failed|help)$/;
    if (verb && !reads.test(verb.shape)) inspect.high("controls services");
  },
  loginctl: asks("controls sessions"),
  ip: ({ args }, inspect) => {
    if (
      args.some(({ shape }) =>
        /^(?:add|del|delete|set|change|replace|flush|up|down|append|exec|attach)$/.test(shape),
      )
    )
      inspect.high("changes the network");
  },
  ifconfig: ({ args }, inspect) => {
    if (operandsOf(args).length > 1) inspect.high("changes the network");
  },
  route: ({ args }, inspect) => {
    if (operandsOf(args).length > 0) inspect.high("changes the network");
  },
  ...each(
    "ifup ifdown dhclient wpa_supplicant nmcli iw brctl ethtool",
    asks("changes the network"),
  ),
};

function firewall({ args }: Call, inspect: Inspector): void {
  const lists =
    args.length > 0 &&
    args.every(({ shape }) =>
      /^-(?:[LSnv]+|-list|-line-numbers)$|^(?:list|status|ruleset|tables|[A-Z]+)$/.test(shape),
    );
  if (!lists) inspect.high("changes the firewall");
}

/** Own jobs may be ended. A number can be anybody's: the workspace's own server runs as the same user. */
function kill({ args }: Call, inspect: Inspector): void {
  if (args.some(({ shape }) => /^-(?:l|L|-list|-table)$/.test(shape))) return;
  inspect.medium("sends a signal");
  const targets = args.filter(
    ({ shape }, index) =>
      !(index === 0 && isSignal(shape)) &&
      shape !== "--" &&
      !isOwnJob(shape) &&
      !followsSignalOption(args[index - 1]?.shape),
  );
  const probes =
    args[0]?.shape === "-0" || (hasOption(args, { short: "s" }) && args[1]?.shape === "0");
  if (targets.length > 0 && !probes)
    inspect.high(
      `ends a process that may be somebody else's (${targets.map(({ shape }) => readable(shape)).join(" ")})`,
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
