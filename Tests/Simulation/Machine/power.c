// The power cut: undoes at random what is not on disk.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "channels.h"
#include "journal.h"
#include "written.h"

static struct journal_entry *entry_at(struct machine *machine, uint64_t position) {
    return (struct journal_entry *)(machine->journal + position);
}

// MARK: Files by their numbers

struct cut {
    struct machine *machine;
    const char *root;
    int32_t mode;
    struct written written;
    /// Files by number, with their paths.
    struct found { uint64_t file; char *path; } *found;
    size_t found_count;
};

static void find_files(struct cut *cut, const char *directory) {
    DIR *stream = opendir(directory);
    struct dirent *entry;
    while (stream && (entry = readdir(stream))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        char *path = NULL;
        struct stat status;
        if (asprintf(&path, "%s/%s", directory, entry->d_name) < 0 || lstat(path, &status) != 0) continue;
        if (S_ISDIR(status.st_mode)) find_files(cut, path);
        if (!S_ISREG(status.st_mode)) { free(path); continue; }
        cut->found = realloc(cut->found, (cut->found_count + 1) * sizeof *cut->found);
        cut->found[cut->found_count++] = (struct found){ status.st_ino, path };
    }
    if (stream) closedir(stream);
}

static int open_found(const struct cut *cut, uint64_t file) {
    for (size_t i = 0; i < cut->found_count; i++)
        if (cut->found[i].file == file) return open(cut->found[i].path, O_RDWR | O_CLOEXEC);
    return -1;
}

static bool keeps(struct cut *cut) {
    if (cut->mode == MACHINE_CUT_RANDOM) return machine_random(&cut->machine->random) >> 63;
    return cut->mode == MACHINE_CUT_ALL_KEPT;
}

// MARK: Undoing contents, from the newest change to the oldest

/// The old bytes of a part of a file; zeros beyond what was there.
static void restore(int file, struct journal_entry *entry, int64_t from, int64_t until) {
    int64_t old_end = entry->offset + (int64_t)entry->byte_count;
    int64_t end = until < old_end ? until : old_end;
    if (from < end && pwrite(file, journal_bytes(entry) + (from - entry->offset), (size_t)(end - from), from) < 0)
        perror("restoring a sector");
    static const char zeros[SECTOR];
    if (from < end) from = end;
    if (from < until && pwrite(file, zeros, (size_t)(until - from), from) < 0) perror("restoring a sector");
}

/// Undoes those sectors of a write that were not written. Returns whether any is kept.
static bool undo_sectors(struct cut *cut, int file, struct journal_entry *entry) {
    bool is_any_kept = false;
    int64_t end = entry->offset + entry->length;
    for (int64_t sector = entry->offset / SECTOR; sector * SECTOR < end; sector++) {
        if (written_has(&cut->written, entry->file, sector)) { is_any_kept = true; continue; }
        if (keeps(cut)) {
            written_add(&cut->written, entry->file, sector);
            is_any_kept = true;
            continue;
        }
        int64_t from = sector * SECTOR > entry->offset ? sector * SECTOR : entry->offset;
        int64_t until = (sector + 1) * SECTOR < end ? (sector + 1) * SECTOR : end;
        restore(file, entry, from, until);
    }
    return is_any_kept;
}

static void undo_write(struct cut *cut, struct journal_entry *entry) {
    int file = open_found(cut, entry->file);
    if (file < 0) return;
    bool is_any_kept = undo_sectors(cut, file, entry);
    bool has_grown = entry->offset + entry->length > entry->old_size;
    if (has_grown && is_any_kept) written_add(&cut->written, entry->file, LENGTH_SECTOR);
    if (has_grown && !written_has(&cut->written, entry->file, LENGTH_SECTOR) && ftruncate(file, entry->old_size) != 0)
        perror("restoring a length");
    close(file);
}

static void undo_truncate(struct cut *cut, struct journal_entry *entry) {
    if (written_has(&cut->written, entry->file, LENGTH_SECTOR)) return;
    if (keeps(cut)) {
        written_add(&cut->written, entry->file, LENGTH_SECTOR);
        return;
    }
    int file = open_found(cut, entry->file);
    if (file < 0) return;
    if (ftruncate(file, entry->old_size) != 0) perror("restoring a length");
    restore(file, entry, entry->offset, entry->offset + (int64_t)entry->byte_count);
    close(file);
}

/// What is on disk stays. The kernel writes whole pages, so earlier changes of the same pages are
/// there too.
static void note_durable(struct cut *cut, const struct journal_entry *entry) {
    int64_t end = entry->offset + entry->length;
    for (int64_t page = entry->offset / PAGE; page * PAGE < end; page++)
        for (int64_t i = 0; i < PAGE / SECTOR; i++)
            written_add(&cut->written, entry->file, page * (PAGE / SECTOR) + i);
    written_add(&cut->written, entry->file, LENGTH_SECTOR);
}

// MARK: Undoing names

static void undo_name(struct cut *cut, struct journal_entry *entry) {
    char path[PATH_MAX], second[PATH_MAX], saved[PATH_MAX];
    const char *name = journal_bytes(entry);
    snprintf(path, sizeof path, "%s%s", cut->root, name);
    snprintf(second, sizeof second, "%s%s", cut->root, name + strlen(name) + 1);
    snprintf(saved, sizeof saved, "%s%s/%llu", cut->root, JOURNAL_DIRECTORY, (unsigned long long)entry->saved);
    // A folder stays with what the world has put there.
    if (entry->kind == JOURNAL_CREATE && remove(path) != 0 && errno != ENOENT && errno != ENOTEMPTY) perror(path);
    if (entry->kind == JOURNAL_RENAME && rename(second, path) != 0) perror(path);
    const char *replaced = entry->kind == JOURNAL_RENAME ? second : path;
    if (entry->saved && link(saved, replaced) != 0) perror(replaced);
}

static void undo_entry(struct cut *cut, struct journal_entry *entry) {
    if (entry->kind == JOURNAL_NOTHING) return;
    if (entry->state == JOURNAL_DURABLE) {
        if (entry->kind == JOURNAL_WRITE) note_durable(cut, entry);
        return;
    }
    if (entry->kind == JOURNAL_WRITE) undo_write(cut, entry);
    else if (entry->kind == JOURNAL_TRUNCATE) undo_truncate(cut, entry);
    else if (written_has(&cut->written, entry->file, NAMES_SECTOR)) return;
    // A directory keeps the changes until some moment.
    else if (keeps(cut)) written_add(&cut->written, entry->file, NAMES_SECTOR);
    else undo_name(cut, entry);
}

// MARK: The cut

static void remove_tree(const char *path, bool itself) {
    DIR *stream = opendir(path);
    struct dirent *entry;
    while (stream && (entry = readdir(stream))) {
        char inner[PATH_MAX];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if (entry->d_type == DT_DIR) remove_tree(inner, true);
        else unlink(inner);
    }
    if (stream) closedir(stream);
    if (itself) rmdir(path);
}

void machine_forget_journal(struct machine *machine, const char *root) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s%s", root, JOURNAL_DIRECTORY);
    remove_tree(path, true);
    machine->journal_end = 0;
    machine->journal_entries = 0;
}

void machine_cut_power(struct machine *machine, const char *root, int32_t mode) {
    struct cut cut = { .machine = machine, .root = root, .mode = mode };
    find_files(&cut, root);
    size_t count = 0;
    uint64_t *positions = machine_journal_positions(machine, &count);
    while (count-- > 0) undo_entry(&cut, entry_at(machine, positions[count]));
    free(positions);
    for (size_t i = 0; i < cut.found_count; i++) free(cut.found[i].path);
    free(cut.found);
    written_free(&cut.written);
    machine_forget_journal(machine, root);
    char path[PATH_MAX];
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s%s", root, i == 0 ? "/run" : "/tmp");
        remove_tree(path, false);
    }
}
