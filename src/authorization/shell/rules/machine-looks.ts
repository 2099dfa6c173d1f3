import type { Call } from "../rule.ts";
import { isUnknown, readable } from "../word.ts";

/** With these words, and no others, such a program only tells something about the machine. */
const LOOKS: Readonly<Record<string, RegExp>> = {
  // Disks
  zfs: /^(?:list|get|diff|holds|version)(?: |$)/,
  zpool: /^(?:list|status|get|history|iostat|version)(?: |$)/,
  btrfs:
    /^(?:(?:filesystem|fi) (?:usage|df|show|du)|(?:subvolume|sub) (?:list|show|get-default)|scrub status|(?:device|dev) (?:usage|stats(?! -z| --reset))|property (?:get|list)|qgroup show|version)(?: |$)/,
  mdadm:
    /^(?=.*(?:^| )-(?:[DEQ]|-(?:detail|examine|query)))(?:-(?:[DEQsv]+|-(?:detail|examine|query|scan|verbose|brief|export|no-devices))(?: |$)|\/\S+(?: |$))+$/,
  nvme: /^(?:list|list-\w+|smart-log|id-ctrl|id-ns|error-log|fw-log|get-feature|get-log|version|help)(?: |$)/,
  cryptsetup: /^(?:status|isLuks|luksUUID|benchmark|luksDump(?!.*--dump))(?: |$)/,
  losetup:
    /^(?:-(?:[alnJ]+|-(?:all|list|noheadings|json|raw)|O \S+|-output[ =]\S+|j \S+|-associated[ =]\S+)(?: |$))+$/,
  dmsetup: /^(?:ls|info|status|deps|version|targets|table(?!.*--showkeys))(?: |$)/,
  hdparm: /^-[iIgtTC]+(?: |$)(?!.* -)/,
  tune2fs: /^-l \S+$/,
  e2label: /^\S+$/,
  parted:
    /^(?:(?:-[sm]|--script|--machine) )*(?:-l|--list|[^\s-]\S* (?:unit \S+ )?print(?: (?:free|all|devices|list))?)$/,
  sgdisk: /^(?:-p|--print|-i \d+|-v|--verify) \S+$/,
  swapon: /^(?:-s|--summary|--show\S*)(?: --\w+\S*)*$/,
  fsck: /^(?:-[A-Zat]*N\S*)(?: |$)/,
  e2fsck: /^-[fv]*n[fv]*(?: \S+)$/,
  xfs_repair: /^-n \S+$/,
  multipath: /^-(?:l|ll|v\d -l)(?: \S+)?$/,
  resize2fs: /^-P \S+$/,
  // Firewalls and traffic
  iptables: /^(?=.*(?:^| )-(?:[nvxt]*[LS]|-list(?:-rules)?))(?![^|]*-[A-Za-z]*[ADIRFZNXPE])/,
  nft: /^(?:-[anjsySp]+ |--\w+ )*list(?: |$)/,
  ufw: /^(?:status(?: verbose| numbered)?|show [\w-]+|app (?:list|info \S+)|version)$/,
  "firewall-cmd":
    /^(?:--(?:list-\S+|state|get-\S+|query-\S+|info-\S+|zone=\S+|permanent|version|help)(?: |$))+$/,
  ipset: /^(?:list|save|test|-L|-S|-T|-n list)(?: |$)/,
  conntrack: /^-[LSCG](?: |$)/,
  tc: /^(?:-(?:[sdpj]|stat\w*|details?|json|pretty|color) )*(?:qdisc|class|filter|action)(?: (?:show|list|ls)(?: .*)?)?$/,
  pfctl: /^-(?:v*s\w?) ?\w+$/,
  ebtables: /^(?:-t \w+ )?-L(?: |$)/,
  // The network
  nmcli:
    /^(?:(?:-[tpeasc]+|--(?:terse|pretty|show-secrets)|-(?:[fgmc]|tf|t -f) \S+|--(?:fields|get-values|mode|colors) \S+) )*(?:(?:general|gen|g|connection|con|c|device|dev|d|networking|n|radio|r)(?: (?:status|show|list|connectivity|permissions|wifi list|wifi)(?: .*)?)?)?$/,
  ethtool: /^(?:-[iSkgacTlmxnPdu] )?[\w.@-]+$/,
  iw: /^(?:dev|list|phy|reg get|(?:dev |phy )?\S+ (?:info|link|survey dump|station dump|scan dump))$/,
  brctl: /^(?:show|showmacs|showstp)(?: |$)/,
  bridge:
    /^(?:-\S+ )*(?:link|fdb|vlan|mdb|monitor)(?: (?:show|list|ls|get)(?: .*)?)?$|^monitor(?: |$)/,
  vtysh: /^(?:-[bd] )*(?:-c show .*)+$/,
  route: /^-(?:n|e|ee|n -e|ne|en|v)+$/,
  // Settings
  "update-alternatives":
    /^--(?:display|list|query|get-selections|version|help)(?: |$)|^--get-selections$/,
  alternatives: /^--(?:display|list)(?: |$)/,
  ldconfig: /^(?:-p|--print-cache|-V|--version)$/,
};

/** `zfs list`, `ufw status verbose`, `nmcli device status`: said by the words of each program itself. */
export function looksAtMachine({ program, args }: Pick<Call, "program" | "args">): boolean {
  const name = /^(?:ip6tables|arptables|iptables-legacy|iptables-nft)$/.test(program)
    ? "iptables"
    : program;
  if (args.some((word) => isUnknown(word) || /\s/.test(word.shape)) && name !== "vtysh")
    return false;
  const text = args.map(({ shape }) => readable(shape)).join(" ");
  return LOOKS[name]?.test(text) ?? false;
}
