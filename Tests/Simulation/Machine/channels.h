// What the world's functions and the library share: channels and listeners. Each function is given
// indices that exist.
#ifndef SIMULATED_CHANNELS_H
#define SIMULATED_CHANNELS_H
#include "machine.h"

bool machine_has_datagrams(int32_t kind);
/// Who is woken when the turn changes (FUTEX_WAKE_BITSET): the world, or a process.
#define MACHINE_WAKES_WORLD 1u
#define MACHINE_WAKES(index) (2u << (index))

/// Puts what fits on the way from `end`; the kinds with datagrams all or nothing. Returns its size.
int64_t machine_put(struct machine *machine, int32_t channel, int end, const void *bytes, size_t count);
/// Takes what has arrived at `end`, as one read does. Returns 0 if nothing has.
int64_t machine_take(struct machine *machine, int32_t channel, int end, void *bytes, size_t capacity, bool peeks);
/// Forgets what has arrived at `end` (tcflush).
void machine_discard(struct machine *machine, int32_t channel, int end);

/// Whether the end opposite to `end` is closed.
bool machine_is_peer_gone(const struct machine_channel *channel, int end);
/// Whether nothing follows what has arrived at `end`.
bool machine_is_at_end(const struct machine_channel *channel, int end);
/// Whether epoll reports `end` as writable.
bool machine_is_writable(const struct machine_channel *channel, int end);

/// Removes one reference, as close(2) does; the last one closes the end.
void machine_release_end(struct machine *machine, int32_t channel, int end);
/// Sends a reference to another end with the next `count` bytes that `end` puts.
bool machine_pass_with(struct machine *machine, int32_t channel, int end, size_t count, int32_t passed,
                       int passed_end);

int32_t machine_find_listener(const struct machine *machine, const char *address);
int32_t machine_add_listener(struct machine *machine, int32_t owner, int32_t kind, const char *address);
/// Whether another connection can wait.
bool machine_has_room(const struct machine_listener *listener);
/// Connects: returns the channel whose end 0 is the caller's; -1 refused, -2 no room.
int32_t machine_enqueue(struct machine *machine, int32_t listener, int32_t owner);
/// Accepts: returns the channel; -1 if none waits.
int32_t machine_dequeue(struct machine *machine, int32_t listener);
void machine_release_listener(struct machine *machine, int32_t listener);

/// Whether a descriptor of a process is ready: EPOLLIN etc., of all that can be watched.
uint32_t machine_readiness(const struct machine *machine, int32_t process, const struct machine_descriptor *descriptor);
/// The monotonic time at which a timer fires; MACHINE_NEVER if it is not set.
int64_t machine_timer_deadline(const struct machine *machine, const struct machine_descriptor *timer);
/// Removes what a number of a process refers to.
void machine_release_descriptor(struct machine *machine, int32_t process, int32_t number);

/// The next number of a generator with this state (xorshift64*).
uint64_t machine_random(uint64_t *state);
#endif
