// Programs on the machine, as the world sees them: start, turns, end.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "channels.h"

#define DESCRIPTOR_LIMIT 1024
/// Real descriptors: those of the machine, and what the library keeps above them.
#define REAL_DESCRIPTOR_LIMIT 4096
#define MAX_VARIABLES 64
/// After so many nanoseconds, the world looks whether a process has crashed.
#define PATIENCE 50000000
/// A process that needs so many seconds of the processor for a turn does not end.
#define MAX_TURN_SECONDS 20
#define FIRST_DESCRIPTOR 3

static void clear_process(struct machine *machine, int32_t index) {
    struct machine_process *process = &machine->processes[index];
    struct machine_process old = *process;
    memset(process, 0, sizeof *process);
    process->id = old.id ? old.id : 1000 + index;
    process->user = old.user;
    process->group = old.group;
    process->group_count = old.group_count;
    memcpy(process->groups, old.groups, sizeof old.groups);
    memcpy(process->unit, old.unit, sizeof old.unit);
    memcpy(process->passed, old.passed, sizeof old.passed);
    process->passed_count = old.passed_count;
    process->yield_after = old.yield_after;
    process->wants_heap = old.wants_heap;
    process->descriptor_limit = old.descriptor_limit ? old.descriptor_limit : DESCRIPTOR_LIMIT;
    process->deadline = MACHINE_NEVER;
    process->state = MACHINE_PROCESS_RUNNING;
    for (int i = 0; i < MACHINE_DESCRIPTORS; i++) process->descriptors[i].epoll = -1;
}

/// The sockets that the service manager passes, from descriptor 3.
static void pass_listeners(struct machine *machine, int32_t index) {
    struct machine_process *process = &machine->processes[index];
    for (int32_t i = 0; i < process->passed_count; i++) {
        int32_t listener = process->passed[i];
        machine->listeners[listener].references++;
        process->descriptors[FIRST_DESCRIPTOR + i] =
            (struct machine_descriptor){ .kind = MACHINE_LISTENER, .index = listener, .flags = O_RDWR, .epoll = -1 };
        process->descriptor_count++;
    }
}

// MARK: Start

struct variables {
    char texts[9][MACHINE_PATH * 4];
    const char *list[MAX_VARIABLES + 9 + 1];
};

static void set_variables(struct variables *it, int32_t index, const char *preload, const char *machine_path,
                          const char *root, const char *const environment[]) {
    size_t capacity = sizeof it->texts[0];
    snprintf(it->texts[0], capacity, "LD_PRELOAD=%s", preload);
    snprintf(it->texts[1], capacity, "MACHINE_FILE=%s", machine_path);
    snprintf(it->texts[2], capacity, "MACHINE_PROCESS=%d", index);
    snprintf(it->texts[3], capacity, "MACHINE_ROOT=%s", root);
    snprintf(it->texts[4], capacity, "SWIFT_DETERMINISTIC_HASHING=1");
    snprintf(it->texts[5], capacity, "TZ=UTC");
    // mallinfo2 counts what is free in the caches of the allocator as used: up to 240 kB.
    snprintf(it->texts[6], capacity, "GLIBC_TUNABLES=glibc.malloc.tcache_count=0");
    size_t count = 0;
    while (count < 7) { it->list[count] = it->texts[count]; count++; }
    // For programs with mutants (find-mutants) and with counters (find-unreached).
    const char *names[] = { "SEXTANT_MUTANT", "SEXTANT_COUNTERS" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (!value) continue;
        snprintf(it->texts[count], capacity, "%s=%s", names[i], value);
        it->list[count] = it->texts[count];
        count++;
    }
    for (size_t i = 0; i < MAX_VARIABLES && environment[i]; i++) it->list[count++] = environment[i];
    it->list[count] = NULL;
}

static void limit_child(void) {
    struct rlimit limit = { REAL_DESCRIPTOR_LIMIT, REAL_DESCRIPTOR_LIMIT };
    setrlimit(RLIMIT_NOFILE, &limit);
    // A world that ends takes its programs with it.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    personality(ADDR_NO_RANDOMIZE);
    umask(0077);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void run_child(const char *program, const char *root, const char *const arguments[],
                      const char *const variables[]) {
    limit_child();
    if (chdir(root) != 0) _exit(126);
    int input = open("/dev/null", O_RDONLY);
    int output = open("output.txt", O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (input < 0 || output < 0) _exit(126);
    dup2(input, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    // What the world has open is not the program's.
    close_range(FIRST_DESCRIPTOR, ~0U, 0);
    execve(program, (char *const *)arguments, (char *const *)variables);
    _exit(127);
}

int32_t machine_start(struct machine *machine, int32_t index, const char *program, const char *preload,
                      const char *machine_path, const char *root, const char *const arguments[],
                      const char *const environment[]) {
    static struct variables variables;
    static char library[PATH_MAX];
    // A library that cannot be loaded is ignored: the program would run on the real system.
    if (!realpath(preload, library) || access(library, R_OK) != 0) {
        machine->processes[index].state = MACHINE_PROCESS_NONE;
        return -1;
    }
    set_variables(&variables, index, library, machine_path, root, environment);
    clear_process(machine, index);
    pass_listeners(machine, index);
    pid_t child = fork();
    if (child == 0) run_child(program, root, arguments, variables.list);
    machine->processes[index].real_id = child;
    if (child < 0) machine->processes[index].state = MACHINE_PROCESS_NONE;
    return child;
}

void machine_use_processor(int32_t number) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET((size_t)number, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) perror("sched_setaffinity");
}

// MARK: Turns

/// Waits as the world while the turn has a value, at most for PATIENCE. Returns false after that.
static bool await_world(uint32_t *turn, uint32_t value) {
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += PATIENCE;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    return syscall(SYS_futex, turn, FUTEX_WAIT_BITSET, value, &until, NULL, MACHINE_WAKES_WORLD) == 0 ||
           errno != ETIMEDOUT;
}

static void release_process(struct machine *machine, int32_t index) {
    struct machine_process *process = &machine->processes[index];
    for (int32_t number = 0; number < MACHINE_DESCRIPTORS; number++)
        machine_release_descriptor(machine, index, number);
    process->deadline = MACHINE_NEVER;
    for (int i = 0; i < MACHINE_CHANNELS; i++)
        for (int end = 0; end < 2; end++)
            if (machine->channels[i].ends[end].process_id == process->id) machine->channels[i].ends[end].is_alive = 0;
}

/// Records the end of a process that is gone in the real system.
static void finish_process(struct machine *machine, int32_t index, int status) {
    struct machine_process *process = &machine->processes[index];
    if (process->state != MACHINE_PROCESS_EXITED) {
        process->state = MACHINE_PROCESS_KILLED;
        process->status = status;
    }
    machine->turn = MACHINE_TURN_WORLD;
    release_process(machine, index);
}

static bool reap(struct machine *machine, int32_t index, int options) {
    int status = 0;
    if (waitpid(machine->processes[index].real_id, &status, options) <= 0) return false;
    finish_process(machine, index, status);
    return true;
}

void machine_kill(struct machine *machine, int32_t index) {
    struct machine_process *process = &machine->processes[index];
    if (process->state != MACHINE_PROCESS_RUNNING && process->state != MACHINE_PROCESS_WAITING) return;
    kill(process->real_id, SIGKILL);
    process->end = MACHINE_END_KILL;
    reap(machine, index, 0);
}

/// The seconds of the processor that a process has used.
static long processor_seconds(pid_t process) {
    clockid_t clock;
    struct timespec time = { 0 };
    if (clock_getcpuclockid(process, &clock) == 0) clock_gettime(clock, &time);
    return time.tv_sec;
}

int32_t machine_run(struct machine *machine, int32_t index) {
    struct machine_process *process = &machine->processes[index];
    uint32_t turn = (uint32_t)index + 1;
    // Asking costs as much as a short turn: only a long one is measured.
    long began = -1;
    machine->has_output = 0;
    process->state = MACHINE_PROCESS_RUNNING;
    __atomic_store_n(&machine->turn, turn, __ATOMIC_RELEASE);
    syscall(SYS_futex, &machine->turn, FUTEX_WAKE_BITSET, INT32_MAX, NULL, NULL, MACHINE_WAKES(index));
    while (__atomic_load_n(&machine->turn, __ATOMIC_ACQUIRE) == turn) {
        if (await_world(&machine->turn, turn)) continue;
        // It may have crashed.
        if (reap(machine, index, WNOHANG)) return process->state;
        long used = processor_seconds(process->real_id);
        if (began < 0) began = used;
        if (used - began > MAX_TURN_SECONDS) {
            machine_set_text(process->message, sizeof process->message, "it neither waits nor ends");
            machine_kill(machine, index);
            process->end = MACHINE_END_UNEXPECTED;
            return process->state;
        }
    }
    if (process->state == MACHINE_PROCESS_EXITED || process->state == MACHINE_PROCESS_KILLED) reap(machine, index, 0);
    return process->state;
}
