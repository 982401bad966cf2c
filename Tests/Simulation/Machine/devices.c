// Access to the tables of the machine, for Swift: it does not import arrays of this size.
#include <stdio.h>
#include <string.h>

#include "channels.h"

#define AT(array, index) (&machine->array[index])

struct machine_process *machine_process_at(struct machine *machine, int32_t index) { return AT(processes, index); }
struct machine_descriptor *machine_descriptor_at(struct machine *machine, int32_t process, int32_t number) {
    return &machine->processes[process].descriptors[number];
}
struct machine_channel *machine_channel_at(struct machine *machine, int32_t index) { return AT(channels, index); }
struct machine_channel_end *machine_end_at(struct machine *machine, int32_t channel, int32_t end) {
    return &machine->channels[channel].ends[end];
}
struct machine_ring *machine_ring_to(struct machine *machine, int32_t channel, int32_t end) {
    return &machine->channels[channel].to[end];
}
struct machine_listener *machine_listener_at(struct machine *machine, int32_t index) { return AT(listeners, index); }
struct machine_terminal *machine_terminal_at(struct machine *machine, int32_t index) { return AT(terminals, index); }
struct machine_device *machine_device_at(struct machine *machine, int32_t index) { return AT(devices, index); }
struct machine_user *machine_user_at(struct machine *machine, int32_t index) { return AT(users, index); }
struct machine_user *machine_group_at(struct machine *machine, int32_t index) { return AT(groups, index); }
struct machine_fault *machine_fault_at(struct machine *machine, int32_t index) { return AT(faults, index); }
struct machine_child *machine_child_at(struct machine *machine, int32_t index) { return AT(children, index); }
const struct machine_call_record *machine_record_at(const struct machine *machine, uint32_t index) {
    return AT(records, index);
}
uint64_t machine_calls_of(const struct machine *machine, int32_t call_class) { return machine->calls[call_class]; }
const char *machine_message(const struct machine *machine, int32_t process) {
    return machine->processes[process].message;
}
const char *machine_terminal_path(const struct machine *machine, int32_t terminal) {
    return machine->terminals[terminal].path;
}

void machine_set_text(char *field, size_t capacity, const char *text) {
    size_t length = strnlen(text, capacity - 1);
    memset(field, 0, capacity);
    memcpy(field, text, length);
}

// MARK: Devices

static bool add_attribute(struct machine_attribute *attributes, uint32_t *count, const char *name, const char *value) {
    if (*count == MACHINE_ATTRIBUTES) return false;
    MACHINE_SET(attributes[*count].name, name);
    MACHINE_SET(attributes[*count].value, value);
    (*count)++;
    return true;
}

bool machine_add_property(struct machine_device *device, const char *name, const char *value) {
    return add_attribute(device->properties, &device->property_count, name, value);
}

bool machine_add_attribute(struct machine_device *device, const char *name, const char *value) {
    return add_attribute(device->attributes, &device->attribute_count, name, value);
}

void machine_set_device(struct machine_device *device, const char *path, const char *name, const char *subsystem,
                        const char *type, const char *node, const char *driver) {
    memset(device, 0, sizeof *device);
    device->is_present = 1;
    device->is_initialized = 1;
    device->parent = -1;
    MACHINE_SET(device->path, path);
    MACHINE_SET(device->name, name);
    MACHINE_SET(device->subsystem, subsystem);
    MACHINE_SET(device->type, type);
    MACHINE_SET(device->node, node);
    MACHINE_SET(device->driver, driver);
}

void machine_announce(struct machine *machine, int32_t device, const char *action) {
    uint64_t at = machine->device_change_count % MACHINE_DEVICE_CHANGES;
    machine->device_changes[at].device = device;
    MACHINE_SET(machine->device_changes[at].action, action);
    machine->device_change_count++;
}

// MARK: Texts and records

const struct machine_text_head *machine_next_text(const struct machine *machine, uint32_t *position,
                                                  const char **bytes) {
    if (*position >= machine->text.count) return NULL;
    const struct machine_text_head *head = (const void *)(machine->text.bytes + *position);
    *bytes = (const char *)(head + 1);
    *position += (uint32_t)sizeof *head + (head->length + 7) / 8 * 8;
    return head;
}

void machine_clear_texts(struct machine *machine) { machine->text.count = 0; }

static const char *fault_name(int16_t action) {
    static const char *const names[] = { "", " FAIL", " SHORT", " KILL", " POWER", " SLOW", " FLIP", " KILL AFTER" };
    return action > 0 && action < 8 ? names[action] : "";
}

void machine_describe(const struct machine_call_record *record, char *line, size_t capacity) {
    char error[24] = "";
    if (record->error) snprintf(error, sizeof error, " errno %d", record->error);
    snprintf(line, capacity, "%14.6f p%d %s(%d) = %lld%s%s  %.40s", (double)record->time / 1e9, record->process,
             record->call, record->descriptor, (long long)record->result, error, fault_name(record->fault),
             record->detail);
}

// MARK: The message bus

void machine_bus_announce(struct machine *machine, int32_t kind, int32_t logind) {
    struct machine_bus *bus = &machine->bus;
    int32_t concerned = kind == MACHINE_BUS_LOGIND_CAME ? logind : bus->logind;
    bus->logind = logind;
    bus->events[bus->count % MACHINE_BUS_EVENTS] = (struct machine_bus_event){ .kind = kind, .logind = concerned };
    bus->count++;
}

int32_t machine_bus_locks(struct machine *machine) {
    int32_t count = 0;
    for (int i = 0; i < MACHINE_BUS_LOCKS; i++) {
        int32_t channel = machine->bus.locks[i] - 1;
        if (channel < 0) continue;
        if (machine->channels[channel].ends[0].references > 0) {
            count++;
            continue;
        }
        machine_close(machine, channel, 1);
        machine->bus.locks[i] = 0;
    }
    return count;
}
