// What the world does with the machine of layout.h: functions for a program in Swift or C.
#ifndef SIMULATED_MACHINE_H
#define SIMULATED_MACHINE_H
#include "layout.h"

// MARK: Functions for the world. C arrays of this size are not visible in Swift, hence the accessors.

/// Creates the file at `path` and maps it, with a machine without anything. NULL and errno on
/// failure.
struct machine *machine_create(const char *path, uint64_t seed);
void machine_unmap(struct machine *machine);

struct machine_process *machine_process_at(struct machine *machine, int32_t index);
struct machine_descriptor *machine_descriptor_at(struct machine *machine, int32_t process, int32_t number);
struct machine_channel *machine_channel_at(struct machine *machine, int32_t index);
struct machine_channel_end *machine_end_at(struct machine *machine, int32_t channel, int32_t end);
struct machine_ring *machine_ring_to(struct machine *machine, int32_t channel, int32_t end);
struct machine_listener *machine_listener_at(struct machine *machine, int32_t index);
struct machine_terminal *machine_terminal_at(struct machine *machine, int32_t index);
struct machine_device *machine_device_at(struct machine *machine, int32_t index);
struct machine_user *machine_user_at(struct machine *machine, int32_t index);
struct machine_user *machine_group_at(struct machine *machine, int32_t index);
struct machine_fault *machine_fault_at(struct machine *machine, int32_t index);
struct machine_child *machine_child_at(struct machine *machine, int32_t index);
const struct machine_call_record *machine_record_at(const struct machine *machine, uint32_t index);
uint64_t machine_calls_of(const struct machine *machine, int32_t call_class);

/// Copies `text` into a field such as `unit`, cut to `capacity` - 1 bytes.
void machine_set_text(char *field, size_t capacity, const char *text);
#define MACHINE_SET(field, text) machine_set_text((field), sizeof(field), (text))
/// The fields of a device, which Swift sees as tuples. Returns false if there is no room.
bool machine_add_property(struct machine_device *device, const char *name, const char *value);
bool machine_add_attribute(struct machine_device *device, const char *name, const char *value);
void machine_set_device(struct machine_device *device, const char *path, const char *name,
                        const char *subsystem, const char *type, const char *node, const char *driver);
void machine_announce(struct machine *machine, int32_t device, const char *action);

/// Starts `program` on the machine as process `index`: forks and executes it with the library
/// `preload` and the given arguments and environment (each ends with NULL; the variables of the
/// library are added), addresses not randomized, and descriptors 1 and 2 as text. `root` is the
/// absolute path of the run's directory. Its entry in the table is cleared, except `passed`, `id`,
/// `user`, `group`, `groups` and `unit`, which the world sets before. Returns its real ID, or -1.
int32_t machine_start(struct machine *machine, int32_t index, const char *program, const char *preload,
                      const char *machine_path, const char *root, const char *const arguments[],
                      const char *const environment[]);
/// Lets process `index` run until it waits or ends, and returns its new state. A process that
/// crashed is MACHINE_PROCESS_KILLED with MACHINE_END_NONE and the status of waitpid(2) in
/// `status`. A process that has ended is reaped, its descriptors are closed, and its channels tell
/// the other ends.
int32_t machine_run(struct machine *machine, int32_t index);
/// Kills a waiting process (kill -9), reaps it, and closes its descriptors.
void machine_kill(struct machine *machine, int32_t index);
/// After a change of an offset of a clock: timers of waiting processes may be due earlier.
void machine_clocks_changed(struct machine *machine);
/// Whether a waiting process has something to do now: input, a signal, or a passed deadline.
bool machine_is_ready(struct machine *machine, int32_t index);

/// Creates a listening socket of the world at `address` (a path on the machine, or
/// "tcp:ADDRESS:PORT"). Returns its index, or -1.
int32_t machine_listen(struct machine *machine, const char *address, const char *name);
/// Connects to a listener of that address as end 0. The caller sets the credentials of end 0 then.
/// Returns the channel; -1 if nothing listens, -2 if the backlog is full.
int32_t machine_connect(struct machine *machine, const char *address);
/// Takes a connection that a program made to a listener of the world. The world has end 1. -1 if
/// none.
int32_t machine_accept(struct machine *machine, int32_t listener);
/// Lets something happen on the message bus (enum machine_bus_event_kind). `logind` is the number of
/// the logind that runs afterwards; 0 for none.
void machine_bus_announce(struct machine *machine, int32_t kind, int32_t logind);
/// How many locks of logind programs hold, which delay a suspension.
int32_t machine_bus_locks(struct machine *machine);
/// Refuses a connection that a program made with TCP (ECONNREFUSED).
void machine_refuse(struct machine *machine, int32_t channel);
/// The channel of a program's socket for datagrams at this address; the world sends from end 1. -1
/// if none.
int32_t machine_find_datagrams(struct machine *machine, const char *address);
/// The address that a program finds for the name of a host: 10.A.B.C, or the address itself.
void machine_host_address(const char *name, char *address, size_t capacity);
/// The shared memory with a key; NULL if no program has made it.
const uint8_t *machine_segment_bytes(const struct machine *machine, int32_t key);
/// Runs this program and those that it starts on one processor: a turn then costs half as much.
void machine_use_processor(int32_t number);
/// Creates a channel whose ends have the given owners. -1 if there is no room.
int32_t machine_open_channel(struct machine *machine, int32_t kind, int32_t owner0, int32_t owner1);
/// Puts bytes on the way from `end` to the other end. Returns how many fit; -1 if the other is
/// closed.
int64_t machine_send(struct machine *machine, int32_t channel, int32_t end, const void *bytes, size_t count);
/// Takes bytes that have arrived at `end`. Returns their number; 0 if there are none now, -1 at the
/// end (the other end is closed or sends no more, and all was taken).
int64_t machine_receive(struct machine *machine, int32_t channel, int32_t end, void *bytes, size_t capacity);
/// Takes the next descriptor that came with bytes that `end` has taken: its channel, or -1.
int32_t machine_take_passed(struct machine *machine, int32_t channel, int32_t end, int32_t *passed_end);
void machine_shut_write(struct machine *machine, int32_t channel, int32_t end);
/// Closes the world's end.
void machine_close(struct machine *machine, int32_t channel, int32_t end);

/// Adds a serial line at `path` ("/dev/ttyUSB0"), and its links in /sys below the root. Returns its
/// index.
int32_t machine_add_terminal(struct machine *machine, const char *root, const char *path, const char *driver,
                             uint32_t major, uint32_t minor);
/// Unplugs a line, or plugs it in again as `path`.
void machine_unplug(struct machine *machine, int32_t terminal);
void machine_plug(struct machine *machine, int32_t terminal, const char *path);

enum machine_cut {
    /// Each sector and each name that is not on disk is kept with probability one half.
    MACHINE_CUT_RANDOM = 0,
    MACHINE_CUT_NOTHING_KEPT = 1,
    MACHINE_CUT_ALL_KEPT = 2,
};
/// The power fails: undoes what is not on disk, and removes everything in /run and /tmp. All
/// processes must have ended.
void machine_cut_power(struct machine *machine, const char *root, int32_t cut);
/// Whether a power cut would leave the file at a path, and its name, as they are.
bool machine_is_durable(struct machine *machine, const char *root, const char *path);
/// The disk has everything: forgets the journal.
void machine_forget_journal(struct machine *machine, const char *root);

/// The texts since the last call of machine_clear_texts, one after another: returns the next after
/// `*position` (begin with 0) with its bytes, or NULL.
const struct machine_text_head *machine_next_text(const struct machine *machine, uint32_t *position,
                                                  const char **bytes);
void machine_clear_texts(struct machine *machine);
/// Texts of the machine for Swift, where they are tuples.
const char *machine_message(const struct machine *machine, int32_t process);
const char *machine_terminal_path(const struct machine *machine, int32_t terminal);
/// Writes a line for people: time, process, call, result.
void machine_describe(const struct machine_call_record *record, char *line, size_t capacity);
#endif
