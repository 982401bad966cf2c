// SQLite, and what Swift cannot see of it: functions with a variable number of arguments, and a constant that is a cast.
#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H
#include <sqlite3.h>

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

/// Waits until the write-ahead log is on disk (fsync). Without a log there is nothing to wait for.
static inline int sqlite_sync_log(sqlite3 *database) {
    sqlite3_file *log = (sqlite3_file *)0;
    int code = sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
    if (code != SQLITE_OK || !log || !log->pMethods) return code;
    return log->pMethods->xSync(log, SQLITE_SYNC_NORMAL);
}
#endif
