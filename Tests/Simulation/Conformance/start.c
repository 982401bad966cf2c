// The smallest world, for looking at a program: starts programs on one machine, with a receiver that sends a position each
// second, and prints what they do.
// start ROOT LIBRARY SECONDS SEED PROGRAM [ARGUMENT]... [-- PROGRAM [ARGUMENT]...]...
// ROOT is a new directory. In the environment: TRACE prints each call; PASS=PATH[,PATH]... passes the first program
// a listening socket with each path, and PASS1 the second.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "machine.h"

#define SECOND 1000000000LL
#define USER 900

static void make_directories(const char *root) {
    static const char *const names[] = { "/run", "/run/sextant", "/var", "/var/lib", "/var/lib/sextant", "/etc",
                                         "/etc/sextant", "/dev", "/sys", "/proc", "/tmp" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s%s", root, names[i]);
        mkdir(path, 0755);
    }
}

// MARK: The receiver

static size_t add_sentence(char *burst, size_t length, const char *body) {
    unsigned sum = 0;
    for (const char *at = body; *at; at++) sum ^= (unsigned char)*at;
    return length + (size_t)sprintf(burst + length, "$%s*%02X\r\n", body, sum);
}

static void send_position(struct machine *machine, int32_t channel) {
    char burst[512], body[128], clock[16], date[16];
    time_t seconds = (machine->now + machine->realtime_offset) / SECOND;
    struct tm utc;
    gmtime_r(&seconds, &utc);
    strftime(clock, sizeof clock, "%H%M%S.00", &utc);
    strftime(date, sizeof date, "%d%m%y", &utc);
    snprintf(body, sizeof body, "GNRMC,%s,A,5128.9560,N,00000.0000,E,0.00,0.0,%s,,,A", clock, date);
    size_t length = add_sentence(burst, 0, body);
    snprintf(body, sizeof body, "GNGGA,%s,5128.9560,N,00000.0000,E,1,12,0.8,10.0,M,45.9,M,,", clock);
    length = add_sentence(burst, length, body);
    machine_send(machine, channel, 0, burst, length);
}

// MARK: Output

static void print_records(struct machine *machine) {
    for (uint32_t i = 0; machine->is_tracing && i < machine->record_count; i++) {
        char line[256];
        machine_describe(machine_record_at(machine, i), line, sizeof line);
        puts(line);
    }
    machine->record_count = 0;
    uint32_t position = 0;
    const char *bytes;
    const struct machine_text_head *head;
    while ((head = machine_next_text(machine, &position, &bytes)))
        if (machine->is_tracing) printf("text %d of p%d: %.*s\n", head->kind, head->process, (int)head->length, bytes);
    machine_clear_texts(machine);
}

// MARK: Turns

static int64_t next_deadline(struct machine *machine, int count, int64_t next) {
    for (int i = 0; i < count; i++) {
        const struct machine_process *process = machine_process_at(machine, i);
        if (process->state == MACHINE_PROCESS_WAITING && process->deadline < next) next = process->deadline;
    }
    return next;
}

/// Lets each process run that has something to do. Returns whether any did.
static bool run_ready(struct machine *machine, int count) {
    bool has_run = false;
    for (int i = 0; i < count; i++) {
        if (!machine_is_ready(machine, i)) continue;
        machine_run(machine, i);
        has_run = true;
        print_records(machine);
    }
    return has_run;
}

static void run_until(struct machine *machine, int count, int32_t channel, int64_t end) {
    int64_t next_burst = machine->now;
    while (machine->now < end) {
        machine->world_deadline = next_burst - 1;
        if (run_ready(machine, count)) continue;
        int64_t next = next_deadline(machine, count, next_burst);
        if (next > machine->now) machine->now = next;
        if (machine->now < next_burst) continue;
        send_position(machine, channel);
        next_burst += SECOND;
    }
}

// MARK: Programs

/// Passes listening sockets with these paths, separated by commas.
static void pass_sockets(struct machine *machine, struct machine_process *process, const char *paths) {
    char text[PATH_MAX], *rest = NULL;
    snprintf(text, sizeof text, "%s", paths ? paths : "");
    for (char *path = strtok_r(text, ",", &rest); path; path = strtok_r(NULL, ",", &rest)) {
        const char *slash = strrchr(path, '/');
        process->passed[process->passed_count++] = machine_listen(machine, path, slash ? slash + 1 : path);
    }
}

/// Starts the programs of the arguments and returns their number.
static int start_programs(struct machine *machine, const char *path, char **arguments) {
    const char *const environment[] = { "NOTIFY_SOCKET=/run/notify", "JOURNAL_STREAM=1:2", NULL };
    const char *root = arguments[1], *library = arguments[2];
    int count = 0;
    for (char **program = arguments + 5; *program && count < MACHINE_PROCESSES; count++) {
        char **end = program;
        while (*end && strcmp(*end, "--") != 0) end++;
        char **next = *end ? end + 1 : end;
        *end = NULL;
        struct machine_process *process = machine_process_at(machine, count);
        process->user = USER;
        pass_sockets(machine, process, getenv(count == 0 ? "PASS" : "PASS1"));
        machine_start(machine, count, program[0], library, path, root, (const char *const *)program, environment);
        program = next;
    }
    return count;
}

int main(int count, char **arguments) {
    if (count < 6) return 2;
    const char *root = arguments[1];
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s.machine", root);
    make_directories(root);
    struct machine *machine = machine_create(path, strtoull(arguments[4], NULL, 10));
    if (!machine) return 1;
    machine->is_tracing = getenv("TRACE") != NULL;
    int32_t line = machine_add_terminal(machine, root, "/dev/ttyUSB0", "ftdi_sio", 188, 0);
    int programs = start_programs(machine, path, arguments);
    run_until(machine, programs, machine_terminal_at(machine, line)->channel, machine->now + atoll(arguments[3]) * SECOND);
    bool is_good = true;
    for (int i = 0; i < programs; i++) {
        const struct machine_process *process = machine_process_at(machine, i);
        is_good = is_good && process->state != MACHINE_PROCESS_KILLED;
        fprintf(stderr, "p%d: state %d, end %d, status %d, %llu wakeups, %llu calls, %s\n", i, process->state, process->end,
                process->status, (unsigned long long)process->wakeups, (unsigned long long)process->calls, process->message);
        machine_kill(machine, i);
    }
    fprintf(stderr, "hash %016llx\n", (unsigned long long)machine->hash);
    unlink(path);
    return !is_good;
}
