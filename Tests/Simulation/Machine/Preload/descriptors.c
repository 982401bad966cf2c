// Numbers of descriptors. Each has a placeholder in the real system, so that the lowest free number
// is the same there, for files too.
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "preload.h"

/// The real descriptor that placeholders are copies of.
#define PLACEHOLDER 2000

static char *paths[MACHINE_DESCRIPTORS];

const char *path_of(int number) {
    return number >= 0 && number < MACHINE_DESCRIPTORS && paths[number] ? paths[number] : "";
}

void set_path(int number, const char *path) {
    free(paths[number]);
    paths[number] = strdup(path);
}

struct machine_descriptor *descriptor_of(int number) {
    attach();
    if (number >= 0 && number < MACHINE_DESCRIPTORS && SELF->descriptors[number].kind != MACHINE_FREE)
        return &SELF->descriptors[number];
    errno = EBADF;
    return NULL;
}

int adopt_descriptor(int number, int32_t kind, int32_t index, int32_t flags) {
    if (number < 0) return -1;
    if (number >= SELF->descriptor_limit || number >= MACHINE_DESCRIPTORS) {
        real_call(SYS_close, number);
        errno = EMFILE;
        return -1;
    }
    SELF->descriptors[number] =
        (struct machine_descriptor){ .kind = kind, .index = index, .flags = flags, .epoll = -1 };
    SELF->descriptor_count++;
    return number;
}

static int new_placeholder(void) {
    static bool is_open;
    if (!is_open) {
        int file = (int)real_call(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR | O_CLOEXEC, 0);
        real_call(SYS_dup3, file, PLACEHOLDER, O_CLOEXEC);
        real_call(SYS_close, file);
        is_open = true;
    }
    return (int)real_call(SYS_fcntl, PLACEHOLDER, F_DUPFD_CLOEXEC, 0);
}

bool has_free_descriptor(void) {
    int number = new_placeholder();
    if (number >= 0) real_call(SYS_close, number);
    if (number >= 0 && number < SELF->descriptor_limit && number < MACHINE_DESCRIPTORS) return true;
    errno = EMFILE;
    return false;
}

int new_descriptor(int32_t kind, int32_t index, int32_t flags) {
    return adopt_descriptor(new_placeholder(), kind, index, flags);
}

int new_end(int32_t channel, int end, int32_t flags) {
    int number = new_descriptor(MACHINE_CHANNEL, channel, flags);
    if (number < 0) return -1;
    SELF->descriptors[number].end = end;
    machine->channels[channel].ends[end].flags = flags & O_NONBLOCK;
    return number;
}

int drop_descriptor(int number) {
    // What was registered with an epoll descriptor is not any more.
    if (SELF->descriptors[number].kind == MACHINE_EPOLL)
        for (int i = 0; i < MACHINE_DESCRIPTORS; i++)
            if (SELF->descriptors[i].epoll == number) SELF->descriptors[i].epoll = -1;
    machine_release_descriptor(machine, self_index, number);
    free(paths[number]);
    paths[number] = NULL;
    return (int)real_call(SYS_close, number);
}

int fail_descriptor(int number, int error) {
    drop_descriptor(number);
    errno = error;
    return -1;
}

PUBLIC int close(int number) {
    struct call call = begin_call(MACHINE_CALL_OTHER, "close", number, NULL);
    if (!descriptor_of(number)) return (int)end_call(&call, -1);
    drop_descriptor(number);
    return (int)end_call(&call, 0);
}

PUBLIC int close_range(unsigned first, unsigned last, int flags) {
    if (flags) unexpected("close_range with flags");
    for (unsigned number = first; number <= last && number < MACHINE_DESCRIPTORS; number++)
        if (SELF->descriptors[number].kind != MACHINE_FREE) drop_descriptor((int)number);
    return 0;
}

// MARK: Copies

static int copy_descriptor(int number, int copy) {
    if (copy < 0) return -1;
    const struct machine_descriptor *it = &SELF->descriptors[number];
    bool can_be_shared = it->kind == MACHINE_FILE || it->kind == MACHINE_CHANNEL || it->kind == MACHINE_LISTENER ||
                         it->kind == MACHINE_OTHER;
    if (!can_be_shared) unexpected("copy of descriptor %d of kind %d", number, it->kind);
    if (adopt_descriptor(copy, it->kind, it->index, it->flags) < 0) return -1;
    SELF->descriptors[copy].end = it->end;
    if (it->kind == MACHINE_CHANNEL) machine->channels[it->index].ends[it->end].references++;
    if (it->kind == MACHINE_LISTENER) machine->listeners[it->index].references++;
    if (it->kind == MACHINE_FILE) set_path(copy, path_of(number));
    return copy;
}

PUBLIC int dup(int number) {
    if (!descriptor_of(number)) return -1;
    return copy_descriptor(number, (int)real_call(SYS_fcntl, number, F_DUPFD, 0));
}

PUBLIC int dup3(int number, int copy, int flags) {
    if (!descriptor_of(number)) return -1;
    if (copy < 0 || copy >= MACHINE_DESCRIPTORS) {
        errno = EBADF;
        return -1;
    }
    if (SELF->descriptors[copy].kind != MACHINE_FREE) drop_descriptor(copy);
    return copy_descriptor(number, (int)real_call(SYS_dup3, number, copy, flags));
}

PUBLIC int dup2(int number, int copy) {
    if (number == copy) return descriptor_of(number) ? copy : -1;
    return dup3(number, copy, 0);
}

// MARK: fcntl

static int set_flags(struct machine_descriptor *it, int number, int flags) {
    if (it->kind == MACHINE_FILE) real_call(SYS_fcntl, number, F_SETFL, flags);
    it->flags = (it->flags & ~(O_NONBLOCK | O_APPEND)) | (flags & (O_NONBLOCK | O_APPEND));
    if (it->kind == MACHINE_CHANNEL) machine->channels[it->index].ends[it->end].flags = flags & O_NONBLOCK;
    return 0;
}

static int control(struct machine_descriptor *it, int number, int command, long value) {
    switch (command) {
    case F_GETFD: case F_SETFD: return (int)real_call(SYS_fcntl, number, command, value);
    case F_GETFL: return it->flags;
    case F_SETFL: return set_flags(it, number, (int)value);
    case F_DUPFD: case F_DUPFD_CLOEXEC:
        return copy_descriptor(number, (int)real_call(SYS_fcntl, number, command, value));
    case F_GETLK: case F_SETLK: return (int)real_call(SYS_fcntl, number, command, value);
    default: unexpected("fcntl with command %d", command);
    }
}

PUBLIC int fcntl(int number, int command, ...) {
    va_list list;
    va_start(list, command);
    long value = va_arg(list, long);
    va_end(list);
    bool locks = command == F_SETLK || command == F_GETLK;
    struct call call = begin_call(locks ? MACHINE_CALL_LOCK : MACHINE_CALL_OTHER, "fcntl", number, path_of(number));
    struct machine_descriptor *it = descriptor_of(number);
    if (!it || call_fails(&call)) return (int)end_call(&call, -1);
    return (int)end_call(&call, control(it, number, command, value));
}

ALIAS("fcntl") int fcntl64(int number, int command, ...);

// MARK: read, write

static ssize_t read_other(const struct machine_descriptor *it, int number, void *bytes, size_t count) {
    bool is_randomness = it->index == 1;
    if (!is_randomness) return real_call(SYS_read, number, bytes, count);
    fill_random(bytes, count);
    return (ssize_t)count;
}

/// Whether a pipe's end was opened for this. The flags of other descriptors are checked by their
/// calls.
static bool allows(const struct machine_descriptor *it, bool reads) {
    bool is_pipe = it->kind == MACHINE_CHANNEL && machine->channels[it->index].kind == MACHINE_PIPE;
    if (!is_pipe || reads == ((it->flags & O_ACCMODE) == O_RDONLY)) return true;
    errno = EBADF;
    return false;
}

static ssize_t read_kind(int number, void *bytes, size_t count) {
    struct machine_descriptor *it = descriptor_of(number);
    if (!it || !allows(it, true)) return -1;
    switch (it->kind) {
    case MACHINE_FILE: return read_file(number, bytes, count, 0, false);
    // read(2) of a socket succeeds without bytes, other than recv(2).
    case MACHINE_CHANNEL: return count == 0 ? 0 : read_channel(number, bytes, count, 0);
    case MACHINE_SOCKET: case MACHINE_LISTENER: return count == 0 ? 0 : recv(number, bytes, count, 0);
    case MACHINE_TIMER: case MACHINE_SIGNALS: case MACHINE_COUNTER: return read_event(number, bytes, count);
    case MACHINE_OTHER: return read_other(it, number, bytes, count);
    case MACHINE_NOTIFICATIONS: errno = EAGAIN; return -1;
    default: errno = EINVAL; return -1;
    }
}

PUBLIC ssize_t read(int number, void *bytes, size_t count) {
    attach();
    return read_kind(number, bytes, count);
}

static ssize_t write_kind(int number, const void *bytes, size_t count) {
    struct machine_descriptor *it = descriptor_of(number);
    if (!it || !allows(it, false)) return -1;
    switch (it->kind) {
    case MACHINE_FILE: return write_file(number, bytes, count, 0, false);
    case MACHINE_CHANNEL: return write_channel(number, bytes, count, 0);
    case MACHINE_SOCKET: case MACHINE_LISTENER: return send(number, bytes, count, 0);
    case MACHINE_COUNTER: return write_counter(number, bytes, count);
    case MACHINE_OTHER: return real_call(SYS_write, number, bytes, count);
    default: errno = EINVAL; return -1;
    }
}

PUBLIC ssize_t write(int number, const void *bytes, size_t count) {
    attach();
    return write_kind(number, bytes, count);
}

PUBLIC ssize_t readv(int number, const struct iovec *parts, int count) {
    ssize_t total = 0;
    for (int i = 0; i < count; i++) {
        ssize_t part = read(number, parts[i].iov_base, parts[i].iov_len);
        if (part < 0) return total > 0 ? total : -1;
        total += part;
        if ((size_t)part < parts[i].iov_len) break;
    }
    return total;
}

PUBLIC ssize_t writev(int number, const struct iovec *parts, int count) {
    ssize_t total = 0;
    for (int i = 0; i < count; i++) {
        ssize_t part = write(number, parts[i].iov_base, parts[i].iov_len);
        if (part < 0) return total > 0 ? total : -1;
        total += part;
        if ((size_t)part < parts[i].iov_len) break;
    }
    return total;
}
