// Clocks and timers: one clock of the machine with an offset for each.
#include <errno.h>
#include <poll.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#include "preload.h"

#define SECOND 1000000000LL

static int64_t offset_of(clockid_t clock) {
    switch (clock) {
    case CLOCK_REALTIME: case CLOCK_REALTIME_COARSE: case CLOCK_REALTIME_ALARM: case CLOCK_TAI:
        return machine->realtime_offset;
    case CLOCK_BOOTTIME: case CLOCK_BOOTTIME_ALARM: return machine->boottime_offset;
    default: return 0;
    }
}

static int64_t reading(clockid_t clock) {
    attach();
    int64_t time = machine->now + offset_of(clock);
    machine->now += machine->reading_cost;
    return time;
}

static struct timespec timespec_of(int64_t time) {
    return (struct timespec){ .tv_sec = time / SECOND, .tv_nsec = time % SECOND };
}

static int64_t time_of(struct timespec time) { return (int64_t)time.tv_sec * SECOND + time.tv_nsec; }

PUBLIC int clock_gettime(clockid_t clock, struct timespec *time) {
    *time = timespec_of(reading(clock));
    return 0;
}

/// The kernel says that the clock is synchronized, or is not asked, as in a service with ProtectClock=.
PUBLIC int adjtimex(struct timex *clock) {
    struct call call = begin_call(MACHINE_CALL_OTHER, "adjtimex", -1, NULL);
    if (!machine->is_synchronized || clock->modes) {
        errno = EPERM;
        return (int)end_call(&call, -1);
    }
    *clock = (struct timex){ .maxerror = 50000 };
    return (int)end_call(&call, TIME_OK);
}

PUBLIC int clock_getres(clockid_t clock, struct timespec *resolution) {
    (void)clock;
    if (resolution) *resolution = (struct timespec){ .tv_nsec = 1 };
    return 0;
}

PUBLIC int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    (void)zone;
    int64_t now = reading(CLOCK_REALTIME);
    *time = (struct timeval){ .tv_sec = now / SECOND, .tv_usec = now % SECOND / 1000 };
    return 0;
}

PUBLIC time_t time(time_t *result) {
    time_t seconds = reading(CLOCK_REALTIME) / SECOND;
    if (result) *result = seconds;
    return seconds;
}

// MARK: Sleeping

static void sleep_for(int64_t duration) {
    attach();
    int64_t deadline = machine->now + duration;
    while (machine->now < deadline) wait_for(MACHINE_WAITS_FOR_TIME, 0, deadline);
}

PUBLIC int nanosleep(const struct timespec *duration, struct timespec *rest) {
    if (rest) *rest = (struct timespec){ 0 };
    sleep_for(time_of(*duration));
    return 0;
}

PUBLIC int usleep(useconds_t duration) {
    sleep_for((int64_t)duration * 1000);
    return 0;
}

PUBLIC unsigned sleep(unsigned seconds) {
    sleep_for((int64_t)seconds * SECOND);
    return 0;
}

// MARK: Timers

PUBLIC int timerfd_create(int clock, int flags) {
    struct call call = begin_call(MACHINE_CALL_OTHER, "timerfd_create", -1, NULL);
    return (int)end_call(&call, new_descriptor(MACHINE_TIMER, clock, O_RDWR | (flags & O_NONBLOCK)));
}

static struct machine_descriptor *timer_of(int number) {
    struct machine_descriptor *it = descriptor_of(number);
    if (it && it->kind == MACHINE_TIMER) return it;
    if (it) errno = EINVAL;
    return NULL;
}

static void read_timer(const struct machine_descriptor *timer, struct itimerspec *value) {
    int64_t rest = timer->value ? timer->value - machine->now - offset_of(timer->index) : 0;
    if (timer->value && rest <= 0) rest = timer->interval ? 1 : 0;
    *value = (struct itimerspec){ .it_interval = timespec_of(timer->interval), .it_value = timespec_of(rest) };
}

PUBLIC int timerfd_settime(int number, int flags, const struct itimerspec *value, struct itimerspec *old) {
    struct call call = begin_call(MACHINE_CALL_OTHER, "timerfd_settime", number, NULL);
    struct machine_descriptor *timer = timer_of(number);
    if (!timer) return (int)end_call(&call, -1);
    if (flags & TFD_TIMER_CANCEL_ON_SET) unexpected("timerfd_settime with TFD_TIMER_CANCEL_ON_SET");
    if (old) read_timer(timer, old);
    int64_t deadline = 0;
    // sd-event asks for the end of time with the greatest number of seconds.
    if (value->it_value.tv_sec >= MACHINE_NEVER / SECOND) deadline = MACHINE_NEVER;
    else deadline = time_of(value->it_value);
    if (deadline && !(flags & TFD_TIMER_ABSTIME)) deadline += machine->now + offset_of(timer->index);
    timer->value = deadline;
    timer->interval = time_of(value->it_interval);
    return (int)end_call(&call, 0);
}

PUBLIC int timerfd_gettime(int number, struct itimerspec *value) {
    struct machine_descriptor *timer = timer_of(number);
    if (!timer) return -1;
    read_timer(timer, value);
    return 0;
}

static ssize_t read_timer_count(struct machine_descriptor *timer, int number, void *bytes) {
    while (machine_timer_deadline(machine, timer) > machine->now) {
        if (timer->flags & O_NONBLOCK) {
            errno = EAGAIN;
            return -1;
        }
        wait_for(number, POLLIN, machine_timer_deadline(machine, timer));
    }
    int64_t late = machine->now - machine_timer_deadline(machine, timer);
    uint64_t count = timer->interval ? 1 + (uint64_t)(late / timer->interval) : 1;
    timer->value = timer->interval ? timer->value + (int64_t)count * timer->interval : 0;
    memcpy(bytes, &count, sizeof count);
    return sizeof count;
}

static ssize_t read_count(struct machine_descriptor *counter, int number, void *bytes) {
    while (counter->value == 0) {
        if (counter->flags & O_NONBLOCK) {
            errno = EAGAIN;
            return -1;
        }
        wait_for(number, POLLIN, MACHINE_NEVER);
    }
    memcpy(bytes, &counter->value, sizeof counter->value);
    counter->value = 0;
    return sizeof counter->value;
}

ssize_t read_signal(struct machine_descriptor *it, void *bytes, size_t count);

ssize_t read_event(int number, void *bytes, size_t count) {
    struct machine_descriptor *it = &SELF->descriptors[number];
    if (it->kind == MACHINE_SIGNALS) return read_signal(it, bytes, count);
    if (count < sizeof(uint64_t)) {
        errno = EINVAL;
        return -1;
    }
    return it->kind == MACHINE_TIMER ? read_timer_count(it, number, bytes) : read_count(it, number, bytes);
}

ssize_t write_counter(int number, const void *bytes, size_t count) {
    int64_t value = 0;
    if (count != sizeof value) {
        errno = EINVAL;
        return -1;
    }
    memcpy(&value, bytes, sizeof value);
    SELF->descriptors[number].value += value;
    return sizeof value;
}
