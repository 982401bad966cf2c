// What the world does with connections and lines.
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "channels.h"

/// The times at the start: an uptime of 100 s, on 1 January 2027.
#define START_UPTIME 100000000000
#define START_TIME 1798761600000000000

static void set_defaults(struct machine *machine, uint64_t seed) {
    machine->version = MACHINE_VERSION;
    machine->size = sizeof *machine;
    machine->now = START_UPTIME;
    machine->realtime_offset = START_TIME;
    machine->reading_cost = 200;
    machine->wait_cost = 1000;
    machine->random = seed * 0x9E3779B97F4A7C15ULL + 1;
    machine->hash = 14695981039346656037ULL;
    machine->free_bytes = -1;
    machine->next_id = 5000;
    for (int i = 0; i < MACHINE_TERMINALS; i++) machine->terminals[i].channel = -1;
    for (int i = 0; i < 8; i++) machine_random(&machine->random);
}

struct machine *machine_create(const char *path, uint64_t seed) {
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) return NULL;
    struct machine *machine = MAP_FAILED;
    if (ftruncate(file, sizeof *machine) == 0)
        machine = mmap(NULL, sizeof *machine, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    int reason = errno;
    close(file);
    errno = reason;
    if (machine == MAP_FAILED) return NULL;
    set_defaults(machine, seed);
    return machine;
}

void machine_unmap(struct machine *machine) { munmap(machine, sizeof *machine); }

// MARK: Connections

int32_t machine_listen(struct machine *machine, const char *address, const char *name) {
    int32_t kind = strncmp(address, "tcp:", 4) == 0 ? MACHINE_TCP : MACHINE_UNIX_STREAM;
    int32_t index = machine_add_listener(machine, MACHINE_WORLD, kind, address);
    if (index < 0) return -1;
    struct machine_listener *listener = &machine->listeners[index];
    machine_set_text(listener->name, sizeof listener->name, name);
    listener->is_listening = 1;
    listener->backlog = MACHINE_BACKLOG;
    return index;
}

int32_t machine_connect(struct machine *machine, const char *address) {
    int32_t listener = machine_find_listener(machine, address);
    return listener < 0 ? -1 : machine_enqueue(machine, listener, MACHINE_WORLD);
}

int32_t machine_accept(struct machine *machine, int32_t listener) {
    return machine_dequeue(machine, listener);
}

int64_t machine_send(struct machine *machine, int32_t index, int32_t end, const void *bytes, size_t count) {
    struct machine_channel *channel = &machine->channels[index];
    bool is_line = channel->kind == MACHINE_TERMINAL;
    if (!machine_is_peer_gone(channel, end)) return machine_put(machine, index, end, bytes, count);
    // What arrives at a line that nobody has open is lost.
    return is_line ? (int64_t)count : -1;
}

int64_t machine_receive(struct machine *machine, int32_t index, int32_t end, void *bytes, size_t capacity) {
    int64_t count = machine_take(machine, index, end, bytes, capacity, false);
    const struct machine_channel *channel = &machine->channels[index];
    return count == 0 && channel->kind != MACHINE_TERMINAL && machine_is_at_end(channel, end) ? -1 : count;
}

void machine_shut_write(struct machine *machine, int32_t channel, int32_t end) {
    machine->channels[channel].ends[end].is_write_shut = 1;
}

void machine_close(struct machine *machine, int32_t channel, int32_t end) {
    machine_release_end(machine, channel, end);
}

void machine_refuse(struct machine *machine, int32_t index) {
    struct machine_channel *channel = &machine->channels[index];
    channel->is_connecting = 0;
    channel->ends[0].error = ECONNREFUSED;
    channel->ends[0].is_write_shut = 1;
    machine_release_end(machine, index, 1);
}

int32_t machine_find_datagrams(struct machine *machine, const char *address) {
    int32_t listener = machine_find_listener(machine, address);
    return listener < 0 ? -1 : machine->listeners[listener].waiting[0];
}

void machine_host_address(const char *name, char *address, size_t capacity) {
    struct in_addr numeric;
    uint32_t hash = 2166136261u;
    for (const char *at = name; *at; at++) hash = (hash ^ (uint8_t)*at) * 16777619u;
    if (inet_pton(AF_INET, name, &numeric) == 1) snprintf(address, capacity, "%s", name);
    else if (strcmp(name, "localhost") == 0) snprintf(address, capacity, "127.0.0.1");
    else snprintf(address, capacity, "10.%u.%u.%u", hash >> 8 & 255, hash >> 16 & 255, hash >> 24 & 255);
}

const uint8_t *machine_segment_bytes(const struct machine *machine, int32_t key) {
    for (int i = 0; i < MACHINE_SEGMENTS; i++)
        if (machine->segments[i].key == key) return machine->segments[i].bytes;
    return NULL;
}

// MARK: Lines

/// Creates the directories above `path`, which is changed only for a moment.
static void make_parents(char *path) {
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(path, 0755);
        *slash = '/';
    }
}

static void link_in_root(const char *root, const char *path, const char *target) {
    char full[4 * MACHINE_PATH];
    snprintf(full, sizeof full, "%s%s", root, path);
    make_parents(full);
    if (symlink(target, full) != 0 && errno != EEXIST) perror(full);
}

static void link_device(const char *root, uint32_t major, uint32_t minor, const char *driver) {
    char path[MACHINE_PATH], target[MACHINE_PATH];
    bool is_kernel_receiver = strcmp(driver, "gnss") == 0;
    snprintf(path, sizeof path, "/sys/dev/char/%u:%u/subsystem", major, minor);
    link_in_root(root, path, is_kernel_receiver ? "../../class/gnss" : "../../class/tty");
    if (is_kernel_receiver) return;
    snprintf(path, sizeof path, "/sys/dev/char/%u:%u/device/driver", major, minor);
    snprintf(target, sizeof target, "../../bus/drivers/%s", driver);
    link_in_root(root, path, target);
}

int32_t machine_add_terminal(struct machine *machine, const char *root, const char *path, const char *driver,
                             uint32_t major, uint32_t minor) {
    for (int32_t i = 0; i < MACHINE_TERMINALS; i++) {
        struct machine_terminal *terminal = &machine->terminals[i];
        if (terminal->channel >= 0) continue;
        int32_t channel = machine_open_channel(machine, MACHINE_TERMINAL, MACHINE_WORLD, MACHINE_WORLD);
        if (channel < 0) return -1;
        machine->channels[channel].ends[1].references = 0;
        machine->channels[channel].terminal = i;
        *terminal = (struct machine_terminal){
            .channel = channel, .is_present = 1, .speed = 9600, .lock_owner = -1, .major = major, .minor = minor };
        machine_set_text(terminal->path, sizeof terminal->path, path);
        link_device(root, major, minor, driver);
        return i;
    }
    return -1;
}

void machine_unplug(struct machine *machine, int32_t index) {
    struct machine_terminal *terminal = &machine->terminals[index];
    terminal->is_present = 0;
    if (terminal->open_count > 0) terminal->is_hung_up = 1;
    for (int end = 0; end < 2; end++) machine_discard(machine, terminal->channel, end);
}

void machine_plug(struct machine *machine, int32_t index, const char *path) {
    struct machine_terminal *terminal = &machine->terminals[index];
    terminal->is_present = 1;
    terminal->speed = 9600;
    machine_set_text(terminal->path, sizeof terminal->path, path);
}
