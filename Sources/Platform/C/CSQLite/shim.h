// SQLite, and what Swift cannot see of it: functions with a variable number of arguments, a constant that is a cast, and the
// methods of files.
#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

/// Small allocations of a connection come from `count` slots of `size` bytes; 0 of 0: from malloc.
static inline int sqlite_set_lookaside(sqlite3 *database, int size, int count) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_LOOKASIDE, (void *)0, size, count);
}

/// Pages are allocated one by one when they are needed rather than twenty at once: 80 KiB less in a process that keeps few of them.
/// For the whole process, and before the first connection; later it changes nothing.
static inline int sqlite_allocate_pages_singly(void) {
    return sqlite3_config(SQLITE_CONFIG_PAGECACHE, (void *)0, 0, 0);
}

/// Closing the last connection leaves the write-ahead log as it is.
static inline int sqlite_keep_log_on_close(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

/// Binds a copy of `length` bytes of UTF-8.
static inline int sqlite_bind_text_copy(sqlite3_stmt *statement, int index, const void *bytes, int length) {
    return sqlite3_bind_text(statement, index, bytes ? (const char *)bytes : "", length, SQLITE_TRANSIENT);
}

/// Binds a copy of `length` bytes.
static inline int sqlite_bind_blob_copy(sqlite3_stmt *statement, int index, const void *bytes, int length) {
    return bytes ? sqlite3_bind_blob(statement, index, bytes, length, SQLITE_TRANSIENT) : sqlite3_bind_zeroblob(statement, index, 0);
}

/// The write-ahead log of a connection; NULL if it has none.
static inline sqlite3_file *sqlite_log(sqlite3 *database) {
    sqlite3_file *log = (sqlite3_file *)0;
    int code = sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
    return code == SQLITE_OK && log && log->pMethods ? log : (sqlite3_file *)0;
}

/// Waits until the write-ahead log is on disk (fsync). Without a log there is nothing to wait for.
static inline int sqlite_sync_log(sqlite3 *database) {
    sqlite3_file *log = sqlite_log(database);
    return log ? log->pMethods->xSync(log, SQLITE_SYNC_NORMAL) : SQLITE_OK;
}

/// Writes the bytes of the write-ahead log to their places again, and waits until they are on disk.
static inline int sqlite_rewrite_log(sqlite3 *database) {
    sqlite3_file *log = sqlite_log(database);
    sqlite3_int64 size = 0;
    int code = log ? log->pMethods->xFileSize(log, &size) : SQLITE_OK;
    if (code != SQLITE_OK || size == 0) return code;
    enum { step = 65536 };
    char *bytes = (char *)malloc(step);
    if (!bytes) return SQLITE_NOMEM;
    for (sqlite3_int64 offset = 0; offset < size && code == SQLITE_OK; offset += step) {
        int count = size - offset < step ? (int)(size - offset) : step;
        code = log->pMethods->xRead(log, bytes, count, offset);
        if (code == SQLITE_OK) code = log->pMethods->xWrite(log, bytes, count, offset);
    }
    free(bytes);
    return code == SQLITE_OK ? log->pMethods->xSync(log, SQLITE_SYNC_NORMAL) : code;
}

// A layer over SQLite's access to files that counts failed reads. SQLite reports EIO of a read as a damaged file (unixRead in
// os_unix.c, SQLITE_IOERR_CORRUPTFS), and `PRAGMA quick_check` reports any failed read as a finding.

/// What follows a file of the layer in memory. `methods` is the first member, so that the file's methods lead to it.
struct sqlite_watched {
    sqlite3_io_methods methods;
    const sqlite3_io_methods *real;
    int failed_reads;
};

#define SQLITE_WATCHED "sextant"

static int sqlite_watched_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    struct sqlite_watched *watched = (struct sqlite_watched *)file->pMethods;
    int code = watched->real->xRead(file, bytes, count, offset);
    if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ) watched->failed_reads++;
    return code == SQLITE_IOERR_CORRUPTFS ? SQLITE_IOERR_READ : code;
}

static int sqlite_watched_open(sqlite3_vfs *layer, const char *name, sqlite3_file *file, int flags, int *result) {
    int code = sqlite3_vfs_find((char *)0)->xOpen(layer, name, file, flags, result);
    if (!file->pMethods) return code;
    struct sqlite_watched *watched = (struct sqlite_watched *)((char *)file + layer->szOsFile - sizeof *watched);
    watched->methods = *file->pMethods;
    watched->methods.xRead = sqlite_watched_read;
    watched->real = file->pMethods;
    watched->failed_reads = 0;
    file->pMethods = &watched->methods;
    return code;
}

/// Registers the layer for the whole process. Returns its name for `sqlite3_open_v2`; NULL without memory.
static inline const char *sqlite_watch_reads(void) {
    const sqlite3_vfs *base = sqlite3_vfs_find((char *)0);
    sqlite3_vfs *layer = base ? (sqlite3_vfs *)malloc(sizeof *layer) : (sqlite3_vfs *)0;
    if (!layer) return (char *)0;
    *layer = *base;
    layer->zName = SQLITE_WATCHED;
    layer->szOsFile = (base->szOsFile + 7) / 8 * 8 + (int)sizeof(struct sqlite_watched);
    layer->xOpen = sqlite_watched_open;
    return sqlite3_vfs_register(layer, 0) == SQLITE_OK ? layer->zName : (char *)0;
}

/// The number of reads that have failed in the files of a connection.
static inline int sqlite_failed_reads(sqlite3 *database) {
    sqlite3_vfs *layer = (sqlite3_vfs *)0;
    sqlite3_file *files[2] = {(sqlite3_file *)0, sqlite_log(database)};
    sqlite3_file_control(database, "main", SQLITE_FCNTL_VFS_POINTER, &layer);
    if (!layer || strcmp(layer->zName, SQLITE_WATCHED) != 0) return 0;
    sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &files[0]);
    int count = 0;
    for (int i = 0; i < 2; i++)
        if (files[i] && files[i]->pMethods) count += ((struct sqlite_watched *)files[i]->pMethods)->failed_reads;
    return count;
}
#endif
