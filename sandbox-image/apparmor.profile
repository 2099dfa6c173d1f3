# What a workspace's container may do on a host with AppArmor, beside its other limits: like Docker's own profile, and
# without ptrace across processes of other profiles, mounts, raw network access or writes to the kernel's settings.
#include <tunables/global>

profile deckhand-sandbox flags=(attach_disconnected,mediate_deleted) {
  #include <abstractions/base>

  network unix,
  network inet,
  network inet6,
  deny network raw,
  deny network packet,

  capability chown,
  capability dac_override,
  capability dac_read_search,
  capability fowner,
  capability setuid,
  capability setgid,
  capability setpcap,
  capability kill,

  file,
  umount,
  deny mount,

  signal (receive) peer=unconfined,
  signal (send, receive) peer=deckhand-sandbox,
  ptrace (trace, read, tracedby, readby) peer=deckhand-sandbox,

  deny @{PROC}/* w,
  deny @{PROC}/sys/** w,
  deny @{PROC}/sysrq-trigger rwklx,
  deny @{PROC}/kcore rwklx,
  deny @{PROC}/kmem rwklx,
  deny @{PROC}/mem rwklx,
  deny /sys/[^f]*/** wklx,
  deny /sys/f[^s]*/** wklx,
  deny /sys/fs/[^c]*/** wklx,
  deny /sys/fs/c[^g]*/** wklx,
  deny /sys/firmware/** rwklx,
  deny /sys/kernel/security/** rwklx,
}
