/* Landlock for approved commands: the kernel holds a process and all of its descendants to the files granted here. */
#ifndef CONFINE_H
#define CONFINE_H

/* The version of the kernel's interface; 0 without one, or where the engine's seccomp profile hides it. */
int landlock_version(void);

/*
 * For root's commands: everything of the system except what the workload can write; of that only the open files and
 * directories in `readable`, for reading and executing. Returns a ruleset for `restrict_to`, or -1 with errno.
 */
int system_ruleset(const int *readable, int count);

/*
 * For a git that only answers questions: reads the system and `readable`, executes git alone, writes nothing and opens
 * no TCP connection.
 */
int git_ruleset(const int *readable, int count);

/* Prints what the workload can write among the files of the system, one path a line. Returns -1 with errno. */
int print_workloads(void);

/* Binds the calling process for good. Returns -1 with errno when the kernel refuses. */
int restrict_to(int ruleset);

#endif
