// The sectors whose newest contents are on disk, while a power cut is undone.
#ifndef SIMULATED_WRITTEN_H
#define SIMULATED_WRITTEN_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/// The unit that a disk writes whole, and that of the kernel's cache.
#define SECTOR 512
#define PAGE 4096
/// Stand for the length of a file, and for the names of a directory.
#define LENGTH_SECTOR (-1)
#define NAMES_SECTOR (-2)

/// A set of pairs: a hash table with open addressing. File 0 is a free place.
struct written {
    struct written_sector { uint64_t file; int64_t sector; } *sectors;
    size_t count, capacity;
};

static inline struct written_sector *written_place(const struct written *set, uint64_t file, int64_t sector) {
    uint64_t hash = (file * 0x9E3779B97F4A7C15ULL) ^ ((uint64_t)sector * 0xC2B2AE3D27D4EB4FULL);
    size_t at = (size_t)(hash ^ (hash >> 31)) & (set->capacity - 1);
    while (set->sectors[at].file && (set->sectors[at].file != file || set->sectors[at].sector != sector))
        at = (at + 1) & (set->capacity - 1);
    return &set->sectors[at];
}

static inline bool written_has(const struct written *set, uint64_t file, int64_t sector) {
    return set->capacity > 0 && written_place(set, file, sector)->file != 0;
}

static inline void written_add(struct written *set, uint64_t file, int64_t sector);

static inline void written_grow(struct written *set) {
    struct written larger = { .capacity = set->capacity ? set->capacity * 2 : 1024 };
    larger.sectors = calloc(larger.capacity, sizeof *larger.sectors);
    for (size_t i = 0; i < set->capacity; i++)
        if (set->sectors[i].file) written_add(&larger, set->sectors[i].file, set->sectors[i].sector);
    free(set->sectors);
    *set = larger;
}

static inline void written_add(struct written *set, uint64_t file, int64_t sector) {
    if (set->count * 2 >= set->capacity) written_grow(set);
    struct written_sector *place = written_place(set, file, sector);
    if (place->file) return;
    *place = (struct written_sector){ file, sector };
    set->count++;
}

static inline void written_free(struct written *set) { free(set->sectors); }
#endif
