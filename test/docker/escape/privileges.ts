import {
  type Attempt,
  type AttemptClass,
  granted,
  REMAINS,
  SETTLED,
} from "../../support/escape.ts";

const python = (lines: string) =>
  `python3 - <<'END'\nimport ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\n${lines}\nEND\n`;
/** A program that stays under the attempt's name when the kernel let it do as it wished. */
const stays = (title: string, lines: string): Attempt => ({
  title,
  attack: `(${python(`${lines}\nos.execvp("sleep", ["NAME", "30"])`)}) > /dev/null 2>&1 & ${SETTLED}`,
  ...REMAINS,
});
const SERVER = 'pid = int(os.popen("pgrep -o MainThread").read())';

const attempts: Attempt[] = [
  {
    title: "a program with the set-user-id bit",
    plant: "cp /bin/bash /workspace/suid-NAME; chmod 4755 /workspace/suid-NAME",
    attack: "/workspace/suid-NAME -p -c 'echo SECRET > /etc/NAME'",
    evidence: "cat /etc/NAME",
    controlUser: 1000,
  },
  {
    title: "a program with the set-group-id bit",
    plant:
      "cp /bin/bash /workspace/sgid-NAME; chmod 2755 /workspace/sgid-NAME; mkdir -m 775 /etc/NAME",
    attack: "/workspace/sgid-NAME -p -c 'echo SECRET > /etc/NAME/f'",
    evidence: "cat /etc/NAME/f",
    controlUser: 1000,
  },
  { title: "sudo", attack: "sudo sh -c 'echo SECRET > /etc/NAME'", evidence: "cat /etc/NAME" },
  {
    title: "su",
    attack: "su root -c 'echo SECRET > /etc/NAME' < /dev/null",
    evidence: "cat /etc/NAME",
  },
  {
    title: "setpriv back to root",
    attack: "setpriv --reuid=0 --regid=0 --clear-groups sh -c 'echo SECRET > /etc/NAME'",
    evidence: "cat /etc/NAME",
  },
  {
    title: "chown of a file to root",
    attack: "touch NAME; chown 0:0 NAME",
    evidence: "[ $(stat -c %u /workspace/NAME) = 0 ] && echo SECRET",
  },
  granted("a mount namespace", "unshare -m true"),
  granted("a user namespace", "unshare -U true"),
  granted("a process namespace", "unshare -pf true"),
  granted("a network namespace", "unshare -n true"),
  granted("all of them as a mapped root", "unshare -Urmnpf true"),
  granted("entering the namespaces of process 1", "nsenter -t 1 -m -u -i true"),
  granted(
    "mounting a temporary file system",
    "mkdir -p /tmp/m-NAME && mount -t tmpfs none /tmp/m-NAME",
  ),
  granted(
    "mounting a directory over another",
    "mkdir -p /tmp/b-NAME && mount --bind /etc /tmp/b-NAME",
  ),
  granted("mounting a fresh /proc", "mkdir -p /tmp/p-NAME && mount -t proc none /tmp/p-NAME"),
  granted("chroot", "chroot / true"),
  { title: "a new name for the machine", attack: "hostname SECRET", evidence: "hostname" },
  {
    title: "a device node",
    attack: "mknod NAME c 1 5",
    evidence: "[ -c /workspace/NAME ] && echo SECRET",
  },
  {
    title: "a block device node",
    attack: "mknod NAME b 7 200",
    evidence: "[ -b /workspace/NAME ] && echo SECRET",
  },
  stays(
    "ptrace of the server",
    `${SERVER}\nif libc.ptrace(16, pid, 0, 0) != 0: os._exit(1)\nos.waitpid(pid, 0x40000000)\nlibc.ptrace(17, pid, 0, 0)`,
  ),
  stays(
    "a file capability",
    'open("c-NAME", "w").close()\nos.setxattr("c-NAME", "security.capability", bytes.fromhex("0100000200200000000000000000000000000000"))',
  ),
  stays(
    "a file opened by its handle",
    'handle = ctypes.create_string_buffer(8 + 128)\nctypes.c_uint.from_buffer(handle).value = 128\nmount = ctypes.c_int()\nif libc.name_to_handle_at(-100, b"/dev/shm", handle, ctypes.byref(mount), 0) != 0: os._exit(1)\nfd = os.open("/dev/shm", os.O_RDONLY)\nif libc.open_by_handle_at(fd, handle, 0) < 0: os._exit(1)',
  ),
  stays("a higher priority", "os.setpriority(os.PRIO_PROCESS, 0, -5)"),
];

export const privileges: AttemptClass = {
  name: "P-S2 privileges, namespaces, mounts and ptrace",
  control: "powerful",
  attempts,
};
