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
 *
 * A subreaper is what double forks and setsid cannot escape: orphans become its children, so that everything
 * a command started can be found below it in the process table.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define REPORT 3
#define AGENT 1000

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

static int become(char **argv) {
  close_from(3);
  execvp(argv[0], argv);
  int code = errno == ENOENT ? 127 : 126;
  dprintf(2, "supervise: %s: %s\n", argv[0], strerror(errno));
  return code;
}

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

static int drop_privileges(void) {
  for (int capability = 0; prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) == 0; capability++) continue;
  if (errno != EINVAL) return -1;
  if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0) return -1;
  if (setgroups(0, NULL) != 0 || setresgid(AGENT, AGENT, AGENT) != 0 || setresuid(AGENT, AGENT, AGENT) != 0) return -1;
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct none[2] = {{0, 0, 0}, {0, 0, 0}};
  if (syscall(SYS_capset, &header, none) != 0) return -1;
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

int main(int argc, char **argv) {
  int stay = argc > 1 && strcmp(argv[1], "--wait") == 0;
  int is_shell = argc > 1 && strcmp(argv[1], "--shell") == 0;
  char **rest = argv + 1 + (stay || is_shell);
  if (stay && rest[0] && rest[1] && strcmp(rest[0], "--in") == 0) {
    if (fchdir(atoi(rest[1])) != 0) {
      dprintf(REPORT, "failed %s\n", strerror(errno));
      return 126;
    }
    rest += 2;
  }
  int as_agent = stay && rest[0] && strcmp(rest[0], "--agent") == 0;
  rest += as_agent;
  if (!rest[0]) return 2;
  prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  first_for_the_oom_killer();
  if (!stay) {
    erase_whole_characters();
    return is_shell ? become_shell(rest) : become(rest);
  }
  close_from(REPORT + 1);
  signal(SIGPIPE, SIG_IGN);
  dup2(1, 2);
  command = fork();
  if (command < 0) {
    dprintf(REPORT, "failed %s\n", strerror(errno));
    return 126;
  }
  if (command == 0) {
    signal(SIGPIPE, SIG_DFL);
    setsid();
    if (as_agent && drop_privileges() != 0) {
      dprintf(2, "supervise: dropping privileges: %s\n", strerror(errno));
      return 126;
    }
    return become(rest);
  }
  struct sigaction action = {.sa_handler = pass_on};
  sigaction(SIGTERM, &action, NULL);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGHUP, &action, NULL);
  dprintf(REPORT, "started %d\n", (int)command);
  /* Whoever reads the output must see its end when the last descendant is gone. */
  close(0), close(1), close(2);
  return wait_for_all();
}
