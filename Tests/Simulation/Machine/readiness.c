// When a descriptor is ready, as epoll(7) and poll(2) report it: the same code for the world, which
// asks whether a waiting process has something to do, and for the process.
#include "channels.h"

#include <signal.h>
#include <sys/epoll.h>
#include <time.h>

uint64_t machine_random(uint64_t *state) {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545F4914F6CDD1DULL;
}

// MARK: Timers

static int64_t clock_offset(const struct machine *machine, int32_t clock) {
    switch (clock) {
    case CLOCK_BOOTTIME: case CLOCK_BOOTTIME_ALARM: return machine->boottime_offset;
    case CLOCK_REALTIME: case CLOCK_REALTIME_ALARM: return machine->realtime_offset;
    default: return 0;
    }
}

int64_t machine_timer_deadline(const struct machine *machine, const struct machine_descriptor *timer) {
    if (timer->value == 0) return MACHINE_NEVER;
    int64_t deadline = 0;
    if (__builtin_sub_overflow(timer->value, clock_offset(machine, timer->index), &deadline)) return MACHINE_NEVER;
    return deadline;
}

// MARK: Channels

static uint32_t stream_readiness(const struct machine_channel *channel, int end) {
    // A peer of TCP that has closed may still read, as far as anybody knows.
    bool is_gone = machine_is_peer_gone(channel, end) && channel->kind != MACHINE_TCP;
    bool has_ended = channel->ends[end].is_write_shut && machine_is_at_end(channel, end);
    uint32_t ready = 0;
    if (channel->ends[end].error) ready |= EPOLLERR;
    if (channel->to[end].count > 0) ready |= EPOLLIN | EPOLLRDNORM;
    if (machine_is_at_end(channel, end)) ready |= EPOLLIN | EPOLLRDNORM | EPOLLRDHUP;
    // Both directions have ended.
    if (is_gone || has_ended) ready |= EPOLLHUP;
    if (is_gone || machine_is_writable(channel, end)) ready |= EPOLLOUT | EPOLLWRNORM;
    return ready;
}

static uint32_t pipe_readiness(const struct machine_channel *channel, int end) {
    bool is_gone = machine_is_peer_gone(channel, end);
    // End 0 reads and end 1 writes (pipe_poll).
    if (end == 0) return (channel->to[0].count > 0 ? EPOLLIN | EPOLLRDNORM : 0) | (is_gone ? EPOLLHUP : 0);
    uint32_t writable = channel->to[0].count < channel->to[0].capacity ? EPOLLOUT | EPOLLWRNORM : 0;
    return writable | (is_gone ? EPOLLERR : 0);
}

static uint32_t terminal_readiness(const struct machine *machine, const struct machine_channel *channel) {
    if (channel->terminal >= 0 && machine->terminals[channel->terminal].is_hung_up)
        return EPOLLIN | EPOLLRDNORM | EPOLLOUT | EPOLLWRNORM | EPOLLHUP | EPOLLERR;
    uint32_t ready = channel->to[1].count > 0 ? EPOLLIN | EPOLLRDNORM : 0;
    return ready | (machine_is_writable(channel, 1) ? EPOLLOUT | EPOLLWRNORM : 0);
}

static uint32_t datagram_readiness(const struct machine_channel *channel, int end) {
    uint32_t ready = channel->to[end].count > 0 ? EPOLLIN | EPOLLRDNORM : 0;
    return ready | (machine_is_writable(channel, end) ? EPOLLOUT | EPOLLWRNORM : 0);
}

static uint32_t channel_readiness(const struct machine *machine, const struct machine_descriptor *it) {
    const struct machine_channel *channel = &machine->channels[it->index];
    switch (channel->kind) {
    case MACHINE_TERMINAL: return terminal_readiness(machine, channel);
    case MACHINE_PIPE: return pipe_readiness(channel, it->end);
    case MACHINE_UNIX_DATAGRAM: case MACHINE_UDP: return datagram_readiness(channel, it->end);
    default: return channel->is_connecting ? 0 : stream_readiness(channel, it->end);
    }
}

// MARK: All kinds

/// `is_shut`: after shutdown(SHUT_RD).
static uint32_t listener_readiness(const struct machine_listener *listener, bool is_shut) {
    uint32_t shut = is_shut ? EPOLLIN | EPOLLRDNORM | EPOLLRDHUP : 0;
    if (!listener->is_listening) return EPOLLOUT | EPOLLWRNORM | EPOLLHUP | shut;
    return listener->count > 0 ? EPOLLIN | EPOLLRDNORM : 0;
}

static bool is_alive(const struct machine *machine, int64_t id) {
    for (int i = 0; i < MACHINE_CHANNELS; i++) {
        const struct machine_channel *channel = &machine->channels[i];
        if (channel->kind == MACHINE_CHANNEL_NONE) continue;
        for (int end = 0; end < 2; end++)
            if (channel->ends[end].process_id == id && channel->ends[end].is_alive) return true;
    }
    return false;
}

uint32_t machine_readiness(const struct machine *machine, int32_t process, const struct machine_descriptor *it) {
    switch (it->kind) {
    case MACHINE_CHANNEL: return channel_readiness(machine, it);
    case MACHINE_LISTENER: return listener_readiness(&machine->listeners[it->index], it->value);
    case MACHINE_TIMER: return machine_timer_deadline(machine, it) <= machine->now ? EPOLLIN : 0;
    case MACHINE_SIGNALS: return machine->processes[process].signals & (uint64_t)it->value ? EPOLLIN : 0;
    case MACHINE_COUNTER: return (it->value > 0 ? EPOLLIN : 0) | EPOLLOUT;
    case MACHINE_SOCKET: return EPOLLOUT | EPOLLHUP | (it->value ? EPOLLIN | EPOLLRDHUP : 0);
    case MACHINE_DEVICE_MONITOR: return (uint64_t)it->value < machine->device_change_count ? EPOLLIN : 0;
    case MACHINE_LOGIN_MONITOR: return (uint64_t)it->value < machine->login_changes ? EPOLLIN : 0;
    case MACHINE_BUS: return (uint64_t)it->value < machine->bus.count || it->interval > 0 ? EPOLLIN : 0;
    case MACHINE_PROCESS_HANDLE: return is_alive(machine, it->value) ? 0 : EPOLLIN;
    default: return 0;
    }
}

void machine_clocks_changed(struct machine *machine) {
    for (int32_t i = 0; i < MACHINE_PROCESSES; i++) {
        struct machine_process *process = &machine->processes[i];
        for (int32_t number = 0; number < MACHINE_DESCRIPTORS; number++) {
            const struct machine_descriptor *it = &process->descriptors[number];
            if (it->kind != MACHINE_TIMER || it->events == 0) continue;
            int64_t deadline = machine_timer_deadline(machine, it);
            if (deadline < process->deadline) process->deadline = deadline;
        }
    }
}

bool machine_is_ready(struct machine *machine, int32_t index) {
    const struct machine_process *process = &machine->processes[index];
    if (process->state != MACHINE_PROCESS_WAITING) return process->state == MACHINE_PROCESS_RUNNING;
    if (process->deadline <= machine->now) return true;
    if (process->waits_for == MACHINE_WAITS_FOR_TIME) return false;
    int32_t open = 0;
    for (int32_t number = 0; number < MACHINE_DESCRIPTORS && open < process->descriptor_count; number++) {
        const struct machine_descriptor *it = &process->descriptors[number];
        if (it->kind == MACHINE_FREE) continue;
        open++;
        bool is_waited = process->waits_for == MACHINE_WAITS_FOR_EPOLL ? it->epoll >= 0 : process->waits_for == number;
        if (it->events == 0 || !is_waited) continue;
        if (machine_readiness(machine, index, it) & (it->events | EPOLLERR | EPOLLHUP)) return true;
    }
    return false;
}

// MARK: The end of descriptors

static void release_terminal(struct machine *machine, int32_t process, int32_t channel) {
    int32_t index = machine->channels[channel].terminal;
    if (index < 0) return;
    struct machine_terminal *terminal = &machine->terminals[index];
    if (terminal->open_count > 0) terminal->open_count--;
    if (terminal->lock_owner == process) terminal->lock_owner = -1;
    if (terminal->open_count > 0) return;
    // TIOCEXCL ends with the last close (tty_release).
    terminal->is_exclusive = 0;
    terminal->is_hung_up = 0;
}

static void release_target(struct machine *machine, int32_t process, const struct machine_descriptor *it) {
    if (it->kind == MACHINE_LISTENER) machine_release_listener(machine, it->index);
    if (it->kind != MACHINE_CHANNEL) return;
    if (machine->channels[it->index].kind == MACHINE_TERMINAL) release_terminal(machine, process, it->index);
    machine_release_end(machine, it->index, it->end);
    if (machine->channels[it->index].ends[1 - it->end].owner == MACHINE_WORLD) machine->has_output = 1;
}

void machine_release_descriptor(struct machine *machine, int32_t process, int32_t number) {
    struct machine_descriptor *it = &machine->processes[process].descriptors[number];
    if (it->kind == MACHINE_FREE) return;
    struct machine_descriptor old = *it;
    *it = (struct machine_descriptor){ .kind = MACHINE_FREE, .epoll = -1 };
    machine->processes[process].descriptor_count--;
    release_target(machine, process, &old);
}
