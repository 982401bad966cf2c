// Paths of the machine: below the root directory of the run, but libraries are those of the real
// system.
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload.h"

/// path_resolution(7).
#define MAX_LINKS 40

static bool is_shared(const char *path) {
    static const char *const prefixes[] = { "/usr/", "/lib/", "/lib64/", "/opt/", "/etc/ld.so" };
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (strncmp(path, prefixes[i], strlen(prefixes[i])) == 0) return true;
    return false;
}

static void map_path(const char *path, char *mapped) {
    bool is_absolute = path[0] == '/' && !is_shared(path);
    snprintf(mapped, PATH_MAX, "%s%s", is_absolute ? root_path : "", path);
}

/// The path that a link leads to, on the machine.
static void follow(const char *path, const char *target, char *result) {
    const char *slash = target[0] == '/' ? NULL : strrchr(path, '/');
    int directory = slash ? (int)(slash - path + 1) : 0;
    if (snprintf(result, PATH_MAX, "%.*s%s", directory, path, target) >= PATH_MAX) result[0] = 0;
}

/// A path in the real system that fails with ELOOP.
static const char *endless_link(void) {
    static char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/.endless", root_path);
    real_call(SYS_symlinkat, ".endless", AT_FDCWD, path);
    return path;
}

const char *real_path(const char *path, bool follows, int turn) {
    static char mapped[2][PATH_MAX];
    char present[PATH_MAX], next[PATH_MAX], target[PATH_MAX];
    snprintf(present, sizeof present, "%s", path);
    map_path(present, mapped[turn]);
    for (int i = 0; follows; i++) {
        long length = real_call(SYS_readlinkat, AT_FDCWD, mapped[turn], target, sizeof target - 1);
        if (length <= 0) break;
        if (i == MAX_LINKS) return endless_link();
        target[length] = 0;
        follow(present, target, next);
        memcpy(present, next, sizeof present);
        map_path(present, mapped[turn]);
    }
    return mapped[turn];
}

const char *absolute_path(int directory, const char *name, char *buffer) {
    if (name[0] == '/' || directory == AT_FDCWD) snprintf(buffer, PATH_MAX, "%s", name);
    else snprintf(buffer, PATH_MAX, "%s/%s", path_of(directory), name);
    return buffer;
}

int32_t terminal_at(const char *path) {
    // A link such as /dev/gps leads to the line.
    const char *real = real_path(path, true, 1);
    size_t length = strlen(root_path);
    if (strncmp(real, root_path, length) != 0) return -1;
    for (int32_t i = 0; i < MACHINE_TERMINALS; i++) {
        const struct machine_terminal *terminal = &machine->terminals[i];
        if (terminal->channel >= 0 && terminal->is_present && strcmp(terminal->path, real + length) == 0) return i;
    }
    return -1;
}

// MARK: Directories

PUBLIC DIR *opendir(const char *path) {
    struct call call = begin_call(MACHINE_CALL_OPEN, "opendir", -1, path);
    DIR *(*real)(const char *) = real_function("opendir");
    DIR *stream = call_fails(&call) ? NULL : real(real_path(path, true, 0));
    end_call(&call, stream ? 0 : -1);
    return stream;
}

PUBLIC DIR *fdopendir(int number) {
    DIR *(*real)(int) = real_function("fdopendir");
    return descriptor_of(number) ? real(number) : NULL;
}

PUBLIC int closedir(DIR *stream) {
    int (*real)(DIR *) = real_function("closedir");
    int number = dirfd(stream);
    // The stream of fdopendir owns its descriptor.
    if (number < MACHINE_DESCRIPTORS && SELF->descriptors[number].kind != MACHINE_FREE)
        machine_release_descriptor(machine, self_index, number);
    return real(stream);
}

PUBLIC char *getcwd(char *buffer, size_t capacity) {
    if (!buffer) return strdup("/");
    snprintf(buffer, capacity, "/");
    return buffer;
}

PUBLIC char *realpath(const char *path, char *result) {
    if (!result) result = malloc(PATH_MAX);
    const char *real = real_path(path, true, 0);
    size_t length = strlen(root_path);
    if (real_call(SYS_faccessat, AT_FDCWD, real, F_OK) != 0) return NULL;
    snprintf(result, PATH_MAX, "%s", strncmp(real, root_path, length) == 0 ? real + length : real);
    return result;
}
