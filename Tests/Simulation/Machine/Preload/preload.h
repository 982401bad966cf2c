// What the files of the preloaded library share. Functions marked PUBLIC replace those of the C
// library, of libudev and of libsystemd with the same names.
#ifndef SIMULATED_PRELOAD_H
#define SIMULATED_PRELOAD_H
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/types.h>

#include "../channels.h"

#define PUBLIC __attribute__((visibility("default")))
/// A second name of a function, such as that for 64-bit offsets.
#define ALIAS(name) PUBLIC __attribute__((alias(name)))

/// Set by attach(), which begin() calls.
extern struct machine *machine;
extern int32_t self_index;
extern char root_path[MACHINE_PATH];
#define SELF (&machine->processes[self_index])

/// Maps the machine at the first call of this process, and waits for its first turn.
void attach(void);
/// The system call itself; the C library's errno.
long real_call(long number, ...);
/// A function of the next library.
void *real_function(const char *name);

// MARK: Calls

struct call {
    const char *name;
    const char *detail;
    size_t detail_length;
    int32_t call_class;
    int32_t descriptor;
    int32_t fault;
    int32_t error;
    /// The bytes that MACHINE_ACTION_SHORT leaves, or the bit that MACHINE_ACTION_FLIP changes.
    uint64_t random;
};

/// Begins a call of the program: counts it and decides about faults. May not return.
struct call begin_call(int32_t call_class, const char *name, int32_t descriptor, const char *path);
/// Whether a fault makes the call fail; errno is set.
bool call_fails(struct call *call);
/// How many bytes of `count` a fault leaves.
size_t call_length(const struct call *call, size_t count);
/// Ends a call: records it with its result and, if that is negative, errno. Returns the result.
int64_t end_call(struct call *call, int64_t result);
/// Ends a call that transferred these bytes.
int64_t end_transfer(struct call *call, int64_t result, const void *bytes);

/// Ends the run, because of a call or a state that the simulation does not know.
_Noreturn void unexpected(const char *format, ...) __attribute__((format(printf, 1, 2)));
/// Ends this process as kill -9 does.
_Noreturn void end_process(int32_t reason);
/// Gives control to the world until this process has the turn again.
void pass_turn(int32_t state);
/// Waits until the descriptor `number` is ready, or one that is registered with an epoll descriptor
/// (MACHINE_WAITS_FOR_EPOLL), or `deadline` has come.
void wait_for(int32_t number, uint32_t events, int64_t deadline);
void add_text(int32_t kind, const void *bytes, size_t length);

// MARK: Descriptors

/// The descriptor with a number; NULL and EBADF if it is not open.
struct machine_descriptor *descriptor_of(int number);
/// The same for a socket; NULL and ENOTSOCK if it is none.
struct machine_descriptor *socket_of(int number);
/// enum machine_channel_kind of a socket.
int32_t socket_kind(const struct machine_descriptor *socket);
struct sockaddr;
/// The address of a socket on the machine: a path, or "tcp:ADDRESS:PORT". False if it has none.
bool address_text(const struct sockaddr *address, unsigned length, int32_t kind, char *text, size_t capacity);
/// Takes the lowest free number. -1 and EMFILE if there is none.
int new_descriptor(int32_t kind, int32_t index, int32_t flags);
/// The same for an end of a channel.
int new_end(int32_t channel, int end, int32_t flags);
/// Adds a number of the real system, such as that of an opened file.
int adopt_descriptor(int number, int32_t kind, int32_t index, int32_t flags);
/// Closes a number here and in the real system.
int drop_descriptor(int number);
/// Closes what a failed call has created.
int fail_descriptor(int number, int error);
bool has_free_descriptor(void);

// MARK: Files

/// The path in the real system: below the root, or the same for libraries. Follows links. In a
/// static buffer of `turn` 0 or 1.
const char *real_path(const char *path, bool follows, int turn);
/// The path of an open file or directory on the machine; "" if it has none.
const char *path_of(int number);
void set_path(int number, const char *path);
/// The path on the machine of a name relative to a directory.
const char *absolute_path(int directory, const char *name, char *buffer);
/// The line that a path on the machine leads to, or -1.
int32_t terminal_at(const char *path);
int open_terminal(struct call *call, int32_t index, int flags);

ssize_t read_file(int number, void *bytes, size_t count, off_t offset, bool has_offset);
ssize_t write_file(int number, const void *bytes, size_t count, off_t offset, bool has_offset);
ssize_t read_channel(int number, void *bytes, size_t count, int flags);
ssize_t write_channel(int number, const void *bytes, size_t count, int flags);
ssize_t read_event(int number, void *bytes, size_t count);
ssize_t write_counter(int number, const void *bytes, size_t count);

/// Fills with bytes of the machine's generator.
void fill_random(void *bytes, size_t count);

/// Whether a path is on a file system in memory, which has no disk.
bool is_volatile(const char *path);

// MARK: Durability: what a power cut may undo. Each returns false with ENOSPC if the journal is full.

void journal_write(int number, off_t offset, const void *bytes, size_t count);
void journal_truncate(int number, off_t length);
void journal_create(const char *path);
/// Called before the change, so that the old file is kept.
void journal_rename(const char *from, const char *to);
void journal_remove(const char *path);
/// What was written to a file, or changed in a directory, is on disk; or a sync has failed, and the
/// kernel forgets it.
void journal_sync(int number, bool fails);
#endif
