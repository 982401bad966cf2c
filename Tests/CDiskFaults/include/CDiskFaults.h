#ifndef CDISKFAULTS_H
#define CDISKFAULTS_H
#include <stddef.h>
#include <stdint.h>

enum disk_operation { DISK_READ, DISK_WRITE, DISK_SYNC, DISK_TRUNCATE, DISK_UNLINK };

/// A call for a file that is about to be made. `name` is the path of `DISK_UNLINK`; the others have a descriptor.
struct disk_call {
    enum disk_operation operation;
    int descriptor;
    const char *name;
    const void *bytes;
    size_t count;
    int64_t offset;
};

/// Returns 0 to let the call happen, an error number to let it fail, or -1 to omit it as if it had succeeded:
/// what is read is then garbage.
typedef int (*disk_hook)(const struct disk_call *call);

/// Sets the function that is asked before each call; NULL for none.
void disk_set_hook(disk_hook hook);
#endif
