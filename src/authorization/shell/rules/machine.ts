import { operandsOf } from "../options.ts";
import { type Call, each, type Inspector, type Rule, type Rules } from "../rule.ts";
import { readable } from "../word.ts";
import { endsSomething, verbsAmong } from "./client-verbs.ts";
import { looksAtMachine } from "./machine-looks.ts";
import { disks } from "./system.ts";

/** Words and options with which these programs only tell something. */
const LOOKS =
  /^(?:status|list\S*|show\S*|info|get\S*|query|search|log|frequency-info|tracking|sources\S*|activity|sourcestats|ntpdata|active|configtest|fullstatus|monitor|version|help|test-builtin|devices|dump|state|ping|scan|check\S*|try-dry-run|-l|-v|-V|-h|-scanbus|--(?:devices|list\S*|show\S*|status|state|info|get\S*|sb-state|version|help|verbose|report|dry-run|check|test|print\S*|export))$/;

/** More of what belongs to the machine: boot, firmware, protection, clock, accounts, services, network, volumes. */
export const machine: Rules = {
  ...each(
    "addpart delpart resizepart partx kpartx e2label e2image e2undo exfatlabel tune.exfat fatlabel ntfsfix ntfslabel swaplabel " +
      "mlabel blkpr lvchange lvconvert lvextend lvreduce lvrename lvresize vgchange vgextend vgreduce vgrename vgmerge vgsplit " +
      "vgcfgrestore vgimport vgexport pvchange pvmove pvresize stratis vdo fsadm xfs_admin btrfs-convert nwipe scrub sfill " +
      "ventoy woeusb caligula bmaptool rpi-imager f3write f3probe f3fix testdisk extundelete luksformat tomb veracrypt",
    disks,
  ),
  blockdev: (call, inspect) => {
    if (call.args.some(({ shape }) => /^--(?:get|report)/.test(shape)))
      inspect.notes("looks at disks");
    else disks(call, inspect);
  },
  ...each("ddrescue dd_rescue", ({ args }, inspect) => {
    const [, target] = operandsOf(args, { valued: "bBcEHiKLmoOrsTX" });
    inspect.click("overwrites files or disks");
    if (target) inspect.writes(target);
  }),
  ...each("dcfldd dc3dd ddpt", ({ args }, inspect) => {
    for (const { text, shape } of args) {
      const [, path] = /^(?:of|hof|ofs)=(.*)$/s.exec(shape) ?? [];
      if (path === undefined) continue;
      inspect.click("overwrites files or disks");
      inspect.writes({ text, shape: path });
    }
  }),
  ...each(
    "efibootmgr grub-mkconfig grub2-mkconfig grub-set-default grub2-set-default grub-reboot grub-editenv grubby bootctl kernelstub " +
      "kernel-install dracut mkinitcpio update-initramfs mkinitramfs mkinitfs limine-install limine-update limine-enroll-config " +
      "sbctl mokutil efivar rpi-eeprom-update raspi-config switch_root lilo extlinux refind-install update-grub2 bootc abroot " +
      "rpm-ostree nixos-rebuild",
    changesMachine("changes how the machine starts"),
  ),
  ...each(
    "fwupdmgr fwupdtool flashrom esptool esptool.py avrdude dfu-util st-flash openocd picotool fastboot rkdeveloptool bossac nrfjprog " +
      "teensy_loader_cli heimdall wodim cdrecord growisofs picocom minicom tio microcom cu",
    changesMachine("writes to a device"),
  ),
  puppet: (call, inspect) => {
    if (operandsOf(call.args).some(({ shape }) => shape === "publish"))
      inspect.phrase("publishes a module");
    changesMachine(
      "applies a server's configuration to the machine",
      /^(?:parser|lookup|facts|describe|epp|strings|module|config|doc)$/,
    )(call, inspect);
  },
  ...each(
    "chef-client chef-solo ansible-pull cf-agent",
    changesMachine("applies a server's configuration to the machine"),
  ),
  adb: changesMachine("acts on another device", /^(?:devices|logcat|get-\w+|start-server|pull)$/),
  ...each(
    "dkms akmods semodule togglesebool fixfiles restorecon setfiles aa-enforce aa-complain aa-disable aa-teardown aa-remove-unknown " +
      "aa-genprof aa-logprof augenrules ipcrm zramctl",
    changesMachine("changes the system"),
  ),
  ...each(
    "hwclock ntpdate chronyc rtcwake adjtimex cpupower cpufreq-set tuned-adm tlp auto-cpufreq envycontrol optimus-manager prime-select " +
      "fancontrol udevadm sysrc systemd-sysusers systemd-tmpfiles systemd-firstboot systemd-machine-id-setup systemd-repart " +
      "systemd-sysext systemd-confext systemd-cryptenroll systemd-mount systemd-umount",
    changesMachine("changes the system"),
  ),
  date: ({ args }, inspect) => {
    const sets = args.some(
      ({ shape }) => /^-[a-zA-Z]*s|^--se/.test(shape) && !/^-[IdRr]/.test(shape),
    );
    const [first] = operandsOf(args, { valued: "dfrs", valuedLong: ["date", "file", "reference"] });
    if (sets || /^\d/.test(first?.shape ?? "")) inspect.click("changes the machine's clock");
  },
  ...each(
    "chage lchage lpasswd luseradd luserdel lusermod faillock pam_tally2 smbpasswd pdbedit newusers groupmems homectl authconfig " +
      "authselect pam-auth-update pwconv pwunconv grpconv grpunconv chntpw setquota edquota quotaon quotaoff kadmin kadmin.local ktutil " +
      "dscl sysadminctl rmuser delgroup addgroup vigr pw mkhomedir_helper elasticsearch-users " +
      "elasticsearch-reset-password elasticsearch-create-enrollment-token register_new_matrix_user",
    changesMachine("changes users"),
  ),
  // A directory serves many machines, and what it loses is lost for all of them.
  ...each("ipa samba-tool realm adcli net", (call, inspect) => {
    changesMachine("changes users")(call, inspect);
    if (endsSomething(verbsAmong(call.args).slice(0, 3)))
      inspect.phrase(`${call.program} permanently deletes what a directory holds`);
  }),
  ...each(
    "sv s6-svc s6-rc dinitctl a2enmod a2dismod a2ensite a2dissite a2enconf a2disconf phpenmod phpdismod lpadmin " +
      "cupsenable cupsdisable cupsaccept cupsreject cupsctl lpmove lprm cancel gitlab-ctl fail2ban-client postfix postsuper postqueue " +
      "rndc knotc birdc vtysh varnishadm monit pihole synopkg",
    changesMachine("controls services"),
  ),
  ...each(
    "apachectl apache2ctl httpd apache2",
    changesMachine("controls services", /^-[tSMVvlLD]$/),
  ),
  arp: changesMachine("changes the network", /^-[ane]+$/),
  ...each(
    "resolvectl resolvconf networkctl netplan wpa_cli iwctl iwconfig ifenslave ovs-vsctl ovs-ofctl rfkill bluetoothctl " +
      "macchanger wondershaper create_ap hostapd dhcpcd udhcpc ifmetric vconfig tunctl ipsec swanctl airmon-ng nmtui",
    changesMachine("changes the network"),
  ),
  ...each(
    "archinstall pacstrap debootstrap mmdebstrap setup-alpine setup-disk setup-bootable setup-apkrepos setup-interfaces setup-sshd",
    changesMachine("installs or sets up a system"),
  ),
  ...each(
    "yay paru aurman trizen yaourt pacaur pikaur pamac topgrade deb-get pacstall",
    changesMachine("uses sudo by itself", /^-(?:Q|Ss|Si|F|T|G)/),
  ),
};

/** `tool status`, `tool -l user`: the first word tells whether it only looks; with no word most of them do. */
function changesMachine(why: string, alsoLooks?: RegExp): Rule {
  return ({ args, program }: Call, inspect: Inspector) => {
    const first = args.find(({ shape }) => !shape.startsWith("-")) ?? args[0];
    const words = [first, args[0]].map((word) => readable(word?.shape ?? ""));
    if (args.length === 0 && !ACTS_AT_ONCE.test(program)) return;
    const looks = words.some((word) => alsoLooks?.test(word) || LOOKS.test(word));
    if ((args.length > 0 && looks) || looksAtMachine({ args, program })) {
      inspect.notes(`${program} looks at the machine`);
      return;
    }
    inspect.click(why);
  };
}

/** They do their work without any word. */
const ACTS_AT_ONCE =
  /^(?:aa-teardown|aa-remove-unknown|systemd-(?:sysusers|machine-id-setup|repart|firstboot)|topgrade|update-grub2|pwconv|pwunconv|grpconv|grpunconv|grub2?-mkconfig|dracut|raspi-config|lilo|switch_root|nmtui|yay|paru|augenrules|vigr)$/;
