// The C library's functions by which SQLite uses files. The definitions in the program of the tests precede the library's,
// so that the file system layer of SQLite is tested too.
#define _GNU_SOURCE
#include "CDiskFaults.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static _Atomic(disk_hook) installed;

void disk_set_hook(disk_hook hook) { atomic_store(&installed, hook); }

static int answer(struct disk_call call) {
    disk_hook hook = atomic_load(&installed);
    if (!hook) return 0;
    int saved = errno, result = hook(&call);
    errno = result > 0 ? result : saved;
    return result;
}

#define REAL(type, name) \
    static _Atomic(type) cached; \
    type real = atomic_load(&cached); \
    if (!real) atomic_store(&cached, real = (type)dlsym(RTLD_NEXT, name))

ssize_t pread64(int descriptor, void *bytes, size_t count, off64_t offset) {
    typedef ssize_t (*function)(int, void *, size_t, off64_t);
    REAL(function, "pread64");
    int result = answer((struct disk_call){DISK_READ, descriptor, 0, 0, count, offset});
    if (result < 0) return memset(bytes, 0xFF, count), count;
    return result ? -1 : real(descriptor, bytes, count, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
    typedef ssize_t (*function)(int, const void *, size_t, off64_t);
    REAL(function, "pwrite64");
    int result = answer((struct disk_call){DISK_WRITE, descriptor, 0, bytes, count, offset});
    return result ? -1 : real(descriptor, bytes, count, offset);
}

int ftruncate64(int descriptor, off64_t length) {
    typedef int (*function)(int, off64_t);
    REAL(function, "ftruncate64");
    return answer((struct disk_call){DISK_TRUNCATE, descriptor, 0, 0, 0, length}) ? -1 : real(descriptor, length);
}

int unlink(const char *name) {
    typedef int (*function)(const char *);
    REAL(function, "unlink");
    return answer((struct disk_call){DISK_UNLINK, -1, name, 0, 0, 0}) ? -1 : real(name);
}

static int synchronize(int descriptor, int (*real)(int)) {
    int result = answer((struct disk_call){DISK_SYNC, descriptor, 0, 0, 0, 0});
    return result > 0 ? -1 : result < 0 ? 0 : real(descriptor);
}

int fsync(int descriptor) {
    typedef int (*function)(int);
    REAL(function, "fsync");
    return synchronize(descriptor, real);
}

int fdatasync(int descriptor) {
    typedef int (*function)(int);
    REAL(function, "fdatasync");
    return synchronize(descriptor, real);
}
