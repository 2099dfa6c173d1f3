// The container's first program, started as root. It puts the volumes in order, opens the two files of
// the call ledger, which the workload cannot reach, as files 3 and 4, and then becomes the server:
// uid 1000, no capability, no way to get one, and an environment of its own.
//
// A C program and not a script around setpriv and env: each of those costs a start, and every workspace
// waits for this one.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define AGENT 1000
#define STATE "/var/lib/deckhand"

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
// there: better no workspace than one that shows other files and loses what is written now.
static void check_disk(void) {
    if (access("/workspace/.deckhand-disk-missing", F_OK) != 0) return;
    fprintf(stderr, "deckhand init: the workspace's disk is not mounted\n");
    exit(78);
}

static void open_ledger(const char *path, int number) {
    int file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
    check(file, path);
    if (file == number) return;
    check(dup2(file, number), path);
    close(file);
}

static void drop_privileges(void) {
    for (int capability = 0; prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0; capability++) continue;
    if (errno != EINVAL) check(-1, "drop the bounding set");
    check(setgroups(0, NULL), "setgroups");
    check(setresgid(AGENT, AGENT, AGENT), "setresgid");
    check(setresuid(AGENT, AGENT, AGENT), "setresuid");
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[2] = {{0, 0, 0}, {0, 0, 0}};
    check(syscall(SYS_capset, &header, none), "capset");
    check(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no-new-privileges");
}

#define PATHS "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
#define SERVER "/opt/deckhand/node", "--snapshot-blob", "/opt/deckhand/server.blob", "server"
#define COMMON PATHS, "LANG=en_US.UTF-8", "TERM=xterm-256color"

static void become(char **arguments, char **environment) {
    check(chdir("/workspace"), "/workspace");
    execve(arguments[0], arguments, environment);
    check(-1, arguments[0]);
}

// Only the engine can start this as root: it serves one approved call and stays root.
static void serve_root_call(void) {
    char *arguments[] = {SERVER, "root", NULL};
    char *environment[] = {"HOME=/root", "USER=root", "LOGNAME=root", "SHELL=/bin/bash", COMMON, NULL};
    become(arguments, environment);
}

int main(int count, char **words) {
    if (count > 1 && strcmp(words[1], "root") == 0) serve_root_call();
    check_disk();
    check(chmod(STATE, 0700), STATE);
    open_ledger(STATE "/ledger.a", 3);
    open_ledger(STATE "/ledger.b", 4);
    give_to_agent("/workspace");
    give_to_agent("/home/agent");
    umask(022);
    drop_privileges();
    char *arguments[] = {SERVER, NULL};
    char *environment[] = {"HOME=/home/agent", "USER=agent", "LOGNAME=agent", "SHELL=/bin/bash", COMMON, NULL};
    become(arguments, environment);
}
