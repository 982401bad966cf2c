// Writes down what a power cut may undo: the old bytes of files, the old names of directories.
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../journal.h"
#include "preload.h"

/// Memory file systems are empty after a power cut.
bool is_volatile(const char *path) {
    static const char *const prefixes[] = { "/run/", "/tmp/", "/dev/", "/proc/", "/sys/" };
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (strncmp(path, prefixes[i], strlen(prefixes[i])) == 0) return true;
    return path[0] != '/';
}

static uint64_t file_of(int number, off_t *size) {
    struct stat status = { 0 };
    real_call(SYS_fstat, number, &status);
    if (size) *size = status.st_size;
    return status.st_ino;
}

static uint64_t file_at(const char *real) {
    struct stat status = { 0 };
    return real_call(SYS_newfstatat, AT_FDCWD, real, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status.st_ino : 0;
}

static uint64_t directory_of(const char *path) {
    char parent[PATH_MAX];
    const char *slash = strrchr(path, '/');
    snprintf(parent, sizeof parent, "%.*s", (int)(slash - path), path);
    return file_at(real_path(parent[0] ? parent : "/", true, 0));
}

/// Names the file or directory with the most bytes in the journal, for whoever must find out why.
static _Noreturn void refuse_entry(void) {
    uint64_t largest = 0, most = 0, states[3] = { 0 };
    for (uint64_t at = 0; at < machine->journal_end;) {
        const struct journal_entry *entry = (const void *)(machine->journal + at);
        uint64_t bytes = 0;
        for (uint64_t other = 0; other < machine->journal_end && entry->file != largest;) {
            const struct journal_entry *it = (const void *)(machine->journal + other);
            if (it->file == entry->file) bytes += it->size;
            other += it->size;
        }
        if (bytes > most) {
            most = bytes;
            largest = entry->file;
        }
        states[entry->state]++;
        at += entry->size;
        if (at > (1 << 20)) break;
    }
    unexpected("the journal is full: %llu entries, %llu bytes of file %llu; of the first ones %llu pending, %llu on disk, "
               "%llu forgotten", (unsigned long long)machine->journal_entries, (unsigned long long)most,
               (unsigned long long)largest, (unsigned long long)states[0], (unsigned long long)states[1],
               (unsigned long long)states[2]);
}

static struct journal_entry *add_entry(int32_t kind, uint64_t file, size_t bytes) {
    struct journal_entry *entry = machine_journal_add(machine, root_path, kind, file, bytes);
    if (!entry) refuse_entry();
    return entry;
}

// MARK: Contents

void journal_write(int number, off_t offset, const void *bytes, size_t count) {
    if (is_volatile(path_of(number)) || count == 0) return;
    off_t size = 0;
    uint64_t file = file_of(number, &size);
    size_t old = offset < size ? (size_t)(size - offset) : 0;
    if (old > count) old = count;
    struct journal_entry *entry = add_entry(JOURNAL_WRITE, file, old);
    entry->offset = offset;
    entry->length = (int64_t)count;
    entry->old_size = size;
    if (old > 0) real_call(SYS_pread64, number, journal_bytes(entry), old, offset);
    entry->is_repeated = old == count && memcmp(journal_bytes(entry), bytes, count) == 0;
}

void journal_truncate(int number, off_t length) {
    if (is_volatile(path_of(number))) return;
    off_t size = 0;
    uint64_t file = file_of(number, &size);
    size_t old = length < size ? (size_t)(size - length) : 0;
    struct journal_entry *entry = add_entry(JOURNAL_TRUNCATE, file, old);
    entry->offset = length;
    entry->old_size = size;
    if (old > 0) real_call(SYS_pread64, number, journal_bytes(entry), old, length);
}

// MARK: Names

static struct journal_entry *add_name(int32_t kind, const char *path, const char *second, uint64_t saved) {
    size_t length = strlen(path) + 1, second_length = second ? strlen(second) + 1 : 0;
    struct journal_entry *entry = add_entry(kind, directory_of(path), length + second_length);
    entry->saved = saved;
    memcpy(journal_bytes(entry), path, length);
    if (second) memcpy(journal_bytes(entry) + length, second, second_length);
    return entry;
}

void journal_create(const char *path) {
    if (!is_volatile(path)) add_name(JOURNAL_CREATE, path, NULL, 0);
}

/// Keeps a file that loses its name, under a number. 0 if there is none.
static uint64_t save(const char *path) {
    char saved[PATH_MAX];
    uint64_t number = machine->journal_count + 1;
    snprintf(saved, sizeof saved, "%s%s", root_path, JOURNAL_DIRECTORY);
    real_call(SYS_mkdirat, AT_FDCWD, saved, 0700);
    snprintf(saved, sizeof saved, "%s%s/%llu", root_path, JOURNAL_DIRECTORY, (unsigned long long)number);
    return real_call(SYS_linkat, AT_FDCWD, real_path(path, false, 0), AT_FDCWD, saved, 0) == 0 ? number : 0;
}

void journal_rename(const char *from, const char *to) {
    if (is_volatile(to) || file_at(real_path(from, false, 0)) == 0) return;
    add_name(JOURNAL_RENAME, from, to, save(to));
}

void journal_remove(const char *path) {
    if (is_volatile(path) || file_at(real_path(path, false, 0)) == 0) return;
    add_name(JOURNAL_REMOVE, path, NULL, save(path));
}

void journal_sync(int number, bool fails) {
    if (!is_volatile(path_of(number))) machine_journal_sync(machine, root_path, file_of(number, NULL), fails);
}
