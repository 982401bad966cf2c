// The library's connection to the machine: turns, faults, records of calls.
#include "preload.h"

#include <dlfcn.h>
#include <linux/futex.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct machine *machine;
int32_t self_index;
char root_path[MACHINE_PATH];

/// A program that makes so many calls without waiting does not end.
#define MAX_CALLS_PER_TURN 3000000
static uint64_t turn_calls;

void *real_function(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) unexpected("no function %s in the libraries", name);
    return found;
}

long real_call(long number, ...) {
    static long (*real)(long, ...);
    if (!real) real = dlsym(RTLD_NEXT, "syscall");
    va_list list;
    va_start(list, number);
    long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long);
    long d = va_arg(list, long), e = va_arg(list, long), f = va_arg(list, long);
    va_end(list);
    return real(number, a, b, c, d, e, f);
}

// MARK: Start

static void refuse(const char *reason) {
    dprintf(STDERR_FILENO, "machine.so: %s\n", reason);
    _exit(125);
}

static void map_machine(const char *path) {
    int file = (int)real_call(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
    if (file < 0) refuse("cannot open the file of the machine");
    machine = mmap(NULL, sizeof *machine, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    real_call(SYS_close, file);
    if (machine == MAP_FAILED) refuse("cannot map the file of the machine");
    if (machine->version != MACHINE_VERSION || machine->size != sizeof *machine)
        refuse("the machine has another version");
}

static void finish(int status, void *context) {
    (void)context;
    fflush(NULL);
    SELF->status = status;
    pass_turn(MACHINE_PROCESS_EXITED);
}

static void await_turn(void) {
    uint32_t mine = (uint32_t)self_index + 1;
    uint32_t turn;
    while ((turn = __atomic_load_n(&machine->turn, __ATOMIC_ACQUIRE)) != mine)
        real_call(SYS_futex, &machine->turn, FUTEX_WAIT_BITSET, turn, NULL, NULL, MACHINE_WAKES(self_index));
    turn_calls = 0;
}

/// Placeholders for the descriptors that the process begins with.
static void reserve_passed(void) {
    for (int number = 0; number < 3; number++) adopt_descriptor(number, MACHINE_OTHER, 0, O_RDWR);
    for (int number = 3; number < 3 + SELF->passed_count; number++)
        real_call(SYS_dup3, STDIN_FILENO, number, O_CLOEXEC);
}

void attach(void) {
    if (machine) return;
    const char *path = getenv("MACHINE_FILE"), *process = getenv("MACHINE_PROCESS"), *root = getenv("MACHINE_ROOT");
    if (!path || !process || !root) refuse("MACHINE_FILE, MACHINE_PROCESS and MACHINE_ROOT must be set");
    self_index = atoi(process);
    machine_set_text(root_path, sizeof root_path, root);
    map_machine(path);
    await_turn();
    on_exit(finish, NULL);
    reserve_passed();
}

__attribute__((constructor)) static void start(void) { attach(); }

// MARK: Turns

void pass_turn(int32_t state) {
    SELF->state = state;
    __atomic_store_n(&machine->turn, MACHINE_TURN_WORLD, __ATOMIC_RELEASE);
    real_call(SYS_futex, &machine->turn, FUTEX_WAKE_BITSET, 1, NULL, NULL, MACHINE_WAKES_WORLD);
    if (state == MACHINE_PROCESS_WAITING) await_turn();
}

_Noreturn void end_process(int32_t reason) {
    SELF->end = reason;
    pass_turn(MACHINE_PROCESS_KILLED);
    while (true) real_call(SYS_kill, real_call(SYS_getpid), SIGKILL);
}

_Noreturn void unexpected(const char *format, ...) {
    va_list list;
    va_start(list, format);
    if (!machine) {
        vdprintf(STDERR_FILENO, format, list);
        _exit(125);
    }
    vsnprintf(SELF->message, sizeof SELF->message, format, list);
    va_end(list);
    end_process(MACHINE_END_UNEXPECTED);
}

/// Whether all other processes sleep at least until a time.
static bool others_sleep(int64_t until) {
    for (int i = 0; i < MACHINE_PROCESSES; i++) {
        const struct machine_process *other = &machine->processes[i];
        if (i == self_index || other->state == MACHINE_PROCESS_NONE) continue;
        if (other->state == MACHINE_PROCESS_RUNNING) return false;
        if (other->state == MACHINE_PROCESS_WAITING && (other->deadline <= until || machine_is_ready(machine, i))) return false;
    }
    return true;
}

static void note_heap(void) {
    if (SELF->wants_heap) SELF->heap = mallinfo2().uordblks;
}

void wait_for(int32_t number, uint32_t events, int64_t deadline) {
    SELF->waits_for = number;
    SELF->deadline = deadline;
    SELF->wakeups++;
    note_heap();
    if (deadline <= machine->world_deadline && !machine->has_output && others_sleep(deadline)) {
        machine->now = deadline > machine->now ? deadline : machine->now;
        turn_calls = 0;
        return;
    }
    uint32_t watched = number >= 0 ? SELF->descriptors[number].events : 0;
    if (number >= 0) SELF->descriptors[number].events = events;
    pass_turn(MACHINE_PROCESS_WAITING);
    if (number >= 0) SELF->descriptors[number].events = watched;
}

// MARK: Faults

static bool applies(const struct machine_fault *fault, int32_t call_class, const char *path) {
    if (fault->action == MACHINE_ACTION_NONE || machine->now < fault->begin || machine->now >= fault->end_time)
        return false;
    if (fault->process >= 0 && fault->process != self_index) return false;
    if (fault->call_class >= 0 && fault->call_class != call_class) return false;
    if (fault->limit > 0 && fault->fired >= fault->limit) return false;
    return fault->path[0] == 0 || (path && strstr(path, fault->path));
}

static bool fires(struct machine_fault *fault) {
    fault->seen++;
    if (fault->at_call) return fault->seen == fault->at_call;
    return fault->rate && (uint32_t)(machine_random(&machine->random) >> 32) < fault->rate;
}

static void decide(struct call *call, const char *path) {
    for (int i = 0; i < machine->fault_count; i++) {
        struct machine_fault *fault = &machine->faults[i];
        if (!applies(fault, call->call_class, path) || !fires(fault)) continue;
        fault->fired++;
        call->fault = fault->action;
        call->error = fault->error;
        call->random = machine_random(&machine->random);
        if (fault->action == MACHINE_ACTION_SLOW) machine->now += fault->latency;
        return;
    }
}

struct call begin_call(int32_t call_class, const char *name, int32_t descriptor, const char *path) {
    attach();
    struct call call = { .name = name, .call_class = call_class, .descriptor = descriptor,
                         .detail = path, .detail_length = path ? strlen(path) : 0 };
    machine->calls[call_class]++;
    SELF->calls++;
    if (++turn_calls > MAX_CALLS_PER_TURN) unexpected("%d calls without waiting, last %s", MAX_CALLS_PER_TURN, name);
    if (call_class == MACHINE_CALL_OTHER || machine->fault_count == 0) return call;
    decide(&call, path);
    if (call.fault != MACHINE_ACTION_KILL && call.fault != MACHINE_ACTION_POWER) return call;
    end_call(&call, 0);
    end_process(call.fault == MACHINE_ACTION_KILL ? MACHINE_END_KILL : MACHINE_END_POWER);
}

bool call_fails(struct call *call) {
    if (call->fault != MACHINE_ACTION_FAIL) return false;
    errno = call->error;
    return true;
}

size_t call_length(const struct call *call, size_t count) {
    if (call->fault != MACHINE_ACTION_SHORT || count < 2) return count;
    return 1 + (size_t)(call->random % (count - 1));
}

// MARK: Records

static uint64_t mixed(uint64_t hash, uint64_t word) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
    return hash ^ (hash >> 29);
}

static void mix_bytes(const uint8_t *bytes, size_t count) {
    uint64_t word = 0;
    for (; count >= sizeof word; bytes += sizeof word, count -= sizeof word) {
        memcpy(&word, bytes, sizeof word);
        machine->hash = mixed(machine->hash, word);
    }
    word = 0;
    memcpy(&word, bytes, count);
    machine->hash = mixed(machine->hash, word ^ count);
}

/// The end of a path tells more than its beginning.
static void set_detail(struct machine_call_record *record, const struct call *call) {
    size_t capacity = sizeof record->detail;
    size_t length = call->detail_length < capacity ? call->detail_length : capacity;
    const char *from = call->detail;
    if (from && from[0] == '/') from += call->detail_length - length;
    if (from) memcpy(record->detail, from, length);
    for (size_t i = 0; i < length; i++)
        if (record->detail[i] < ' ' || record->detail[i] > '~') record->detail[i] = '.';
}

static void add_record(const struct call *call, int64_t result, int error) {
    if (machine->record_count == MACHINE_CALL_RECORDS) {
        machine->lost_records++;
        return;
    }
    struct machine_call_record *record = &machine->records[machine->record_count++];
    *record = (struct machine_call_record){
        .time = machine->now, .result = result, .descriptor = call->descriptor, .error = error,
        .process = (int16_t)self_index, .call_class = (int16_t)call->call_class, .fault = (int16_t)call->fault };
    memcpy(record->call, call->name, strnlen(call->name, sizeof record->call - 1));
    set_detail(record, call);
}

int64_t end_call(struct call *call, int64_t result) {
    int error = errno;
    uint64_t word = (uint64_t)result << 16 ^ (uint64_t)call->call_class << 8 ^ (uint64_t)(uint32_t)call->descriptor;
    machine->hash = mixed(machine->hash, word);
    machine->hash = mixed(machine->hash, (uint64_t)machine->now ^ (result < 0 ? (uint64_t)error << 52 : 0));
    if (machine->is_tracing || call->fault) add_record(call, result, result < 0 ? error : 0);
    if (call->fault == MACHINE_ACTION_KILL_AFTER) end_process(MACHINE_END_KILL);
    errno = error;
    return result;
}

int64_t end_transfer(struct call *call, int64_t result, const void *bytes) {
    if (result > 0) {
        mix_bytes(bytes, (size_t)result);
        if (!call->detail) {
            call->detail = bytes;
            call->detail_length = (size_t)result;
        }
    }
    return end_call(call, result);
}

void add_text(int32_t kind, const void *bytes, size_t length) {
    struct machine_text *text = &machine->text;
    size_t size = sizeof(struct machine_text_head) + (length + 7) / 8 * 8;
    if (length > UINT16_MAX || text->count + size > MACHINE_TEXT_BYTES) {
        text->lost++;
        return;
    }
    struct machine_text_head head = { .time = machine->now, .process = self_index, .kind = kind,
                                      .length = (uint32_t)length };
    memcpy(text->bytes + text->count, &head, sizeof head);
    memcpy(text->bytes + text->count + sizeof head, bytes, length);
    text->count += (uint32_t)size;
    machine->has_output = 1;
    mix_bytes(bytes, length);
}

void fill_random(void *bytes, size_t count) {
    uint8_t *at = bytes;
    while (count > 0) {
        uint64_t word = machine_random(&machine->random);
        size_t part = count < sizeof word ? count : sizeof word;
        memcpy(at, &word, part);
        at += part;
        count -= part;
    }
}
