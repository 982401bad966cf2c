// Files: opening, reading, writing, and waiting for the disk. They are real files below the root.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload.h"

static bool is_randomness(const char *path) {
    return strcmp(path, "/dev/urandom") == 0 || strcmp(path, "/dev/random") == 0;
}

static int open_other(struct call *call, const char *path, int flags) {
    if (call_fails(call)) return -1;
    // Its reads come from the machine's generator: index 1.
    int32_t index = is_randomness(path) ? 1 : 0;
    int number = (int)real_call(SYS_openat, AT_FDCWD, path, flags, 0);
    return adopt_descriptor(number, MACHINE_OTHER, index, flags & (O_ACCMODE | O_NONBLOCK));
}

static bool changes_disk(int flags) { return (flags & O_ACCMODE) != O_RDONLY || flags & (O_CREAT | O_TRUNC); }

static int open_file(struct call *call, const char *path, int flags, mode_t mode) {
    if (call_fails(call) || !has_free_descriptor()) return -1;
    if (machine->is_read_only && changes_disk(flags) && !is_volatile(path)) {
        errno = EROFS;
        return -1;
    }
    bool is_new_name = (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL);
    const char *real = real_path(path, !(flags & O_NOFOLLOW) && !is_new_name, 0);
    if (changes_disk(flags) && strncmp(real, root_path, strlen(root_path)) != 0)
        unexpected("open of %s of the real system for writing", path);
    struct stat old;
    bool existed = real_call(SYS_newfstatat, AT_FDCWD, real, &old, 0) == 0;
    if (existed && S_ISSOCK(old.st_mode)) {
        errno = ENXIO;
        return -1;
    }
    int number = (int)real_call(SYS_openat, AT_FDCWD, real, flags & ~O_TRUNC, mode);
    if (adopt_descriptor(number, MACHINE_FILE, 0, flags & (O_ACCMODE | O_NONBLOCK | O_APPEND)) < 0) return -1;
    set_path(number, path);
    if (!existed) journal_create(path);
    if (existed && flags & O_TRUNC) {
        journal_truncate(number, 0);
        real_call(SYS_ftruncate, number, 0);
    }
    return number;
}

static int open_path(const char *path, int flags, mode_t mode) {
    attach();
    int32_t terminal = terminal_at(path);
    struct call call = begin_call(terminal >= 0 ? MACHINE_CALL_LINE_OPEN : MACHINE_CALL_OPEN, "open", -1, path);
    int number;
    if (terminal >= 0) number = open_terminal(&call, terminal, flags);
    else if (is_randomness(path) || strcmp(path, "/dev/null") == 0) number = open_other(&call, path, flags);
    else number = open_file(&call, path, flags, mode);
    call.descriptor = number;
    return (int)end_call(&call, number);
}

PUBLIC int openat(int directory, const char *name, int flags, ...) {
    va_list list;
    va_start(list, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
    va_end(list);
    char path[PATH_MAX];
    if (name[0] != '/' && directory != AT_FDCWD && !descriptor_of(directory)) return -1;
    return open_path(absolute_path(directory, name, path), flags, mode);
}

PUBLIC int open(const char *path, int flags, ...) {
    va_list list;
    va_start(list, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
    va_end(list);
    return open_path(path, flags, mode);
}

ALIAS("open") int open64(const char *path, int flags, ...);
ALIAS("openat") int openat64(int directory, const char *name, int flags, ...);
PUBLIC int __open64_2(const char *path, int flags) { return open_path(path, flags, 0); }
PUBLIC int __openat64_2(int directory, const char *name, int flags) { return openat(directory, name, flags); }

// MARK: Reading

static void flip_bit(const struct call *call, uint8_t *bytes, ssize_t count) {
    if (call->fault != MACHINE_ACTION_FLIP || count <= 0) return;
    bytes[call->random / 8 % (uint64_t)count] ^= (uint8_t)(1 << call->random % 8);
}

ssize_t read_file(int number, void *bytes, size_t count, off_t offset, bool has_offset) {
    struct call call = begin_call(MACHINE_CALL_READ, has_offset ? "pread" : "read", number, path_of(number));
    if (call_fails(&call)) return end_call(&call, -1);
    count = call_length(&call, count);
    ssize_t result = has_offset ? real_call(SYS_pread64, number, bytes, count, offset)
                                : real_call(SYS_read, number, bytes, count);
    flip_bit(&call, bytes, result);
    return end_transfer(&call, result, bytes);
}

PUBLIC ssize_t pread(int number, void *bytes, size_t count, off_t offset) {
    struct machine_descriptor *it = descriptor_of(number);
    if (it && it->kind != MACHINE_FILE) errno = ESPIPE;
    return it && it->kind == MACHINE_FILE ? read_file(number, bytes, count, offset, true) : -1;
}

ALIAS("pread") ssize_t pread64(int number, void *bytes, size_t count, off_t offset);

// MARK: Writing

static off_t size_of(int number) {
    struct stat status;
    return real_call(SYS_fstat, number, &status) == 0 ? status.st_size : 0;
}

/// How many bytes of a write the disk has room for; -1 and ENOSPC if for none.
static ssize_t reserve(int number, off_t offset, size_t count) {
    off_t size = size_of(number);
    int64_t growth = offset + (off_t)count - size;
    if (machine->free_bytes < 0 || growth <= 0 || is_volatile(path_of(number))) return (ssize_t)count;
    int64_t missing = growth - machine->free_bytes;
    if (missing > 0 && (size_t)missing >= count) {
        errno = ENOSPC;
        return -1;
    }
    if (missing > 0) count -= (size_t)missing;
    machine->free_bytes -= growth - (missing > 0 ? missing : 0);
    return (ssize_t)count;
}

ssize_t write_file(int number, const void *bytes, size_t count, off_t offset, bool has_offset) {
    struct call call = begin_call(MACHINE_CALL_WRITE, has_offset ? "pwrite" : "write", number, path_of(number));
    if (call_fails(&call)) return end_call(&call, -1);
    if (machine->is_read_only && !is_volatile(path_of(number))) {
        errno = EROFS;
        return end_call(&call, -1);
    }
    bool appends = SELF->descriptors[number].flags & O_APPEND;
    if (!has_offset) offset = appends ? size_of(number) : real_call(SYS_lseek, number, 0, SEEK_CUR);
    ssize_t part = reserve(number, offset, call_length(&call, count));
    if (part < 0) return end_call(&call, -1);
    journal_write(number, offset, bytes, (size_t)part);
    ssize_t result = has_offset ? real_call(SYS_pwrite64, number, bytes, part, offset)
                                : real_call(SYS_write, number, bytes, part);
    return end_transfer(&call, result, bytes);
}

PUBLIC ssize_t pwrite(int number, const void *bytes, size_t count, off_t offset) {
    struct machine_descriptor *it = descriptor_of(number);
    if (it && it->kind != MACHINE_FILE) errno = ESPIPE;
    return it && it->kind == MACHINE_FILE ? write_file(number, bytes, count, offset, true) : -1;
}

ALIAS("pwrite") ssize_t pwrite64(int number, const void *bytes, size_t count, off_t offset);

PUBLIC int ftruncate(int number, off_t length) {
    struct call call = begin_call(MACHINE_CALL_WRITE, "ftruncate", number, path_of(number));
    if (!descriptor_of(number) || call_fails(&call)) return (int)end_call(&call, -1);
    if (machine->is_read_only && !is_volatile(path_of(number))) {
        errno = EROFS;
        return (int)end_call(&call, -1);
    }
    off_t size = size_of(number);
    if (machine->free_bytes >= 0 && length < size) machine->free_bytes += size - length;
    journal_truncate(number, length);
    return (int)end_call(&call, real_call(SYS_ftruncate, number, length));
}

ALIAS("ftruncate") int ftruncate64(int number, off_t length);

PUBLIC off_t lseek(int number, off_t offset, int whence) {
    struct machine_descriptor *it = descriptor_of(number);
    if (it && it->kind != MACHINE_FILE && it->kind != MACHINE_OTHER) errno = ESPIPE;
    if (!it || (it->kind != MACHINE_FILE && it->kind != MACHINE_OTHER)) return -1;
    return real_call(SYS_lseek, number, offset, whence);
}

ALIAS("lseek") off_t lseek64(int number, off_t offset, int whence);

// MARK: The disk

static int sync_file(int number, const char *name) {
    struct call call = begin_call(MACHINE_CALL_SYNC, name, number, path_of(number));
    struct machine_descriptor *it = descriptor_of(number);
    if (it && it->kind != MACHINE_FILE) errno = EINVAL;
    if (!it || it->kind != MACHINE_FILE) return (int)end_call(&call, -1);
    bool fails = call_fails(&call);
    if (call.fault != MACHINE_ACTION_LOSE) journal_sync(number, fails);
    return (int)end_call(&call, fails ? -1 : 0);
}

PUBLIC int fsync(int number) { return sync_file(number, "fsync"); }
PUBLIC int fdatasync(int number) { return sync_file(number, "fdatasync"); }

// MARK: Random bytes

PUBLIC ssize_t getrandom(void *bytes, size_t count, unsigned flags) {
    (void)flags;
    attach();
    fill_random(bytes, count);
    return (ssize_t)count;
}

PUBLIC int getentropy(void *bytes, size_t count) {
    attach();
    fill_random(bytes, count);
    return 0;
}
