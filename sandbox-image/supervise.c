/*
 * supervise CMD ARG...         becomes CMD, as child subreaper and first in line for the OOM killer.
 * supervise --shell SHELL NAME ARG...
 *                              becomes SHELL under that name, likewise. Takes DECKHAND_NONCE out of the environment
 *                              and hands its value over in a pipe; DECKHAND_SHELL=PID:FD names it.
 *                              This program and SHELL have mode 0711, so that no other process of the user can read
 *                              their environment, memory and files.
 * supervise --wait CMD ARG...  runs CMD in a session of its own, both outputs in one, and stays until the last
 *                              descendant is gone. Tells on fd 3 "started PID" and, at once when CMD ends,
 *                              "ended CODE". Exits with CMD's code; 128 + n for signal n.
 * supervise --wait --in FD [--agent] CMD ARG...
 *                              the same in the directory that FD is open on; with --agent CMD alone runs as uid 1000
 *                              without any capability, while the supervisor stays root, out of the workload's reach.
 * supervise --wait --in FD --confine [--open FD]... CMD ARG...
 *                              the same as root, where the kernel keeps CMD from every file that the workload can
 *                              write, except those that an --open FD is open on: it can read and execute them.
 * supervise --git [--remote] [--in FD] [--open FD]... CMD ARG...
 *                              becomes CMD, a git that can read the system and below each --open FD, write nothing,
 *                              start no other program and open no TCP connection; as a user that owns nothing.
 *                              With --remote it may start git's own programs, which find a remote at the descriptors
 *                              3 and 4: only for settings that the server has written.
 * supervise --workloads        prints what the workload can write among the files of the system.
 * supervise --landlock         prints the kernel's Landlock version; fails when it has none.
 *
 * A subreaper is what double forks and setsid cannot escape: orphans become its children, so that everything
 * a command started can be found below it in the process table.
 */
#define _GNU_SOURCE
#include "confine.h"
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define REPORT 3
#define RULESET 4
#define AGENT 1000
#define NOBODY 65534
#define READABLE_LIMIT 512

static volatile pid_t command;

static void pass_on(int signal_number) {
  if (command > 0) kill(-command, signal_number);
}

static void first_for_the_oom_killer(void) {
  int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (fd < 0) return;
  if (write(fd, "1000", 4) < 0) { /* a hardened kernel may refuse: the command runs all the same */
  }
  close(fd);
}

/* In line mode the kernel should erase whole characters, not bytes. */
static void erase_whole_characters(void) {
  struct termios mode;
  if (tcgetattr(0, &mode) != 0) return;
  mode.c_iflag |= IUTF8;
  tcsetattr(0, TCSANOW, &mode);
}

/* The server's own files, its ledger above all, are none of the command's business. */
static void close_from(unsigned int first) {
  syscall(SYS_close_range, first, ~0U, 0);
}

static int become_with(char **argv, unsigned int descriptors) {
  close_from(descriptors);
  execvp(argv[0], argv);
  int code = errno == ENOENT ? 127 : 126;
  dprintf(2, "supervise: %s: %s\n", argv[0], strerror(errno));
  return code;
}

static int become(char **argv) { return become_with(argv, 3); }

#define NONCE_FILE 9

static int become_shell(char **argv) {
  char *nonce = getenv("DECKHAND_NONCE");
  int ends[2];
  char name[32];
  close_from(3);
  if (!nonce || pipe(ends) != 0) return 126;
  dprintf(ends[1], "%s\n", nonce);
  dup2(ends[0], NONCE_FILE);
  close(ends[0]), close(ends[1]);
  unsetenv("DECKHAND_NONCE");
  snprintf(name, sizeof name, "%d:%d", (int)getpid(), NONCE_FILE);
  setenv("DECKHAND_SHELL", name, 1);
  execv(argv[0], argv + 1);
  dprintf(2, "supervise: %s: %s\n", argv[0], strerror(errno));
  return 126;
}

static int exit_code(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int wait_for_all(void) {
  int code = 0;
  for (;;) {
    int status;
    pid_t pid = waitpid(-1, &status, 0);
    if (pid < 0 && errno == EINTR) continue;
    if (pid < 0) return code;
    if (pid != command) continue;
    code = exit_code(status);
    dprintf(REPORT, "ended %d\n", code);
    close(REPORT);
  }
}

/* Of all capabilities, only those of the mask are left to this process and to what it becomes. */
static int keep_capabilities(unsigned int kept, uid_t user) {
  for (int capability = 0;; capability++) {
    if (capability < 32 && (kept & (1U << capability))) continue;
    if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0) break;
  }
  if (errno != EINVAL || prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0) return -1;
  /* Otherwise the change of user takes the capabilities, and so does access(2), by which git looks for repositories. */
  if (kept && prctl(PR_SET_SECUREBITS, SECBIT_NO_SETUID_FIXUP, 0, 0, 0) != 0) return -1;
  if (setgroups(0, NULL) != 0 || setresgid(user, user, user) != 0 || setresuid(user, user, user) != 0) return -1;
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct data[2] = {{kept, kept, kept}, {0, 0, 0}};
  if (syscall(SYS_capset, &header, data) != 0) return -1;
  for (int capability = 0; capability < 32; capability++)
    if ((kept & (1U << capability)) && prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0) != 0) return -1;
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/* What a remote says, and what it is told. */
#define REMOTE 3

struct options {
  int stays, is_shell, is_git, has_remote, as_agent, is_confined;
  int directory;
  int readable[READABLE_LIMIT];
  int readable_count;
};

/* Returns the command; NULL for words that make no sense. */
static char **read_options(char **words, struct options *options) {
  for (; words[0] && strncmp(words[0], "--", 2) == 0; words++) {
    if (strcmp(words[0], "--wait") == 0) options->stays = 1;
    else if (strcmp(words[0], "--shell") == 0) return options->is_shell = 1, words + 1;
    else if (strcmp(words[0], "--git") == 0) options->is_git = 1;
    else if (strcmp(words[0], "--remote") == 0) options->has_remote = 1;
    else if (strcmp(words[0], "--agent") == 0) options->as_agent = 1;
    else if (strcmp(words[0], "--confine") == 0) options->is_confined = 1;
    else if (!words[1]) return NULL;
    else if (strcmp(words[0], "--in") == 0) options->directory = atoi(*++words);
    else if (strcmp(words[0], "--open") == 0 && options->readable_count < READABLE_LIMIT)
      options->readable[options->readable_count++] = atoi(*++words);
    else return NULL;
  }
  return words[0] ? words : NULL;
}

static int fail(const char *what) {
  dprintf(2, "supervise: %s: %s\n", what, strerror(errno));
  return 126;
}

static int become_git(const struct options *options, char **command) {
  /* Without Landlock the user, who owns nothing, and the limit below have to do. */
  int ruleset = landlock_version() > 0 ? git_ruleset(options->readable, options->readable_count) : -1;
  if (ruleset < 0 && landlock_version() > 0) return fail("landlock");
  if (geteuid() == 0 && keep_capabilities(1U << CAP_DAC_READ_SEARCH, NOBODY) != 0) return fail("dropping privileges");
  /* Whatever a repository's settings name, git starts no process for it; with a remote, the settings are the server's. */
  struct rlimit none = {0, 0};
  if (!options->has_remote && setrlimit(RLIMIT_NPROC, &none) != 0) return fail("process limit");
  if (ruleset >= 0 && restrict_to(ruleset) != 0) return fail("landlock");
  return become_with(command, options->has_remote ? REMOTE + 2 : 3);
}

static int fail_to_start(const char *what) {
  dprintf(REPORT, "failed %s: %s\n", what, strerror(errno));
  return 126;
}

static int start_command(const struct options *options, char **words) {
  signal(SIGPIPE, SIG_DFL);
  setsid();
  if (options->as_agent && keep_capabilities(0, AGENT) != 0) return fail("dropping privileges");
  if (options->is_confined && restrict_to(RULESET) != 0) return fail("landlock");
  return become(words);
}

static int stay(const struct options *options, char **words) {
  if (options->is_confined) {
    int ruleset = system_ruleset(options->readable, options->readable_count);
    if (ruleset < 0) return fail_to_start("landlock");
    if (ruleset != RULESET && dup2(ruleset, RULESET) < 0) return fail_to_start("landlock");
  }
  close_from(options->is_confined ? RULESET + 1 : REPORT + 1);
  signal(SIGPIPE, SIG_IGN);
  dup2(1, 2);
  command = fork();
  if (command < 0) return fail_to_start("fork");
  if (command == 0) return start_command(options, words);
  struct sigaction action = {.sa_handler = pass_on};
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGHUP, &action, NULL);
  dprintf(REPORT, "started %d\n", (int)command);
  /* Whoever reads the output must see its end when the last descendant is gone. */
  close(0), close(1), close(2);
  return wait_for_all();
}

static int print_landlock_version(void) {
  int version = landlock_version();
  dprintf(1, "%d\n", version);
  return version > 0 ? 0 : 1;
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "--landlock") == 0) return print_landlock_version();
  if (argc == 2 && strcmp(argv[1], "--workloads") == 0) return print_workloads() == 0 ? 0 : fail("workloads");
  struct options options = {.directory = -1};
  char **words = read_options(argv + 1, &options);
  if (!words) return 2;
  if (options.directory >= 0 && fchdir(options.directory) != 0)
    return options.stays ? fail_to_start("directory") : fail("directory");
  if (options.is_git) return become_git(&options, words);
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  first_for_the_oom_killer();
  if (options.stays) return stay(&options, words);
  erase_whole_characters();
  return options.is_shell ? become_shell(words) : become(words);
}
