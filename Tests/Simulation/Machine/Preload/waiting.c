// Waiting for descriptors: epoll, poll, signals and counters.
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <time.h>

#include "preload.h"

#define MILLISECOND 1000000LL
/// What is always reported.
#define ALWAYS (EPOLLERR | EPOLLHUP)

static int64_t deadline_after(int64_t duration) {
    return duration < 0 ? MACHINE_NEVER : machine->now + duration;
}

static int milliseconds_of(const struct timespec *timeout) {
    return timeout ? (int)(timeout->tv_sec * 1000 + timeout->tv_nsec / MILLISECOND) : -1;
}

// MARK: epoll

PUBLIC int epoll_create1(int flags) {
    (void)flags;
    struct call call = begin_call(MACHINE_CALL_OTHER, "epoll_create1", -1, NULL);
    return (int)end_call(&call, new_descriptor(MACHINE_EPOLL, 0, O_RDWR));
}

PUBLIC int epoll_create(int size) { return size > 0 ? epoll_create1(0) : (errno = EINVAL, -1); }

static bool is_watchable(const struct machine_descriptor *it) {
    return it->kind != MACHINE_FILE && it->kind != MACHINE_OTHER;
}

static int change_registration(int epoll, int operation, struct machine_descriptor *it,
                               const struct epoll_event *event) {
    bool is_registered = it->epoll == epoll;
    if (!is_watchable(it)) return EPERM;
    if (operation == EPOLL_CTL_ADD && is_registered) return EEXIST;
    if (operation != EPOLL_CTL_ADD && !is_registered) return ENOENT;
    if (operation == EPOLL_CTL_ADD && it->epoll >= 0) unexpected("epoll_ctl: a descriptor in two epoll descriptors");
    if (operation == EPOLL_CTL_DEL) {
        it->epoll = -1;
        it->events = 0;
        return 0;
    }
    if (event->events & EPOLLET) unexpected("epoll_ctl: EPOLLET");
    it->epoll = epoll;
    it->events = event->events | ALWAYS;
    it->data = event->data.u64;
    return 0;
}

PUBLIC int epoll_ctl(int epoll, int operation, int number, struct epoll_event *event) {
    struct call call = begin_call(MACHINE_CALL_OTHER, "epoll_ctl", number, NULL);
    struct machine_descriptor *set = descriptor_of(epoll);
    struct machine_descriptor *it = set ? descriptor_of(number) : NULL;
    if (!it) return (int)end_call(&call, -1);
    bool is_valid = set->kind == MACHINE_EPOLL && number != epoll;
    int error = is_valid ? change_registration(epoll, operation, it, event) : EINVAL;
    if (error) errno = error;
    return (int)end_call(&call, error ? -1 : 0);
}

static int collect(int epoll, struct epoll_event *events, int capacity) {
    int count = 0, open = 0, all = SELF->descriptor_count;
    for (int number = 0; number < MACHINE_DESCRIPTORS && open < all && count < capacity; number++) {
        struct machine_descriptor *it = &SELF->descriptors[number];
        if (it->kind == MACHINE_FREE) continue;
        open++;
        if (it->epoll != epoll || it->events == 0) continue;
        uint32_t ready = machine_readiness(machine, self_index, it) & it->events;
        if (!ready) continue;
        events[count++] = (struct epoll_event){ .events = ready, .data.u64 = it->data };
        if (it->events & EPOLLONESHOT) it->events = 0;
    }
    return count;
}

static void shuffle(struct epoll_event *events, int count) {
    for (int i = count - 1; i > 0; i--) {
        int other = (int)(machine_random(&machine->random) % (uint64_t)(i + 1));
        struct epoll_event event = events[i];
        events[i] = events[other];
        events[other] = event;
    }
}

static int64_t first_timer(int epoll) {
    int64_t first = MACHINE_NEVER;
    int open = 0;
    for (int number = 0; number < MACHINE_DESCRIPTORS && open < SELF->descriptor_count; number++) {
        const struct machine_descriptor *it = &SELF->descriptors[number];
        if (it->kind == MACHINE_FREE) continue;
        open++;
        if (it->kind != MACHINE_TIMER || it->epoll != epoll) continue;
        int64_t deadline = machine_timer_deadline(machine, it);
        if (deadline < first) first = deadline;
    }
    return first;
}

/// What has woken the process, as an index of `wakeups_by`.
static int cause_of_wakeup(int epoll) {
    int cause = 0, open = 0;
    for (int number = 0; number < MACHINE_DESCRIPTORS && open < SELF->descriptor_count; number++) {
        const struct machine_descriptor *it = &SELF->descriptors[number];
        if (it->kind == MACHINE_FREE) continue;
        open++;
        if (it->epoll != epoll || it->kind == MACHINE_TIMER) continue;
        if (!(machine_readiness(machine, self_index, it) & it->events)) continue;
        if (it->kind != MACHINE_CHANNEL || machine->channels[it->index].kind != MACHINE_TERMINAL) return 2;
        cause = 1;
    }
    return cause;
}

/// The calls that follow a wakeup without work: a timer is set, and the process waits.
#define IDLE_CALLS 2
static bool woke_by_time;
static uint64_t calls_at_wakeup;

static void note_sleep(void) {
    if (woke_by_time && SELF->calls - calls_at_wakeup <= IDLE_CALLS) SELF->idle_wakeups++;
    woke_by_time = false;
}

static void note_wakeup(int epoll) {
    int cause = cause_of_wakeup(epoll);
    SELF->wakeups_by[cause]++;
    woke_by_time = cause == 0;
    calls_at_wakeup = SELF->calls;
}

static int wait_for_events(int epoll, struct epoll_event *events, int capacity, int64_t deadline) {
    static uint32_t waits;
    machine->now += machine->wait_cost;
    if (SELF->yield_after && ++waits >= SELF->yield_after) {
        waits = 0;
        wait_for(MACHINE_WAITS_FOR_EPOLL, 0, machine->now);
    }
    for (bool has_slept = false;; has_slept = true) {
        int count = collect(epoll, events, capacity);
        if (count > 0 || machine->now >= deadline) {
            if (has_slept) note_wakeup(epoll);
            return count;
        }
        waits = 0;
        int64_t timer = first_timer(epoll);
        if (!has_slept) note_sleep();
        wait_for(MACHINE_WAITS_FOR_EPOLL, 0, timer < deadline ? timer : deadline);
    }
}

PUBLIC int epoll_wait(int epoll, struct epoll_event *events, int capacity, int timeout) {
    struct call call = begin_call(MACHINE_CALL_WAIT, "epoll_wait", epoll, NULL);
    if (call_fails(&call)) return (int)end_call(&call, -1);
    struct machine_descriptor *set = descriptor_of(epoll);
    if (!set || set->kind != MACHINE_EPOLL || capacity <= 0) {
        errno = set ? EINVAL : EBADF;
        return (int)end_call(&call, -1);
    }
    int count = wait_for_events(epoll, events, capacity, deadline_after(timeout * MILLISECOND));
    if (machine->is_order_random) shuffle(events, count);
    return (int)end_call(&call, count);
}

PUBLIC int epoll_pwait(int epoll, struct epoll_event *events, int capacity, int timeout, const sigset_t *signals) {
    (void)signals;
    return epoll_wait(epoll, events, capacity, timeout);
}

PUBLIC int epoll_pwait2(int epoll, struct epoll_event *events, int capacity, const struct timespec *timeout,
                        const sigset_t *signals) {
    (void)signals;
    return epoll_wait(epoll, events, capacity, milliseconds_of(timeout));
}

// MARK: poll

static int count_ready(struct pollfd *requests, nfds_t count) {
    int ready = 0;
    for (nfds_t i = 0; i < count; i++) {
        requests[i].revents = 0;
        if (requests[i].fd < 0) continue;
        const struct machine_descriptor *it = descriptor_of(requests[i].fd);
        uint32_t wanted = (uint32_t)requests[i].events | ALWAYS;
        bool is_file = it && !is_watchable(it);
        if (!it) requests[i].revents = POLLNVAL;
        else if (is_file) requests[i].revents = (short)((POLLIN | POLLOUT) & wanted);
        else requests[i].revents = (short)(machine_readiness(machine, self_index, it) & wanted);
        ready += requests[i].revents != 0;
    }
    return ready;
}

PUBLIC int poll(struct pollfd *requests, nfds_t count, int timeout) {
    struct call call = begin_call(MACHINE_CALL_OTHER, "poll", -1, NULL);
    int64_t deadline = deadline_after(timeout * MILLISECOND);
    int ready;
    while ((ready = count_ready(requests, count)) == 0 && machine->now < deadline) {
        if (count > 1) unexpected("poll: waiting for %d descriptors", (int)count);
        if (count == 0) wait_for(MACHINE_WAITS_FOR_TIME, 0, deadline);
        else wait_for(requests[0].fd, (uint32_t)requests[0].events | ALWAYS, deadline);
    }
    return (int)end_call(&call, ready);
}

PUBLIC int ppoll(struct pollfd *requests, nfds_t count, const struct timespec *timeout, const sigset_t *signals) {
    (void)signals;
    return poll(requests, count, milliseconds_of(timeout));
}

// MARK: Signals

static int64_t bits_of(const sigset_t *signals) {
    int64_t bits = 0;
    for (int signal = 1; signal < 64; signal++)
        if (sigismember(signals, signal) == 1) bits |= 1LL << (signal - 1);
    return bits;
}

PUBLIC int signalfd(int number, const sigset_t *signals, int flags) {
    struct call call = begin_call(MACHINE_CALL_OTHER, "signalfd", number, NULL);
    if (number < 0) number = new_descriptor(MACHINE_SIGNALS, 0, O_RDWR | (flags & O_NONBLOCK));
    struct machine_descriptor *it = number >= 0 ? descriptor_of(number) : NULL;
    if (!it) return (int)end_call(&call, -1);
    it->value = bits_of(signals);
    return (int)end_call(&call, number);
}

ssize_t read_signal(struct machine_descriptor *it, void *bytes, size_t count) {
    struct signalfd_siginfo *information = bytes;
    ssize_t length = 0;
    for (uint32_t signal = 1; signal < 64 && count - (size_t)length >= sizeof *information; signal++) {
        uint64_t bit = 1ULL << (signal - 1);
        if (!(SELF->signals & (uint64_t)it->value & bit)) continue;
        SELF->signals &= ~bit;
        *information++ = (struct signalfd_siginfo){ .ssi_signo = signal };
        length += (ssize_t)sizeof *information;
    }
    if (length > 0) return length;
    errno = EAGAIN;
    return -1;
}

// MARK: Counters

PUBLIC int eventfd(unsigned value, int flags) {
    struct call call = begin_call(MACHINE_CALL_OTHER, "eventfd", -1, NULL);
    if (flags & EFD_SEMAPHORE) unexpected("eventfd: EFD_SEMAPHORE");
    int number = new_descriptor(MACHINE_COUNTER, 0, O_RDWR | (flags & O_NONBLOCK));
    if (number >= 0) SELF->descriptors[number].value = value;
    return (int)end_call(&call, number);
}
