// Bytes between two ends, and sockets that listen: the same code for the world and for programs.
#include "channels.h"

#include <errno.h>
#include <string.h>

/// The default of net.core.wmem_default, which SO_SNDBUF doubles: half of it holds bytes.
#define DEFAULT_CAPACITY 106496
/// The buffer for output of a serial line (the circular buffer of 4 KiB in serial_core.c).
#define LINE_CAPACITY 4096
/// A pipe holds 16 pages (pipe(7)).
#define PIPE_CAPACITY 65536

static uint8_t *ring_bytes(struct machine *machine, int32_t channel, int end) {
    return machine->ring_bytes[channel][end];
}

static void reset_ring(struct machine_ring *ring, uint32_t capacity) {
    *ring = (struct machine_ring){ .capacity = capacity, .limit = MACHINE_RING_BYTES / 2 };
}

static uint32_t default_capacity(int32_t kind) {
    switch (kind) {
    case MACHINE_TERMINAL: return LINE_CAPACITY;
    case MACHINE_PIPE: return PIPE_CAPACITY;
    default: return DEFAULT_CAPACITY;
    }
}

static int32_t free_channel(struct machine *machine) {
    for (int32_t i = 0; i < MACHINE_CHANNELS; i++)
        if (machine->channels[i].kind == MACHINE_CHANNEL_NONE) return i;
    return -1;
}

int32_t machine_open_channel(struct machine *machine, int32_t kind, int32_t owner0, int32_t owner1) {
    int32_t index = free_channel(machine);
    if (index < 0) return -1;
    if (index >= machine->channel_count) machine->channel_count = index + 1;
    struct machine_channel *channel = &machine->channels[index];
    memset(channel, 0, sizeof *channel);
    channel->kind = kind;
    channel->terminal = -1;
    channel->listener = -1;
    channel->ends[0] = (struct machine_channel_end){ .owner = owner0, .references = 1, .is_alive = 1 };
    channel->ends[1] = (struct machine_channel_end){ .owner = owner1, .references = 1, .is_alive = 1 };
    for (int end = 0; end < 2; end++) reset_ring(&channel->to[end], default_capacity(kind));
    return index;
}

// MARK: Bytes

static void copy_in(struct machine *machine, int32_t channel, int end, const uint8_t *bytes, uint32_t count) {
    struct machine_ring *ring = &machine->channels[channel].to[end];
    uint32_t at = (ring->start + ring->count) % MACHINE_RING_BYTES;
    uint32_t first = count < MACHINE_RING_BYTES - at ? count : MACHINE_RING_BYTES - at;
    memcpy(ring_bytes(machine, channel, end) + at, bytes, first);
    memcpy(ring_bytes(machine, channel, end), bytes + first, count - first);
    ring->count += count;
    ring->total_in += count;
    ring->written_at = machine->now;
}

static void copy_out(struct machine *machine, int32_t channel, int end, uint8_t *bytes, uint32_t count) {
    struct machine_ring *ring = &machine->channels[channel].to[end];
    uint32_t first = count < MACHINE_RING_BYTES - ring->start ? count : MACHINE_RING_BYTES - ring->start;
    memcpy(bytes, ring_bytes(machine, channel, end) + ring->start, first);
    memcpy(bytes + first, ring_bytes(machine, channel, end), count - first);
}

static void drop(struct machine_ring *ring, uint32_t count) {
    ring->count -= count;
    ring->total_out += count;
    // Few pages of the mapped file are touched if each burst begins at its start.
    ring->start = ring->count == 0 ? 0 : (ring->start + count) % MACHINE_RING_BYTES;
}

bool machine_has_datagrams(int32_t kind) { return kind == MACHINE_UNIX_DATAGRAM || kind == MACHINE_UDP; }

/// The bytes that fit now. The kernel accepts a chunk while the buffer is below its size.
static uint32_t space(const struct machine_ring *ring) {
    uint32_t capacity = ring->capacity < MACHINE_RING_BYTES ? ring->capacity : MACHINE_RING_BYTES;
    return ring->count < capacity ? capacity - ring->count : 0;
}

int64_t machine_put(struct machine *machine, int32_t index, int end, const void *bytes, size_t count) {
    struct machine_channel *channel = &machine->channels[index];
    struct machine_ring *ring = &channel->to[1 - end];
    uint32_t room = space(ring);
    if (machine_has_datagrams(channel->kind)) {
        uint32_t length = (uint32_t)count;
        if (room < length + sizeof length) return 0;
        copy_in(machine, index, 1 - end, (const uint8_t *)&length, sizeof length);
        copy_in(machine, index, 1 - end, bytes, length);
        return (int64_t)count;
    }
    uint32_t part = count < room ? (uint32_t)count : room;
    copy_in(machine, index, 1 - end, bytes, part);
    return part;
}

/// A read ends after the bytes that a descriptor came with, as the kernel's does.
static uint32_t until_passed(const struct machine_ring *ring, uint32_t count) {
    if (ring->passed_count == 0 || ring->total_out + count <= ring->passed_until[0]) return count;
    return ring->passed_until[0] > ring->total_out ? (uint32_t)(ring->passed_until[0] - ring->total_out) : count;
}

int64_t machine_take(struct machine *machine, int32_t index, int end, void *bytes, size_t capacity, bool peeks) {
    struct machine_channel *channel = &machine->channels[index];
    struct machine_ring *ring = &channel->to[end];
    if (ring->count == 0) return 0;
    if (machine_has_datagrams(channel->kind)) {
        uint32_t length = 0;
        copy_out(machine, index, end, (uint8_t *)&length, sizeof length);
        drop(ring, sizeof length);
        uint32_t part = length < capacity ? length : (uint32_t)capacity;
        copy_out(machine, index, end, bytes, part);
        drop(ring, length);
        return part;
    }
    uint32_t part = capacity < ring->count ? (uint32_t)capacity : ring->count;
    part = until_passed(ring, part);
    copy_out(machine, index, end, bytes, part);
    if (!peeks) drop(ring, part);
    return part;
}

void machine_discard(struct machine *machine, int32_t index, int end) {
    struct machine_ring *ring = &machine->channels[index].to[end];
    drop(ring, ring->count);
}

// MARK: State of the ends

bool machine_is_peer_gone(const struct machine_channel *channel, int end) {
    return channel->ends[1 - end].references == 0;
}

bool machine_is_at_end(const struct machine_channel *channel, int end) {
    // A socket for datagrams may always get another one.
    if (machine_has_datagrams(channel->kind)) return false;
    return machine_is_peer_gone(channel, end) || channel->ends[1 - end].is_write_shut;
}

bool machine_is_writable(const struct machine_channel *channel, int end) {
    const struct machine_ring *ring = &channel->to[1 - end];
    if (channel->is_connecting) return false;
    if (channel->kind == MACHINE_TERMINAL) return ring->count < ring->capacity;
    // unix_writable in af_unix.c: at most a quarter of the buffer is used.
    return ring->count * 4 <= ring->capacity;
}

static void drop_passed(struct machine *machine, int32_t index, int end) {
    struct machine_ring *ring = &machine->channels[index].to[end];
    for (uint32_t i = 0; i < ring->passed_count; i++)
        machine_release_end(machine, ring->passed_channel[i], ring->passed_end[i]);
    ring->passed_count = 0;
}

/// The other end learns that bytes were lost (unix_release_sock, tcp_close).
static void close_end(struct machine *machine, int32_t index, int end) {
    struct machine_channel *channel = &machine->channels[index];
    if (channel->to[end].count > 0 && channel->kind != MACHINE_TERMINAL && channel->kind != MACHINE_PIPE)
        channel->ends[1 - end].error = ECONNRESET;
    machine_discard(machine, index, end);
    drop_passed(machine, index, end);
    if (channel->ends[1 - end].references > 0 || channel->kind == MACHINE_TERMINAL) return;
    drop_passed(machine, index, 1 - end);
    if (channel->listener >= 0) machine_release_listener(machine, channel->listener);
    channel->kind = MACHINE_CHANNEL_NONE;
}

void machine_release_end(struct machine *machine, int32_t index, int end) {
    struct machine_channel_end *it = &machine->channels[index].ends[end];
    if (it->references <= 0) return;
    it->references--;
    if (it->references == 0) close_end(machine, index, end);
}

bool machine_pass_with(struct machine *machine, int32_t index, int end, size_t count, int32_t passed,
                       int passed_end) {
    struct machine_ring *ring = &machine->channels[index].to[1 - end];
    if (ring->passed_count == MACHINE_PASSED) return false;
    uint32_t at = ring->passed_count++;
    ring->passed_from[at] = ring->total_in;
    ring->passed_until[at] = ring->total_in + count;
    ring->passed_channel[at] = passed;
    ring->passed_end[at] = passed_end;
    machine->channels[passed].ends[passed_end].references++;
    return true;
}

int32_t machine_take_passed(struct machine *machine, int32_t index, int32_t end, int32_t *passed_end) {
    struct machine_ring *ring = &machine->channels[index].to[end];
    if (ring->passed_count == 0 || ring->passed_from[0] >= ring->total_out) return -1;
    int32_t passed = ring->passed_channel[0];
    *passed_end = ring->passed_end[0];
    ring->passed_count--;
    for (uint32_t i = 0; i < ring->passed_count; i++) {
        ring->passed_from[i] = ring->passed_from[i + 1];
        ring->passed_until[i] = ring->passed_until[i + 1];
        ring->passed_channel[i] = ring->passed_channel[i + 1];
        ring->passed_end[i] = ring->passed_end[i + 1];
    }
    return passed;
}

// MARK: Listening

int32_t machine_find_listener(const struct machine *machine, const char *address) {
    for (int32_t i = 0; i < MACHINE_LISTENERS; i++) {
        const struct machine_listener *listener = &machine->listeners[i];
        if (listener->references > 0 && strcmp(listener->address, address) == 0) return i;
    }
    return -1;
}

int32_t machine_add_listener(struct machine *machine, int32_t owner, int32_t kind, const char *address) {
    for (int32_t i = 0; i < MACHINE_LISTENERS; i++) {
        struct machine_listener *listener = &machine->listeners[i];
        if (listener->references > 0) continue;
        *listener = (struct machine_listener){ .owner = owner, .kind = kind, .references = 1, .backlog = 0 };
        machine_set_text(listener->address, sizeof listener->address, address);
        return i;
    }
    return -1;
}

bool machine_has_room(const struct machine_listener *listener) {
    return listener->count <= listener->backlog && listener->count < MACHINE_BACKLOG;
}

int32_t machine_enqueue(struct machine *machine, int32_t index, int32_t owner) {
    struct machine_listener *listener = &machine->listeners[index];
    if (!listener->is_listening) return -1;
    if (!machine_has_room(listener)) return -2;
    int32_t channel = machine_open_channel(machine, listener->kind, owner, listener->owner);
    if (channel < 0) return -2;
    listener->waiting[(listener->start + listener->count) % MACHINE_BACKLOG] = channel;
    listener->count++;
    return channel;
}

int32_t machine_dequeue(struct machine *machine, int32_t index) {
    struct machine_listener *listener = &machine->listeners[index];
    if (listener->count == 0) return -1;
    int32_t channel = listener->waiting[listener->start];
    listener->start = (listener->start + 1) % MACHINE_BACKLOG;
    listener->count--;
    machine->channels[channel].is_accepted = 1;
    machine->channels[channel].is_connecting = 0;
    return channel;
}

void machine_release_listener(struct machine *machine, int32_t index) {
    struct machine_listener *listener = &machine->listeners[index];
    if (listener->references <= 0 || --listener->references > 0) return;
    int32_t channel;
    if (machine_has_datagrams(listener->kind)) listener->count = 0;
    while ((channel = machine_dequeue(machine, index)) >= 0) {
        machine->channels[channel].ends[0].error = ECONNRESET;
        machine_release_end(machine, channel, 1);
    }
    listener->is_listening = 0;
}
