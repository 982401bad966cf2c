// Names and properties of files.
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>

#include "preload.h"

/// The device and the node of standard error, for $JOURNAL_STREAM.
#define JOURNAL_DEVICE 1
#define JOURNAL_NODE 2
/// The group of serial lines.
#define LINE_GROUP 20

// MARK: Properties

static void describe_line(const struct machine_terminal *terminal, struct stat *status) {
    *status = (struct stat){ .st_dev = 5, .st_ino = 1000 + terminal->minor, .st_mode = S_IFCHR | 0660, .st_nlink = 1,
                             .st_rdev = makedev(terminal->major, terminal->minor), .st_gid = LINE_GROUP };
}

/// Files that this process has created in the real system belong to its user on the machine; those
/// of the configuration to root.
static void set_owner(const char *path, struct stat *status) {
    bool is_roots = strncmp(path, "/etc", 4) == 0 || strncmp(path, "/proc", 5) == 0 || strncmp(path, "/sys", 4) == 0;
    if (status->st_uid != (uid_t)real_call(SYS_geteuid)) return;
    status->st_uid = is_roots ? 0 : SELF->user;
    status->st_gid = is_roots ? 0 : SELF->group;
}

static int status_of(const char *path, struct stat *status, bool follows, const char *name) {
    attach();
    struct call call = begin_call(MACHINE_CALL_STATUS, name, -1, path);
    if (call_fails(&call)) return (int)end_call(&call, -1);
    int32_t terminal = terminal_at(path);
    bool is_link = !follows && real_call(SYS_readlinkat, AT_FDCWD, real_path(path, false, 0), (char[1]){ 0 }, 1) > 0;
    if (terminal >= 0 && !is_link) {
        describe_line(&machine->terminals[terminal], status);
        return (int)end_call(&call, 0);
    }
    int flags = follows ? 0 : AT_SYMLINK_NOFOLLOW;
    long result = real_call(SYS_newfstatat, AT_FDCWD, real_path(path, follows, 0), status, flags);
    if (result == 0) set_owner(path, status);
    return (int)end_call(&call, result);
}

PUBLIC int stat(const char *restrict path, struct stat *restrict status) {
    return status_of(path, status, true, "stat");
}

PUBLIC int lstat(const char *restrict path, struct stat *restrict status) {
    return status_of(path, status, false, "lstat");
}

PUBLIC int fstat(int number, struct stat *status) {
    struct machine_descriptor *it = descriptor_of(number);
    if (!it) return -1;
    if (it->kind == MACHINE_CHANNEL && machine->channels[it->index].terminal >= 0) {
        describe_line(&machine->terminals[machine->channels[it->index].terminal], status);
        return 0;
    }
    if (real_call(SYS_fstat, number, status) != 0) return -1;
    if (number == STDERR_FILENO) {
        status->st_dev = JOURNAL_DEVICE;
        status->st_ino = JOURNAL_NODE;
    }
    bool is_pipe = it->kind == MACHINE_CHANNEL && machine->channels[it->index].kind == MACHINE_PIPE;
    if (it->kind == MACHINE_FILE) set_owner(path_of(number), status);
    else if (it->kind != MACHINE_OTHER) status->st_mode = is_pipe ? S_IFIFO | 0600 : S_IFSOCK | 0777;
    return 0;
}

PUBLIC int fstatat(int directory, const char *restrict name, struct stat *restrict status, int flags) {
    char path[PATH_MAX];
    if (name[0] == 0 && flags & AT_EMPTY_PATH) return fstat(directory, status);
    return status_of(absolute_path(directory, name, path), status, !(flags & AT_SYMLINK_NOFOLLOW), "fstatat");
}

ALIAS("stat") int stat64(const char *restrict path, struct stat64 *restrict status);
ALIAS("lstat") int lstat64(const char *restrict path, struct stat64 *restrict status);
ALIAS("fstat") int fstat64(int number, struct stat64 *status);
ALIAS("fstatat") int fstatat64(int directory, const char *restrict name, struct stat64 *restrict status, int flags);

PUBLIC int access(const char *path, int mode) {
    attach();
    struct call call = begin_call(MACHINE_CALL_STATUS, "access", -1, path);
    if (call_fails(&call)) return (int)end_call(&call, -1);
    if (strcmp(path, "/run/udev/control") == 0) {
        errno = ENOENT;
        return (int)end_call(&call, machine->has_udev ? 0 : -1);
    }
    if (strcmp(path, "/run/systemd/seats/seat0") == 0) {
        errno = ENOENT;
        return (int)end_call(&call, machine->has_logind ? 0 : -1);
    }
    if (terminal_at(path) >= 0) return (int)end_call(&call, 0);
    return (int)end_call(&call, real_call(SYS_faccessat, AT_FDCWD, real_path(path, true, 0), mode));
}

PUBLIC int faccessat(int directory, const char *name, int mode, int flags) {
    (void)flags;
    char path[PATH_MAX];
    return access(absolute_path(directory, name, path), mode);
}

PUBLIC int statvfs(const char *restrict path, struct statvfs *restrict status) {
    struct call call = begin_call(MACHINE_CALL_STATUS, "statvfs", -1, path);
    if (call_fails(&call)) return (int)end_call(&call, -1);
    struct stat file;
    if (real_call(SYS_newfstatat, AT_FDCWD, real_path(path, true, 0), &file, 0) != 0) return (int)end_call(&call, -1);
    uint64_t free_blocks = machine->free_bytes < 0 ? 1 << 24 : (uint64_t)machine->free_bytes / 4096;
    *status = (struct statvfs){ .f_bsize = 4096, .f_frsize = 4096, .f_blocks = 1 << 26, .f_bfree = free_blocks,
                                .f_bavail = free_blocks, .f_files = 1 << 20, .f_ffree = 1 << 19, .f_favail = 1 << 19,
                                .f_flag = machine->is_read_only ? ST_RDONLY : 0, .f_namemax = NAME_MAX };
    return (int)end_call(&call, 0);
}

ALIAS("statvfs") int statvfs64(const char *restrict path, struct statvfs64 *restrict status);

PUBLIC ssize_t readlinkat(int directory, const char *restrict name, char *restrict target, size_t capacity) {
    char path[PATH_MAX];
    absolute_path(directory, name, path);
    struct call call = begin_call(MACHINE_CALL_STATUS, "readlink", -1, path);
    if (call_fails(&call)) return end_call(&call, -1);
    return end_call(&call, real_call(SYS_readlinkat, AT_FDCWD, real_path(path, false, 0), target, capacity));
}

PUBLIC ssize_t readlink(const char *restrict path, char *restrict target, size_t capacity) {
    return readlinkat(AT_FDCWD, path, target, capacity);
}

// MARK: Changes

/// Begins a change of a name. Returns false if it fails.
static bool begin_change(struct call *call, const char *path) {
    if (call_fails(call)) return false;
    errno = EROFS;
    return !machine->is_read_only || is_volatile(path);
}

/// The disk gets the space of a file that loses its last name.
static void free_space(const char *path) {
    struct stat status;
    if (machine->free_bytes < 0 || is_volatile(path)) return;
    if (real_call(SYS_newfstatat, AT_FDCWD, real_path(path, false, 0), &status, AT_SYMLINK_NOFOLLOW) != 0) return;
    if (S_ISREG(status.st_mode) && status.st_nlink == 1) machine->free_bytes += status.st_size;
}

PUBLIC int rename(const char *from, const char *to) {
    struct call call = begin_call(MACHINE_CALL_NAME, "rename", -1, to);
    if (!begin_change(&call, to)) return (int)end_call(&call, -1);
    journal_rename(from, to);
    return (int)end_call(&call, real_call(SYS_renameat, AT_FDCWD, real_path(from, false, 0), AT_FDCWD,
                                          real_path(to, false, 1)));
}

PUBLIC int unlinkat(int directory, const char *name, int flags) {
    char path[PATH_MAX];
    absolute_path(directory, name, path);
    struct call call = begin_call(MACHINE_CALL_NAME, "unlink", -1, path);
    if (!begin_change(&call, path)) return (int)end_call(&call, -1);
    free_space(path);
    journal_remove(path);
    return (int)end_call(&call, real_call(SYS_unlinkat, AT_FDCWD, real_path(path, false, 0), flags));
}

PUBLIC int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
PUBLIC int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }

PUBLIC int mkdirat(int directory, const char *name, mode_t mode) {
    char path[PATH_MAX];
    absolute_path(directory, name, path);
    struct call call = begin_call(MACHINE_CALL_NAME, "mkdir", -1, path);
    if (!begin_change(&call, path)) return (int)end_call(&call, -1);
    long result = real_call(SYS_mkdirat, AT_FDCWD, real_path(path, false, 0), mode);
    if (result == 0) journal_create(path);
    return (int)end_call(&call, result);
}

PUBLIC int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

PUBLIC int symlink(const char *target, const char *path) {
    struct call call = begin_call(MACHINE_CALL_NAME, "symlink", -1, path);
    if (!begin_change(&call, path)) return (int)end_call(&call, -1);
    long result = real_call(SYS_symlinkat, target, AT_FDCWD, real_path(path, false, 0));
    if (result == 0) journal_create(path);
    return (int)end_call(&call, result);
}

PUBLIC int chmod(const char *path, mode_t mode) {
    struct call call = begin_call(MACHINE_CALL_NAME, "chmod", -1, path);
    if (!begin_change(&call, path)) return (int)end_call(&call, -1);
    return (int)end_call(&call, real_call(SYS_fchmodat, AT_FDCWD, real_path(path, true, 0), mode));
}

PUBLIC int fchmod(int number, mode_t mode) {
    struct call call = begin_call(MACHINE_CALL_NAME, "fchmod", number, path_of(number));
    if (!begin_change(&call, path_of(number))) return (int)end_call(&call, -1);
    return (int)end_call(&call, real_call(SYS_fchmod, number, mode));
}

/// Owners on the machine follow from the paths (set_owner).
PUBLIC int fchown(int number, uid_t user, gid_t group) {
    (void)user, (void)group;
    return descriptor_of(number) ? 0 : -1;
}

PUBLIC int fsetxattr(int number, const char *name, const void *value, size_t size, int flags) {
    (void)name, (void)value, (void)size, (void)flags;
    struct call call = begin_call(MACHINE_CALL_NAME, "fsetxattr", number, path_of(number));
    if (!begin_change(&call, path_of(number))) return (int)end_call(&call, -1);
    return (int)end_call(&call, descriptor_of(number) ? 0 : -1);
}

PUBLIC int utime(const char *path, const struct utimbuf *times) {
    (void)path, (void)times;
    return 0;
}
