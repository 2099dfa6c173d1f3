/* trace LOG PROGRAM [ARGUMENT]... : runs a program and writes one line to LOG for everything that it and its
 * descendants execute: "starter<TAB>started". The starter is what the process was before; "shell" is the first program. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SLOTS 65536 /* pid_max of a container may be higher: then processes share a slot, and the test says so */
static char names[SLOTS][32];
/* Stopped before its parent told where it comes from. */
static char waiting[SLOTS];
static char *name_of(pid_t pid) { return names[pid % SLOTS]; }

static void read_comm(pid_t pid, char *into, size_t size) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/comm", pid);
  FILE *file = fopen(path, "r");
  if (!file || !fgets(into, (int)size, file)) snprintf(into, size, "?");
  if (file) fclose(file);
  into[strcspn(into, "\n")] = 0;
}

static void handle(pid_t pid, int status, FILE *log) {
  int signal = WSTOPSIG(status), event = status >> 16;
  unsigned long child = 0;
  if (name_of(pid)[0] == 0) {
    waiting[pid % SLOTS] = 1;
    return;
  }
  if (event == PTRACE_EVENT_EXEC) {
    char comm[32];
    read_comm(pid, comm, sizeof comm);
    fprintf(log, "%s\t%s\n", name_of(pid), comm);
    fflush(log);
    memcpy(name_of(pid), comm, sizeof comm);
  } else if (event != 0) {
    ptrace(PTRACE_GETEVENTMSG, pid, 0, &child);
    memcpy(name_of((pid_t)child), name_of(pid), sizeof names[0]);
    if (waiting[child % SLOTS]) ptrace(PTRACE_CONT, (pid_t)child, 0, 0);
    waiting[child % SLOTS] = 0;
  }
  int pass = event != 0 || signal == SIGTRAP || signal == SIGSTOP ? 0 : signal;
  ptrace(PTRACE_CONT, pid, 0, pass);
}

int main(int count, char **words) {
  if (count < 3) return 2;
  FILE *log = fopen(words[1], "w");
  if (!log) return 2;
  pid_t first = fork();
  if (first == 0) {
    fclose(log);
    ptrace(PTRACE_TRACEME, 0, 0, 0);
    raise(SIGSTOP);
    execvp(words[2], words + 2);
    _exit(127);
  }
  int status;
  waitpid(first, &status, 0);
  long options = PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL;
  ptrace(PTRACE_SETOPTIONS, first, 0, options);
  ptrace(PTRACE_CONT, first, 0, 0);
  waitpid(first, &status, 0); /* its own exec */
  strcpy(name_of(first), "shell");
  ptrace(PTRACE_CONT, first, 0, 0);
  time_t end = 0; /* what runs in the background gets a moment more */
  while (!end || time(NULL) < end) {
    pid_t pid = waitpid(-1, &status, __WALL | (end ? WNOHANG : 0));
    if (pid < 0) break;
    if (pid == 0) { usleep(10000); continue; }
    if (WIFSTOPPED(status)) handle(pid, status, log);
    else {
      name_of(pid)[0] = 0;
      if (pid == first) end = time(NULL) + 1;
    }
  }
  fclose(log);
  return 0;
}
