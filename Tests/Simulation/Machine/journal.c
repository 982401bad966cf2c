// The journal of changes that are not on disk.
#include "journal.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "written.h"

/// From this size on, entries are removed that newer ones make unnecessary.
#define THIN_SIZE (4 << 20)
/// After each so many entries, those that are older than this age are on disk (dirty_expire_centisecs).
#define WRITE_BACK_ENTRIES 2048
#define WRITE_BACK_AGE 30000000000

static struct journal_entry *entry_at(struct machine *machine, uint64_t position) {
    return (struct journal_entry *)(machine->journal + position);
}

static bool is_content(const struct journal_entry *entry) {
    return entry->kind == JOURNAL_WRITE || entry->kind == JOURNAL_TRUNCATE;
}

uint64_t *machine_journal_positions(struct machine *machine, size_t *count) {
    uint64_t *positions = NULL;
    size_t capacity = 0;
    *count = 0;
    for (uint64_t at = 0; at < machine->journal_end; at += entry_at(machine, at)->size) {
        if (*count == capacity) {
            capacity = capacity ? capacity * 2 : 256;
            positions = realloc(positions, capacity * sizeof *positions);
        }
        positions[(*count)++] = at;
    }
    return positions;
}

// MARK: What is not needed any more

static void path_of_saved(char *path, const char *root, uint64_t saved) {
    snprintf(path, PATH_MAX, "%s%s/%llu", root, JOURNAL_DIRECTORY, (unsigned long long)saved);
}

/// A file that has lost its last name is gone for good: its changes are not undone.
static void delete_saved(struct machine *machine, const char *root, uint64_t saved) {
    char path[PATH_MAX];
    struct stat status;
    if (saved == 0) return;
    path_of_saved(path, root, saved);
    if (stat(path, &status) != 0) return;
    for (uint64_t at = 0; status.st_nlink == 1 && at < machine->journal_end; at += entry_at(machine, at)->size) {
        struct journal_entry *entry = entry_at(machine, at);
        if (entry->file == status.st_ino && is_content(entry)) entry->kind = JOURNAL_NOTHING;
    }
    unlink(path);
}

/// What is on disk is still needed if the kernel has forgotten an earlier change of the same file:
/// it tells which of its pages were written after all.
static bool is_needed(const struct journal_entry *entry, bool has_forgotten) {
    if (entry->kind == JOURNAL_NOTHING) return false;
    return entry->state != JOURNAL_DURABLE || (has_forgotten && is_content(entry));
}

static void compact(struct machine *machine, bool has_forgotten) {
    uint64_t from = 0, to = 0;
    machine->journal_entries = 0;
    while (from < machine->journal_end) {
        struct journal_entry *entry = entry_at(machine, from);
        uint32_t size = entry->size;
        if (is_needed(entry, has_forgotten)) {
            memmove(machine->journal + to, entry, size);
            to += size;
            machine->journal_entries++;
        }
        from += size;
    }
    machine->journal_end = to;
}

/// Adds the pages of an entry to a set. Returns whether all were in it.
static bool cover(struct written *pages, const struct journal_entry *entry, bool adds) {
    bool is_covered = true;
    int64_t end = entry->offset + entry->length;
    for (int64_t page = entry->offset / PAGE; page * PAGE < end; page++) {
        is_covered = is_covered && written_has(pages, entry->file, page);
        if (adds) written_add(pages, entry->file, page);
    }
    return is_covered;
}

/// Removes forgotten writes whose pages were all written later, and what is on disk but only
/// repeats it.
static void thin(struct machine *machine) {
    struct written pages = { 0 };
    size_t count = 0;
    uint64_t *positions = machine_journal_positions(machine, &count);
    while (count-- > 0) {
        struct journal_entry *entry = entry_at(machine, positions[count]);
        if (entry->kind != JOURNAL_WRITE || entry->state == JOURNAL_PENDING) continue;
        if (cover(&pages, entry, entry->state == JOURNAL_DURABLE)) entry->kind = JOURNAL_NOTHING;
    }
    free(positions);
    written_free(&pages);
    compact(machine, true);
}

// MARK: Syncs

static bool has_name(const struct journal_entry *entry, const char *path) {
    const char *name = (const char *)(entry + 1);
    if (entry->kind == JOURNAL_RENAME) name += strlen(name) + 1;
    return entry->kind != JOURNAL_NOTHING && !is_content(entry) && strcmp(name, path) == 0;
}

bool machine_is_durable(struct machine *machine, const char *root, const char *path) {
    char real[PATH_MAX];
    struct stat status = { 0 };
    snprintf(real, sizeof real, "%s%s", root, path);
    if (stat(real, &status) != 0) status.st_ino = 0;
    for (uint64_t at = 0; at < machine->journal_end; at += entry_at(machine, at)->size) {
        const struct journal_entry *entry = entry_at(machine, at);
        if (entry->state == JOURNAL_DURABLE || entry->kind == JOURNAL_NOTHING) continue;
        // SQLite cuts off the unused rest of its log without waiting for that.
        bool is_write = entry->kind == JOURNAL_WRITE && entry->file == status.st_ino;
        if (is_write || has_name(entry, path)) return false;
    }
    return true;
}

static bool mark(struct machine *machine, const char *root, struct journal_entry *entry, uint64_t file, bool fails) {
    if (entry->file == file && entry->state == JOURNAL_PENDING) {
        // A directory whose sync fails stays to be written, as in ext4's own journal.
        if (!fails) entry->state = JOURNAL_DURABLE;
        else if (entry->is_repeated) entry->kind = JOURNAL_NOTHING;
        else if (is_content(entry)) entry->state = JOURNAL_FORGOTTEN;
        if (!is_content(entry) && entry->state == JOURNAL_DURABLE) delete_saved(machine, root, entry->saved);
    }
    return entry->state == JOURNAL_FORGOTTEN && entry->kind != JOURNAL_NOTHING;
}

void machine_journal_sync(struct machine *machine, const char *root, uint64_t file, bool fails) {
    bool has_forgotten = false;
    for (uint64_t at = 0; at < machine->journal_end; at += entry_at(machine, at)->size)
        if (mark(machine, root, entry_at(machine, at), file, fails)) has_forgotten = true;
    compact(machine, has_forgotten);
    if (has_forgotten && machine->journal_end > THIN_SIZE) thin(machine);
}

// MARK: Changes

/// Puts on disk what has waited for long.
static void write_back(struct machine *machine, const char *root) {
    bool has_forgotten = false;
    for (uint64_t at = 0; at < machine->journal_end; at += entry_at(machine, at)->size) {
        struct journal_entry *entry = entry_at(machine, at);
        has_forgotten = has_forgotten || entry->state == JOURNAL_FORGOTTEN;
        if (entry->state != JOURNAL_PENDING || machine->now - entry->time < WRITE_BACK_AGE) continue;
        entry->state = JOURNAL_DURABLE;
        if (!is_content(entry)) delete_saved(machine, root, entry->saved);
    }
    compact(machine, has_forgotten);
}

struct journal_entry *machine_journal_add(struct machine *machine, const char *root, int32_t kind, uint64_t file,
                                          size_t bytes) {
    size_t size = sizeof(struct journal_entry) + (bytes + 7) / 8 * 8;
    if (machine->journal_entries > 0 && machine->journal_entries % WRITE_BACK_ENTRIES == 0) write_back(machine, root);
    if (machine->journal_end + size > MACHINE_JOURNAL_BYTES) write_back(machine, root);
    if (machine->journal_end + size > MACHINE_JOURNAL_BYTES) return NULL;
    struct journal_entry *entry = entry_at(machine, machine->journal_end);
    *entry = (struct journal_entry){ .size = (uint32_t)size, .kind = (int16_t)kind, .file = file, .byte_count = bytes,
                                     .time = machine->now };
    machine->journal_end += size;
    machine->journal_count++;
    machine->journal_entries++;
    return entry;
}
