/* Makes the clocks of a program faster: a library for LD_PRELOAD.
 *
 * CLOCK_FACTOR is the factor. CLOCK_ZERO is CLOCK_MONOTONIC in nanoseconds at the moment CLOCK_EPOCH, a time in nanoseconds
 * since 1970: the clocks of programs that start later continue from it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>

static long long factor = 1, zero, epoch;
static int (*real_gettime)(clockid_t, struct timespec *);
static int (*real_create)(int, int);
static int (*real_settime)(int, int, const struct itimerspec *, struct itimerspec *);
/* The clocks of timer descriptors. */
static clockid_t clocks[65536];

__attribute__((constructor)) static void begin(void) {
    if (real_gettime) return;
    real_create = dlsym(RTLD_NEXT, "timerfd_create");
    real_settime = dlsym(RTLD_NEXT, "timerfd_settime");
    factor = atoll(getenv("CLOCK_FACTOR") ? getenv("CLOCK_FACTOR") : "1");
    zero = atoll(getenv("CLOCK_ZERO") ? getenv("CLOCK_ZERO") : "0");
    epoch = atoll(getenv("CLOCK_EPOCH") ? getenv("CLOCK_EPOCH") : "0");
    real_gettime = dlsym(RTLD_NEXT, "clock_gettime");
}

static int is_boot(clockid_t clock) {
    return clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME || clock == CLOCK_MONOTONIC_RAW ||
           clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_BOOTTIME_ALARM;
}

static int is_date(clockid_t clock) { return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE; }

int clock_gettime(clockid_t clock, struct timespec *time) {
    begin();
    if (!is_boot(clock) && !is_date(clock)) return real_gettime(clock, time);
    struct timespec now;
    int status = real_gettime(CLOCK_MONOTONIC, &now);
    if (status) return status;
    long long passed = (now.tv_sec * 1000000000LL + now.tv_nsec - zero) * factor;
    long long value = (is_date(clock) ? epoch : zero) + passed;
    time->tv_sec = value / 1000000000;
    time->tv_nsec = value % 1000000000;
    return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    (void)zone;
    struct timespec now;
    if (clock_gettime(CLOCK_REALTIME, &now)) return -1;
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}

int timerfd_create(int clock, int flags) {
    begin();
    int file = real_create(is_boot(clock) ? CLOCK_MONOTONIC : clock, flags);
    if (file >= 0 && file < 65536) clocks[file] = clock;
    return file;
}

static struct timespec slower(struct timespec time, long long from) {
    long long value = time.tv_sec * 1000000000LL + time.tv_nsec;
    if (value == 0) return time;
    value = from + (value - from) / factor;
    if (value < 1) value = 1;
    return (struct timespec){value / 1000000000, value % 1000000000};
}

int timerfd_settime(int file, int flags, const struct itimerspec *new, struct itimerspec *old) {
    begin();
    clockid_t clock = file >= 0 && file < 65536 ? clocks[file] : CLOCK_MONOTONIC;
    if (!is_boot(clock)) return real_settime(file, flags, new, old);
    struct itimerspec changed = *new;
    changed.it_value = slower(new->it_value, flags & TFD_TIMER_ABSTIME ? zero : 0);
    changed.it_interval = slower(new->it_interval, 0);
    return real_settime(file, flags, &changed, old);
}
