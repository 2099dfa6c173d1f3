"""Attacks from the workload on one process. attacks.py PID [WORD...] prints a JSON line per attack and process,
without the attacks whose names hold one of the words; "victim" stands for a fresh process of the attacker's own user, as careless as one can be."""
import ctypes, fcntl, json, os, resource, signal, socket, struct, subprocess, sys, time

libc = ctypes.CDLL(None, use_errno=True)
ATTACKS = {}


def attack(name):
    def add(function):
        ATTACKS[name] = function
        return function
    return add


def call(number, *args):
    result = libc.syscall(number, *[ctypes.c_long(a) if isinstance(a, int) else a for a in args])
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def dies(pid):
    for _ in range(40):
        if not is_alive(pid):
            return True
        time.sleep(0.01)
    return False


def last_thread(pid):
    return max(int(tid) for tid in os.listdir(f"/proc/{pid}/task"))


SIGNALS = ["HUP", "INT", "QUIT", "ABRT", "KILL", "USR1", "USR2", "SEGV", "TERM", "STOP", "CONT", "IO"]
for signal_name in SIGNALS:
    number = getattr(signal, "SIG" + signal_name)
    ATTACKS[f"signal SIG{signal_name} by pid"] = lambda pid, number=number: os.kill(pid, number)

attack("signal probe")(lambda pid: os.kill(pid, 0))
attack("signal by thread id")(lambda pid: os.kill(last_thread(pid), signal.SIGKILL))
attack("tkill")(lambda pid: call(200, last_thread(pid), 9))
attack("tgkill")(lambda pid: call(234, pid, last_thread(pid), 9))
attack("signal by process group")(lambda pid: os.killpg(os.getpgid(pid), signal.SIGKILL))
attack("pidfd_send_signal")(lambda pid: call(424, call(434, pid, 0), 9, 0, 0))


def queue_info(number):
    return ctypes.create_string_buffer(struct.pack("iii", number, 0, -1) + bytes(116))


attack("rt_sigqueueinfo")(lambda pid: call(129, pid, 9, queue_info(9)))
attack("rt_tgsigqueueinfo")(lambda pid: call(297, pid, last_thread(pid), 9, queue_info(9)))


def by_file_owner(pid, own, number=None):
    ours, theirs = socket.socketpair()
    own(ours.fileno(), pid)
    if number:
        fcntl.fcntl(ours, 10, number)
    fcntl.fcntl(ours, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    theirs.send(b"x")
    return dies(pid)


def set_owner(fd, pid):
    fcntl.fcntl(fd, fcntl.F_SETOWN, pid)


def set_owner_thread(fd, pid):
    fcntl.fcntl(fd, 15, struct.pack("ii", 0, last_thread(pid)))


def set_owner_group(fd, pid):
    fcntl.fcntl(fd, fcntl.F_SETOWN, -os.getpgid(pid))


attack("SIGIO by F_SETOWN")(lambda pid: by_file_owner(pid, set_owner))
attack("SIGKILL by F_SETOWN and F_SETSIG")(lambda pid: by_file_owner(pid, set_owner, 9))
attack("SIGIO by F_SETOWN_EX of a thread")(lambda pid: by_file_owner(pid, set_owner_thread))
attack("SIGIO by F_SETOWN of the group")(lambda pid: by_file_owner(pid, set_owner_group))


@attack("SIGUSR1 opens the inspector")
def inspector(pid):
    try:
        os.kill(pid, signal.SIGUSR1)
    except OSError:
        pass  # an inspector that is open already would do, too
    for _ in range(40):
        try:
            socket.create_connection(("127.0.0.1", 9229), 0.2).close()
            return True
        except OSError:
            time.sleep(0.025)
    return False


attack("ptrace attach")(lambda pid: call(101, 16, pid, 0, 0))
attack("ptrace seize")(lambda pid: call(101, 0x4206, pid, 0, 0))


def opens(path, flags=os.O_RDONLY, read=True):
    def act(pid):
        fd = os.open(path.replace("PID", str(pid)), flags)
        if read:
            os.read(fd, 1)
        os.close(fd)
    return act


for name in ["maps", "smaps", "numa_maps", "environ", "auxv", "io", "syscall", "pagemap", "personality", "stack"]:
    ATTACKS[f"read /proc/PID/{name}"] = opens(f"/proc/PID/{name}", read=name not in ("pagemap", "stack"))
for name in ["mem", "clear_refs", "oom_score_adj", "oom_adj", "coredump_filter", "comm", "autogroup"]:
    ATTACKS[f"open /proc/PID/{name} for writing"] = opens(f"/proc/PID/{name}", os.O_WRONLY, read=False)
attack("read /proc/PID/mem")(opens("/proc/PID/mem", read=False))
attack("open /proc/PID/task/PID/mem")(opens("/proc/PID/task/PID/mem", read=False))
for name in ["cwd", "root", "exe", "ns/mnt", "ns/pid", "ns/user", "ns/net"]:
    ATTACKS[f"readlink /proc/PID/{name}"] = lambda pid, name=name: os.readlink(f"/proc/{pid}/{name}")
for name in ["fd", "fdinfo", "map_files"]:
    ATTACKS[f"list /proc/PID/{name}"] = lambda pid, name=name: os.listdir(f"/proc/{pid}/{name}") or 1 / 0
attack("write to /proc/PID/fd/1")(lambda pid: os.close(os.open(f"/proc/{pid}/fd/1", os.O_WRONLY)))
attack("open /proc/PID/fd/3")(lambda pid: os.close(os.open(f"/proc/{pid}/fd/3", os.O_RDWR)))
attack("list /proc/PID/root")(lambda pid: os.listdir(f"/proc/{pid}/root/"))
attack("pidfd_getfd of standard output")(lambda pid: call(438, call(434, pid, 0), 1, 0))


def vector(pid, number, address):
    buffer = ctypes.create_string_buffer(8)
    local = (ctypes.c_size_t * 2)(ctypes.addressof(buffer), 8)
    remote = (ctypes.c_size_t * 2)(address, 8)
    return call(number, pid, local, 1, remote, 1, 0) == 8


def address_in(pid):
    try:
        with open(f"/proc/{pid}/maps") as f:
            return next(int(line.split("-")[0], 16) for line in f if " rw-p " in line)
    except OSError:
        return 0x400000  # its map is closed: any address shows whether the call itself is refused


attack("process_vm_readv")(lambda pid: vector(pid, 310, address_in(pid)))
attack("process_vm_writev")(lambda pid: vector(pid, 311, address_in(pid)))
attack("kcmp")(lambda pid: call(312, os.getpid(), pid, 0, 1, 1))
attack("get_robust_list")(lambda pid: call(274, pid, ctypes.create_string_buffer(8), ctypes.create_string_buffer(8)))
attack("prlimit")(lambda pid: resource.prlimit(pid, resource.RLIMIT_NOFILE, (64, 64)))
attack("prlimit of the CPU time")(lambda pid: resource.prlimit(pid, resource.RLIMIT_CPU, (1, 1)))
attack("setpriority")(lambda pid: os.setpriority(os.PRIO_PROCESS, pid, 19))
attack("ioprio_set")(lambda pid: call(251, 1, pid, (3 << 13)))
attack("sched_setaffinity")(lambda pid: os.sched_setaffinity(pid, {min(os.sched_getaffinity(0))}))
attack("sched_setscheduler")(lambda pid: os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0)))
attack("setpgid")(lambda pid: os.setpgid(pid, pid))


def victim(inspected):
    if inspected:
        child = subprocess.Popen(["node", "-e", "setInterval(() => {}, 1000)"])
        while "MainThread" not in open(f"/proc/{child.pid}/comm").read():
            time.sleep(0.02)
        time.sleep(0.3)
        return child
    keep = "import os, signal; os.dup2(1, 3); os.write(1, b'!'); signal.pause()"
    child = subprocess.Popen([sys.executable, "-c", keep], stdout=subprocess.PIPE, process_group=0)
    child.stdout.read(1)  # before that it may still be this program
    return child


def succeeds(function, pid):
    try:
        return function(pid) is not False, ""
    except (OSError, ValueError, ArithmeticError) as error:
        return False, str(error)


target, *left_out = sys.argv[1:]
for name, function in ATTACKS.items():
    if not any(word in name for word in left_out):
        child = victim("inspector" in name) if target == "victim" else None
        # setpgid works on a child that has not run another program yet.
        if child and name == "setpgid":
            child_pid = os.fork()
            if child_pid == 0:
                signal.pause()
            worked, why = succeeds(function, child_pid)
            os.kill(child_pid, 9)
        else:
            worked, why = succeeds(function, child.pid if child else int(target))
        print(json.dumps({"target": target, "attack": name, "worked": worked, "why": why}), flush=True)
        if child:
            child.kill()
            child.wait()
