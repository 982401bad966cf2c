// The journal of what a power cut may undo. Entries follow each other in `machine.journal`.
#ifndef SIMULATED_JOURNAL_H
#define SIMULATED_JOURNAL_H
#include "machine.h"

/// Where files are kept that have lost their names, below the root.
#define JOURNAL_DIRECTORY "/.removed"

enum journal_kind {
    JOURNAL_NOTHING = 0,
    /// Bytes of `file` from `offset` were overwritten: the old ones follow, as far as the file had
    /// any.
    JOURNAL_WRITE = 1,
    /// The length of `file` became `offset`: the bytes that were cut off follow.
    JOURNAL_TRUNCATE = 2,
    /// A name was created in the directory `file`: the path follows.
    JOURNAL_CREATE = 3,
    /// A name of the directory `file` was changed: both paths follow. The file that had the new
    /// name is `saved`.
    JOURNAL_RENAME = 4,
    /// A name of the directory `file` was removed: the path follows. Its file is `saved`.
    JOURNAL_REMOVE = 5,
};

enum journal_state {
    /// In memory only.
    JOURNAL_PENDING = 0,
    /// On disk.
    JOURNAL_DURABLE = 1,
    /// A sync has failed: the kernel does not write it any more, but keeps it in memory.
    JOURNAL_FORGOTTEN = 2,
};

struct journal_entry {
    /// The size with what follows, a multiple of 8.
    uint32_t size;
    int16_t kind;
    int16_t state;
    /// The number (inode) of the file or directory.
    uint64_t file;
    int64_t offset, length, old_size;
    uint64_t saved;
    uint64_t byte_count;
    /// When the change was made.
    int64_t time;
    /// Whether a write has repeated the bytes that were there.
    int64_t is_repeated;
};

static inline char *journal_bytes(struct journal_entry *entry) { return (char *)(entry + 1); }

/// Appends an entry with room for `bytes`. NULL if the journal is full. Of many entries, those that are
/// old are on disk then: the kernel writes without being asked.
struct journal_entry *machine_journal_add(struct machine *machine, const char *root, int32_t kind, uint64_t file,
                                          size_t bytes);
/// The positions of all entries, oldest first; the caller frees them.
uint64_t *machine_journal_positions(struct machine *machine, size_t *count);
/// What was pending of a file or directory is on disk, or forgotten.
void machine_journal_sync(struct machine *machine, const char *root, uint64_t file, bool fails);
#endif
