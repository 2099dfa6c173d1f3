// The container's first program, started as root. It puts the volumes in order, opens the two files of the call
// ledger as files 3 and 4, starts the launcher, connects to it as file 5, and becomes the supervisor: a user of its
// own with only CAP_DAC_READ_SEARCH and CAP_KILL, so that the workload cannot signal or trace it.
//
// The launcher starts a worker (uid 1000, no capability) for each connection to its socket. It exists because the
// supervisor cannot change user: it keeps SETUID and SETGID, accepts the supervisor's user alone (mode 0600 of the
// socket), and reads nothing, so that there is nothing to attack. As child subreaper it inherits the orphans of a
// dead worker, so that everything the workload runs stays below it in the process table.
//
// Where the container has no network, the gatekeeper holds the port of the proxy from before the workload starts, so that no
// other process can take it. The first connection to it makes the bot start the tunnel, by `init tunnel`, which gets the port
// from the gatekeeper. Both run as a user of their own without any capability.
//
// `init health [MS]` is the container's health check: it asks the supervisor for one byte over a socket that only root
// can open, and the workload can neither answer in its place nor use up its queue.
//
// A C program and not a script around setpriv and env: each of those costs a start, and every workspace
// waits for this one.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define AGENT 1000
#define STATE "/var/lib/deckhand"
#define WORKER_SOCKET "/run/deckhand-worker"
#define WORKER_LINK 5
#define HEALTH_SOCKET "/run/deckhand-health"
#define HEALTH_LISTENER 6
#define HEALTH_WITHIN_MS 5000
#define SUPERVISOR_UID "/opt/deckhand/supervisor-uid"
#define TUNNEL_UID "/opt/deckhand/tunnel-uid"
#define GATE_SOCKET "/run/deckhand-gate"
#define GATE_PIPE 7
#define PROXY_PORT 3128
#define PROXY_SETTINGS "/run/deckhand-proxy"
#define PROXY_SETTINGS_OF_IMAGE "/opt/deckhand/proxy"
#define PORT_TAKEN 98
#define WORKER_OOM_SCORE "600"
#define BIT(capability) (1U << (capability))

static void check(int result, const char *what) {
    if (result >= 0) return;
    fprintf(stderr, "deckhand init: ");
    perror(what);
    exit(1);
}

// A fresh volume may belong to root. A link in its place is left alone.
static void give_to_agent(const char *directory) {
    struct stat now;
    if (lstat(directory, &now) != 0 || !S_ISDIR(now.st_mode) || now.st_uid == AGENT) return;
    check(lchown(directory, AGENT, AGENT), directory);
}

// The bot puts this file under the mount of the workspace's disk. To see it means that the disk is not
// there: better no workspace than one that shows other files and loses what is written now. A file of that name that
// the workload made means nothing.
static int is_disk_missing(const char *mark) {
    struct stat found;
    return lstat(mark, &found) == 0 && S_ISREG(found.st_mode) && found.st_size == 0 && found.st_uid != AGENT;
}

static void check_disk(void) {
    if (!is_disk_missing("/workspace/.deckhand-disk-missing") && !is_disk_missing(STATE "/.deckhand-disk-missing")) return;
    fprintf(stderr, "deckhand init: the workspace's disk is not mounted\n");
    exit(78);
}

static int open_ledger(const char *path) {
    int file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
    check(file, path);
    return file;
}

static void open_file_as(int file, int number) {
    if (file == number) return;
    check(dup2(file, number), "hand a file to the server");
    close(file);
}

// Capability numbers below 32 all have their bit in the first word.
static void keep_in_bounding_set(unsigned int kept) {
    for (int capability = 0;; capability++) {
        if (capability < 32 && (kept & BIT(capability))) continue;
        if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) break;
    }
    if (errno != EINVAL) check(-1, "drop the bounding set");
}

static unsigned int permitted_capabilities(void) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2];
    check(syscall(SYS_capget, &header, data), "capget");
    return data[0].permitted;
}

static void set_capabilities(unsigned int kept, unsigned int inheritable) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2] = {{kept, kept, inheritable}, {0, 0, 0}};
    check(syscall(SYS_capset, &header, data), "capset");
}

static void become_user(uid_t user) {
    check(setgroups(0, NULL), "setgroups");
    check(setresgid(user, user, user), "setresgid");
    check(setresuid(user, user, user), "setresuid");
}

static void write_text(const char *path, const char *text) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    check(file, path);
    check(write(file, text, strlen(text)), path);
    close(file);
}

#define PATHS "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
// Without the flag, SIGUSR1 opens Node's inspector.
#define SERVER(program) "/opt/deckhand/node", "--disable-sigusr1", "--snapshot-blob", "/opt/deckhand/" program ".blob", "server"
#define TUNNEL_PROGRAM "/opt/deckhand/node", "--disable-sigusr1", "/opt/deckhand/tunnel.js"
#define COMMON PATHS, "LANG=en_US.UTF-8", "TERM=xterm-256color"

// One for each file that a checkpoint flushes at once (flushes.ts).
#define THREADS "UV_THREADPOOL_SIZE=16"

static void become(char **arguments, char **environment) {
    // The workload can remove all permissions of its directory.
    if (chdir("/workspace") != 0) check(chdir("/"), "/");
    execve(arguments[0], arguments, environment);
    check(-1, arguments[0]);
}

// Only the engine can start this as root: it serves one approved call and stays root. Mode "approved" runs
// its command as the agent.
static void serve_one_call(char *mode) {
    char *arguments[] = {SERVER("one-call"), mode, NULL};
    char *environment[] = {"HOME=/root", "USER=root", "LOGNAME=root", "SHELL=/bin/bash", THREADS, COMMON, NULL};
    become(arguments, environment);
}

// The image's build chose user ids that no other user of the image has: 998 and 997 where they are free.
static uid_t system_user(const char *path) {
    unsigned int user = 0;
    FILE *file = fopen(path, "re");
    check(file ? 0 : -1, path);
    int found = fscanf(file, "%u", &user);
    fclose(file);
    if (found == 1 && user > 0 && user < AGENT) return user;
    fprintf(stderr, "deckhand init: %s holds no system user id: build the image again\n", path);
    exit(1);
}

static void become_worker(int link) {
    signal(SIGCHLD, SIG_DFL);
    setsid();
    write_text("/proc/self/oom_score_adj", WORKER_OOM_SCORE);
    // First in the stream, before the worker can write: the supervisor need not believe the worker about this.
    check(dprintf(link, "{\"worker\":%d,\"launcher\":%d}\n", getpid(), getppid()), "greet");
    check(dup2(link, 0), "worker's input");
    check(dup2(link, 1), "worker's output");
    check(syscall(SYS_close_range, 3U, ~0U, 0), "close_range");
    become_user(AGENT);
    set_capabilities(0, 0);
    char *arguments[] = {SERVER("worker"), "worker", NULL};
    char *environment[] = {"HOME=/home/agent", "USER=agent", "LOGNAME=agent", "SHELL=/bin/bash", COMMON, NULL};
    become(arguments, environment);
}

static void launch_workers(int listener, pid_t supervisor) {
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    check(null, "/dev/null");
    check(dup2(listener, 3), "launcher's socket");
    for (int file = 0; file < 3; file++) check(dup2(null, file), "/dev/null");
    check(syscall(SYS_close_range, 4U, ~0U, 0), "close_range");
    keep_in_bounding_set(0);
    set_capabilities(BIT(CAP_SETUID) | BIT(CAP_SETGID), 0);
    check(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no-new-privileges");
    check(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), "subreaper");
    check(prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0), "end with the supervisor");
    if (getppid() != supervisor) exit(1);
    signal(SIGCHLD, SIG_IGN); // the kernel then reaps every child by itself
    for (;;) {
        int link = accept4(3, NULL, NULL, SOCK_CLOEXEC);
        if (link < 0) continue;
        // A fork that fails closes the connection, and the supervisor connects again later.
        if (fork() == 0) become_worker(link);
        close(link);
    }
}

static struct sockaddr_un address_of(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    return address;
}

// Only the owner and root can connect. A socket of an earlier start of the container is replaced.
static int listen_at(const char *path, uid_t owner) {
    struct sockaddr_un address = address_of(path);
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    check(listener, path);
    unlink(path);
    umask(0177);
    check(bind(listener, (struct sockaddr *)&address, sizeof address), path);
    umask(022);
    check(lchown(path, owner, owner), path);
    check(listen(listener, 8), path);
    return listener;
}

static int connect_to(const char *path) {
    struct sockaddr_un address = address_of(path);
    int link = socket(AF_UNIX, SOCK_STREAM, 0);
    check(link, path);
    return connect(link, (struct sockaddr *)&address, sizeof address) == 0 ? link : -1;
}

// The alarm also ends a connect that waits because nothing accepts any more.
static void check_health(const char *within) {
    long limit = within ? atol(within) : HEALTH_WITHIN_MS;
    struct itimerval timer = {.it_value = {limit / 1000, limit % 1000 * 1000}};
    check(setitimer(ITIMER_REAL, &timer, NULL), "health timer");
    int link = connect_to(HEALTH_SOCKET);
    check(link, HEALTH_SOCKET);
    char answer;
    if (read(link, &answer, 1) == 1) exit(0);
    fprintf(stderr, "deckhand init: the supervisor closed the connection\n");
    exit(1);
}

// Returns the supervisor's end of its link to the first worker, which starts beside the supervisor.
static int start_launcher(uid_t user) {
    int listener = listen_at(WORKER_SOCKET, user);
    int link = connect_to(WORKER_SOCKET);
    check(link, WORKER_SOCKET);
    pid_t self = getpid();
    pid_t launcher = fork();
    check(launcher, "fork");
    if (launcher == 0) launch_workers(listener, self);
    close(listener);
    return link;
}

static void become_supervisor(uid_t user, int has_gate) {
    // A plain `docker run` lacks DAC_READ_SEARCH: paths then resolve as far as this user may look.
    unsigned int kept = permitted_capabilities() & (BIT(CAP_DAC_READ_SEARCH) | BIT(CAP_KILL));
    keep_in_bounding_set(kept);
    check(prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0), "keep capabilities");
    become_user(user);
    set_capabilities(kept, kept);
    for (int capability = 0; capability < 32; capability++) {
        if (!(kept & BIT(capability))) continue;
        check(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0), "ambient capabilities");
    }
    check(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no-new-privileges");
    char *arguments[] = {SERVER("supervisor"), "supervisor", has_gate ? "gate" : NULL, NULL};
    char *environment[] = {"HOME=/", "USER=deckhand", "LOGNAME=deckhand", "SHELL=/bin/false", COMMON, NULL};
    become(arguments, environment);
}

// In a container with a network of its own (another MCP client's), programs use that.
static int has_no_network(void) {
    DIR *interfaces = opendir("/sys/class/net");
    if (!interfaces) return 1;
    int others = 0;
    for (struct dirent *one; (one = readdir(interfaces));)
        if (one->d_name[0] != '.' && strcmp(one->d_name, "lo") != 0) others++;
    closedir(interfaces);
    return others == 0;
}

// -1: another process has the port.
static int listen_at_proxy_port(void) {
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons(PROXY_PORT),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    check(listener, "proxy port");
    int on = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) == 0 && listen(listener, 511) == 0) return listener;
    close(listener);
    return -1;
}

static void drop_to(uid_t user) {
    keep_in_bounding_set(0);
    become_user(user);
    set_capabilities(0, 0);
    check(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no-new-privileges");
}

static long now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000L + now.tv_nsec / 1000000L;
}

static void send_descriptor(int link, int descriptor) {
    char byte = 'p';
    struct iovec data = {&byte, 1};
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr aligned;
    } control = {{0}};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    sendmsg(link, &message, MSG_NOSIGNAL);
}

// -1: the gatekeeper is gone.
static int receive_descriptor(int link) {
    char byte;
    struct iovec data = {&byte, 1};
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr aligned;
    } control;
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    if (recvmsg(link, &message, 0) != 1) return -1;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (!header || header->cmsg_type != SCM_RIGHTS) return -1;
    int descriptor;
    memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
    return descriptor;
}

// Nobody outside has started a tunnel: the programs that wait get an answer instead of silence.
static void refuse_waiting(int port) {
    static const char ANSWER[] =
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n"
        "Deckhand is not connected to this workspace. Try again.\n";
    for (int client; (client = accept4(port, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0; close(client)) {
        char unread[4096];
        while (recv(client, unread, sizeof unread, 0) > 0) continue;
        send(client, ANSWER, sizeof ANSWER - 1, MSG_NOSIGNAL);
        shutdown(client, SHUT_WR);
    }
}

#define TELL_EVERY_MS 500L
#define REFUSE_AFTER_MS 9000L
/* A tunnel that accepts nothing for so long is stuck: the bot looks at it. */
#define STUCK_AFTER_MS 2000L

struct gate {
    int port, socket, pipe, tunnel;
    pid_t tunnel_pid;
    long waiting_since, told_at;
};

// The newest tunnel gets the port. An older one is another bot's, or hangs.
static void admit_tunnel(struct gate *gate) {
    int link = accept4(gate->socket, NULL, NULL, SOCK_CLOEXEC);
    if (link < 0) return;
    struct ucred peer = {0};
    socklen_t size = sizeof peer;
    getsockopt(link, SOL_SOCKET, SO_PEERCRED, &peer, &size);
    if (gate->tunnel >= 0) {
        if (gate->tunnel_pid > 1) kill(gate->tunnel_pid, SIGKILL);
        close(gate->tunnel);
    }
    gate->tunnel = link;
    gate->tunnel_pid = peer.pid;
    gate->waiting_since = 0;
    send_descriptor(link, gate->port);
}

static int is_readable(int descriptor) {
    struct pollfd one = {.fd = descriptor, .events = POLLIN};
    return poll(&one, 1, 0) > 0;
}

static void serve_waiting(struct gate *gate) {
    long now = now_ms();
    if (!is_readable(gate->port)) {
        gate->waiting_since = 0;
        return;
    }
    if (gate->waiting_since == 0) gate->waiting_since = now;
    long waited = now - gate->waiting_since;
    if (gate->tunnel >= 0 && waited < STUCK_AFTER_MS) return;
    if (now - gate->told_at >= TELL_EVERY_MS) {
        gate->told_at = now;
        if (write(gate->pipe, "w", 1) < 0) { /* full: the supervisor has not read what it was told before */
        }
    }
    if (waited >= REFUSE_AFTER_MS) {
        refuse_waiting(gate->port);
        gate->waiting_since = 0;
    }
}

static void keep_gate(struct gate *gate) {
    for (;;) {
        // With a tunnel, or while somebody waits, the port is looked at now and then: it would be readable all the time.
        int is_watched = gate->tunnel < 0 && gate->waiting_since == 0;
        struct pollfd events[] = {
            {.fd = gate->socket, .events = POLLIN},
            {.fd = gate->tunnel, .events = POLLIN},
            {.fd = is_watched ? gate->port : -1, .events = POLLIN},
        };
        int timeout = is_watched ? -1 : gate->tunnel >= 0 && gate->waiting_since == 0 ? 1000 : 100;
        if (poll(events, 3, timeout) < 0) continue;
        if (events[1].revents) {
            close(gate->tunnel);
            gate->tunnel = -1;
        }
        if (events[0].revents & POLLIN) admit_tunnel(gate);
        serve_waiting(gate);
    }
}

// Programs with an empty environment find the proxy in their configuration; the image has links to this directory.
static void point_settings_at_proxy(void) {
    unlink(PROXY_SETTINGS);
    check(symlink(PROXY_SETTINGS_OF_IMAGE, PROXY_SETTINGS), PROXY_SETTINGS);
}

// Returns the end of a pipe: a byte in it means that somebody waits for a tunnel, its end that the gatekeeper is gone.
static int start_gatekeeper(uid_t user) {
    int ends[2];
    check(pipe2(ends, O_NONBLOCK), "gate pipe");
    struct gate gate = {.port = listen_at_proxy_port(), .socket = listen_at(GATE_SOCKET, 0), .pipe = ends[1], .tunnel = -1};
    check(gate.port, "proxy port");
    point_settings_at_proxy();
    pid_t self = getpid();
    pid_t gatekeeper = fork();
    check(gatekeeper, "fork");
    if (gatekeeper == 0) {
        int null = open("/dev/null", O_RDWR);
        check(null, "/dev/null");
        for (int file = 0; file < 3; file++) check(dup2(null, file), "/dev/null");
        // Only what it needs: above all not the ledger.
        int *kept[] = {&gate.port, &gate.socket, &gate.pipe};
        for (int index = 0; index < 3; index++) {
            int high = fcntl(*kept[index], F_DUPFD, 20 + index);
            check(high, "gatekeeper's files");
            *kept[index] = high;
        }
        check(syscall(SYS_close_range, 3U, 19U, 0), "close_range");
        check(syscall(SYS_close_range, 23U, ~0U, 0), "close_range");
        drop_to(user);
        check(prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0), "end with the supervisor");
        if (getppid() != self) exit(1);
        keep_gate(&gate);
    }
    close(ends[1]);
    close(gate.port);
    close(gate.socket);
    return ends[0];
}

// Only the engine can start this as root. File 3 is the port, file 4 the tie to the gatekeeper, 5 and 6 lead from and to the
// bot.
static void become_tunnel(uid_t user) {
    int link = connect_to(GATE_SOCKET);
    int port = link >= 0 ? receive_descriptor(link) : -1;
    if (port < 0) port = listen_at_proxy_port();
    if (port < 0) {
        fprintf(stderr, "deckhand init: port %d is taken by another process of this workspace\n", PROXY_PORT);
        exit(PORT_TAKEN);
    }
    int high_port = fcntl(port, F_DUPFD, 20);
    int null = open("/dev/null", O_RDWR);
    check(null, "/dev/null");
    int high_link = fcntl(link >= 0 ? link : null, F_DUPFD, 20);
    int high_null = fcntl(null, F_DUPFD, 20);
    check(high_port, "tunnel's port");
    check(dup2(0, 5), "tunnel's input");
    check(dup2(1, 6), "tunnel's output");
    check(dup2(high_port, 3), "tunnel's port");
    check(dup2(high_link, 4), "tunnel's link");
    check(dup2(high_null, 0), "/dev/null");
    check(dup2(high_null, 1), "/dev/null");
    check(syscall(SYS_close_range, 7U, ~0U, 0), "close_range");
    drop_to(user);
    char *arguments[] = {TUNNEL_PROGRAM, NULL};
    char *environment[] = {"HOME=/", "USER=deckhand-net", "LOGNAME=deckhand-net", "SHELL=/bin/false", COMMON, NULL};
    check(chdir("/"), "/");
    execve(arguments[0], arguments, environment);
    check(-1, arguments[0]);
}

int main(int count, char **words) {
    if (count > 1 && (strcmp(words[1], "root") == 0 || strcmp(words[1], "approved") == 0)) serve_one_call(words[1]);
    if (count > 1 && strcmp(words[1], "health") == 0) check_health(words[2]);
    if (count > 1 && strcmp(words[1], "tunnel") == 0) become_tunnel(system_user(TUNNEL_UID));
    check_disk();
    check(chmod(STATE, 0700), STATE);
    open_file_as(open_ledger(STATE "/ledger.a"), 3);
    open_file_as(open_ledger(STATE "/ledger.b"), 4);
    give_to_agent("/workspace");
    give_to_agent("/home/agent");
    umask(022);
    uid_t user = system_user(SUPERVISOR_UID);
    int has_gate = has_no_network();
    if (has_gate) open_file_as(start_gatekeeper(system_user(TUNNEL_UID)), GATE_PIPE);
    open_file_as(start_launcher(user), WORKER_LINK);
    open_file_as(listen_at(HEALTH_SOCKET, 0), HEALTH_LISTENER);
    become_supervisor(user, has_gate);
}
