#define _GNU_SOURCE
#include "confine.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#define AGENT 1000

/* The kernel's own names, because the headers of the image are older than many kernels that it runs on. */
#define EXECUTE (1ULL << 0)
#define WRITE_FILE (1ULL << 1)
#define READ_FILE (1ULL << 2)
#define READ_DIR (1ULL << 3)
#define UP_TO_VERSION_1 ((1ULL << 13) - 1)
#define REFER (1ULL << 13)
#define TRUNCATE (1ULL << 14)
#define IOCTL_DEV (1ULL << 15)
#define ON_FILES (EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV)
#define BIND_TCP (1ULL << 0)
#define CONNECT_TCP (1ULL << 1)
#define ABSTRACT_UNIX_SOCKET (1ULL << 0)
#define CREATE_RULESET_VERSION 1U
#define PATH_BENEATH 1

struct ruleset_attributes {
  uint64_t files, network, scoped;
};
struct path_beneath {
  uint64_t allowed;
  int32_t parent;
} __attribute__((packed));

int landlock_version(void) {
  long version = syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_RULESET_VERSION);
  return version > 0 ? (int)version : 0;
}

static uint64_t rights_of(int version) {
  uint64_t rights = UP_TO_VERSION_1;
  if (version >= 2) rights |= REFER;
  if (version >= 3) rights |= TRUNCATE;
  if (version >= 5) rights |= IOCTL_DEV;
  return rights;
}

struct ruleset {
  int descriptor;
  uint64_t handled;
};

static int create(struct ruleset *made, uint64_t network) {
  int version = landlock_version();
  if (version == 0) {
    errno = ENOSYS;
    return -1;
  }
  made->handled = rights_of(version);
  struct ruleset_attributes attributes = {
      .files = made->handled,
      .network = version >= 4 ? network : 0,
      .scoped = version >= 6 ? ABSTRACT_UNIX_SOCKET : 0,
  };
  made->descriptor = (int)syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0);
  return made->descriptor < 0 ? -1 : 0;
}

static int grant_open(const struct ruleset *set, int descriptor, uint64_t rights) {
  struct stat found;
  if (fstat(descriptor, &found) != 0) return -1;
  struct path_beneath rule = {rights & set->handled, descriptor};
  if (!S_ISDIR(found.st_mode)) rule.allowed &= ON_FILES;
  if (rule.allowed == 0) return 0;
  return (int)syscall(SYS_landlock_add_rule, set->descriptor, PATH_BENEATH, &rule, 0);
}

/* A path that is gone, or was never there, needs no rule. */
static int grant(const struct ruleset *set, const char *path, uint64_t rights) {
  int descriptor = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0) return errno == ENOENT ? 0 : -1;
  int result = grant_open(set, descriptor, rights);
  close(descriptor);
  return result;
}

static int grant_each(const struct ruleset *set, const int *descriptors, int count, uint64_t rights) {
  for (int index = 0; index < count; index++)
    if (grant_open(set, descriptors[index], rights) != 0) return -1;
  return 0;
}

/* Paths that the workload can write, each with everything below it. */
struct paths {
  char **items;
  size_t count;
};

static int add_path(struct paths *list, const char *path) {
  char **items = realloc(list->items, (list->count + 1) * sizeof *items);
  if (!items) return -1;
  list->items = items;
  items[list->count] = strdup(path);
  return items[list->count] ? (list->count++, 0) : -1;
}

static void free_paths(struct paths *list) {
  for (size_t index = 0; index < list->count; index++) free(list->items[index]);
  free(list->items);
}

static int is_one_of(const char *path, const char *const *list) {
  for (; *list; list++)
    if (strcmp(path, *list) == 0) return 1;
  return 0;
}

/* A terminal that the workload opens later lies in /dev/pts, too. */
static const char *const ALWAYS_WORKLOADS[] = {
    "/workspace", "/home/agent", "/tmp", "/dev/shm", "/dev/mqueue", "/dev/pts", NULL,
};

/* The kernel's own files, and root's copies, which keep the owner of the file that they are made from. */
static const char *const NEVER_WORKLOADS[] = {"/proc", "/sys", "/run/deckhand", NULL};

/* Whether an access list gives others than owner and group a share: the mode then shows the most that it gives anyone. */
static int has_access_list(const char *path) {
  return lgetxattr(path, "system.posix_acl_access", NULL, 0) > 0;
}

/* A link is judged by where it leads, a socket is not opened, and a device that all may write holds no bytes of theirs. */
static int is_workloads(const char *path, const struct stat *entry) {
  mode_t mode = entry->st_mode;
  if (S_ISLNK(mode) || S_ISSOCK(mode)) return 0;
  if (entry->st_uid == AGENT) return 1;
  if (S_ISCHR(mode) || S_ISBLK(mode)) return 0;
  return (mode & S_IWOTH) || ((mode & S_IWGRP) && (entry->st_gid == AGENT || has_access_list(path)));
}

/* `path` is a buffer of PATH_MAX bytes that holds the directory's path up to `length`. Takes the descriptor over. */
static int find_workloads(int descriptor, char *path, size_t length, struct paths *found) {
  DIR *directory = fdopendir(descriptor);
  if (!directory) return close(descriptor), -1;
  int result = 0;
  struct dirent *entry;
  while (result == 0 && (entry = readdir(directory))) {
    if (entry->d_type == DT_LNK || strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    struct stat look;
    if (fstatat(descriptor, entry->d_name, &look, AT_SYMLINK_NOFOLLOW) != 0) continue;
    int written = snprintf(path + length, PATH_MAX - length, "/%s", entry->d_name);
    if (written < 0 || (size_t)written >= PATH_MAX - length) result = (errno = ENAMETOOLONG, -1);
    else if (is_one_of(path, NEVER_WORKLOADS)) continue;
    else if (is_workloads(path, &look) || is_one_of(path, ALWAYS_WORKLOADS)) result = add_path(found, path);
    else if (S_ISDIR(look.st_mode)) {
      int below = openat(descriptor, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      if (below >= 0) result = find_workloads(below, path, length + (size_t)written, found);
      else if (errno != ENOENT) result = -1;
    }
  }
  closedir(directory);
  return result;
}

enum place { CLEAN, AROUND, WORKLOADS };

static enum place place_of(const char *path, const struct paths *workloads) {
  size_t length = strlen(path);
  enum place place = CLEAN;
  for (size_t index = 0; index < workloads->count; index++) {
    const char *one = workloads->items[index];
    if (strncmp(one, path, length) != 0) continue;
    if (one[length] == '\0') return WORKLOADS;
    if (one[length] == '/') place = AROUND;
  }
  return place;
}

/* Landlock cannot take back below a directory what it grants there: around the workload's files each entry gets its own. */
static int grant_around(const struct ruleset *set, char *path, size_t length, const struct paths *workloads) {
  /* Root may still create and replace files beside those of the workload, and read them in its next command. */
  if (length > 0 && strcmp(path, "/dev") != 0 && grant(set, path, ~(EXECUTE | READ_FILE)) != 0) return -1;
  DIR *directory = opendir(length > 0 ? path : "/");
  if (!directory) return -1;
  int result = 0;
  struct dirent *entry;
  while (result == 0 && (entry = readdir(directory))) {
    if (entry->d_type == DT_LNK || strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
    int written = snprintf(path + length, PATH_MAX - length, "/%s", entry->d_name);
    if (written < 0 || (size_t)written >= PATH_MAX - length) continue;
    enum place place = place_of(path, workloads);
    if (place == CLEAN) result = grant(set, path, ~0ULL);
    else if (place == AROUND) result = grant_around(set, path, length + (size_t)written, workloads);
  }
  path[length] = '\0';
  closedir(directory);
  return result;
}

static int find_all_workloads(struct paths *found) {
  char path[PATH_MAX] = "";
  int root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return root < 0 ? -1 : find_workloads(root, path, 0, found);
}

static int grant_system(const struct ruleset *set) {
  char path[PATH_MAX] = "";
  struct paths workloads = {NULL, 0};
  int result = find_all_workloads(&workloads);
  if (result == 0) result = grant_around(set, path, 0, &workloads);
  free_paths(&workloads);
  return result;
}

int print_workloads(void) {
  struct paths workloads = {NULL, 0};
  int result = find_all_workloads(&workloads);
  for (size_t index = 0; index < workloads.count; index++) {
    const char *path = workloads.items[index];
    if (!is_one_of(path, ALWAYS_WORKLOADS) && strncmp(path, "/dev/", 5) != 0) printf("%s\n", path);
  }
  free_paths(&workloads);
  return result;
}

int system_ruleset(const int *readable, int count) {
  struct ruleset set;
  if (create(&set, 0) != 0) return -1;
  /* Names may be seen everywhere, so that root can list and search; what the files hold is another matter. */
  if (grant(&set, "/", READ_DIR) == 0 && grant_system(&set) == 0 &&
      grant_each(&set, readable, count, EXECUTE | READ_FILE | READ_DIR) == 0)
    return set.descriptor;
  return -1;
}

/* The kernel also asks for the right to execute the program that loads git's libraries. */
static const char *const GIT_PROGRAMS[] = {
    "/usr/bin/git",
    "/usr/lib/git-core",
    "/lib64/ld-linux-x86-64.so.2",
    "/lib/ld-linux-aarch64.so.1",
    NULL,
};
static const char *const GIT_READS[] = {"/usr", "/lib", "/lib64", "/etc", "/opt/deckhand", NULL};

static int grant_real(const struct ruleset *set, const char *const *paths, uint64_t rights) {
  for (; *paths; paths++) {
    char real[PATH_MAX];
    if (!realpath(*paths, real)) continue;
    if (grant(set, real, rights) != 0) return -1;
  }
  return 0;
}

int git_ruleset(const int *readable, int count) {
  struct ruleset set;
  if (create(&set, BIND_TCP | CONNECT_TCP) != 0) return -1;
  if (grant_real(&set, GIT_READS, READ_FILE | READ_DIR) == 0 && grant_real(&set, GIT_PROGRAMS, EXECUTE) == 0 &&
      grant(&set, "/dev/null", READ_FILE | WRITE_FILE) == 0 &&
      grant_each(&set, readable, count, READ_FILE | READ_DIR) == 0)
    return set.descriptor;
  return -1;
}

int restrict_to(int ruleset) {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return (int)syscall(SYS_landlock_restrict_self, ruleset, 0);
}
