// libudev, from the machine's table of devices.
#include <libudev.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sysmacros.h>

#include "preload.h"

struct udev { int references; };

struct udev_device {
    int references;
    int32_t index;
    char action[16];
    /// As it was when this object was made: a removed device stays described.
    struct machine_device device;
    /// The parents that were asked for, which live as long as this.
    struct udev_device *parent;
};

struct udev_monitor {
    int references;
    int number;
    char subsystems[4][MACHINE_NAME];
    int subsystem_count;
};

struct udev_list_entry {
    struct udev_list_entry *next;
    char name[MACHINE_PATH];
};

struct udev_enumerate {
    int references;
    char subsystems[4][MACHINE_NAME];
    int subsystem_count;
    bool is_initialized_only;
    struct udev_list_entry *first;
};

PUBLIC struct udev *udev_new(void) {
    struct call call = begin_call(MACHINE_CALL_OTHER, "udev_new", -1, NULL);
    struct udev *udev = calloc(1, sizeof *udev);
    udev->references = 1;
    end_call(&call, 0);
    return udev;
}

PUBLIC struct udev *udev_unref(struct udev *udev) {
    if (udev && --udev->references == 0) free(udev);
    return NULL;
}

// MARK: Devices

static struct udev_device *new_device(int32_t index, const char *action) {
    if (index < 0) {
        errno = ENOENT;
        return NULL;
    }
    struct udev_device *device = calloc(1, sizeof *device);
    device->references = 1;
    device->index = index;
    device->device = machine->devices[index];
    snprintf(device->action, sizeof device->action, "%s", action);
    return device;
}

static int32_t device_at(const char *path) {
    for (int32_t i = 0; i < MACHINE_DEVICES; i++)
        if (machine->devices[i].is_present && strcmp(machine->devices[i].path, path) == 0) return i;
    return -1;
}

PUBLIC struct udev_device *udev_device_new_from_syspath(struct udev *udev, const char *path) {
    (void)udev;
    return new_device(device_at(path), "");
}

PUBLIC struct udev_device *udev_device_new_from_devnum(struct udev *udev, char type, dev_t number) {
    (void)udev, (void)type;
    for (int32_t i = 0; i < MACHINE_DEVICES; i++) {
        const struct machine_device *device = &machine->devices[i];
        bool has_node = device->is_present && device->node[0];
        if (has_node && device->major == major(number) && device->minor == minor(number)) return new_device(i, "");
    }
    return new_device(-1, "");
}

PUBLIC struct udev_device *udev_device_unref(struct udev_device *device) {
    if (!device || --device->references > 0) return NULL;
    udev_device_unref(device->parent);
    free(device);
    return NULL;
}

static const char *text(const char *field) { return field[0] ? field : NULL; }

PUBLIC const char *udev_device_get_action(struct udev_device *it) { return text(it->action); }
PUBLIC const char *udev_device_get_devnode(struct udev_device *it) { return text(it->device.node); }
PUBLIC const char *udev_device_get_driver(struct udev_device *it) { return text(it->device.driver); }
PUBLIC const char *udev_device_get_subsystem(struct udev_device *it) { return text(it->device.subsystem); }
PUBLIC const char *udev_device_get_sysname(struct udev_device *it) { return text(it->device.name); }
PUBLIC const char *udev_device_get_syspath(struct udev_device *it) { return text(it->device.path); }

PUBLIC struct udev_device *udev_device_get_parent(struct udev_device *it) {
    if (!it->parent && it->device.parent >= 0) it->parent = new_device(it->device.parent, "");
    return it->parent;
}

PUBLIC struct udev_device *udev_device_get_parent_with_subsystem_devtype(struct udev_device *it, const char *subsystem,
                                                                         const char *type) {
    for (it = udev_device_get_parent(it); it; it = udev_device_get_parent(it)) {
        bool has_type = !type || strcmp(it->device.type, type) == 0;
        if (strcmp(it->device.subsystem, subsystem) == 0 && has_type) return it;
    }
    return NULL;
}

static const char *value_in(const struct machine_attribute *attributes, uint32_t count, const char *name) {
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(attributes[i].name, name) == 0) return attributes[i].value;
    return NULL;
}

PUBLIC const char *udev_device_get_property_value(struct udev_device *it, const char *name) {
    return value_in(it->device.properties, it->device.property_count, name);
}

PUBLIC const char *udev_device_get_sysattr_value(struct udev_device *it, const char *name) {
    return value_in(it->device.attributes, it->device.attribute_count, name);
}

// MARK: Lists

PUBLIC struct udev_enumerate *udev_enumerate_new(struct udev *udev) {
    (void)udev;
    struct udev_enumerate *list = calloc(1, sizeof *list);
    list->references = 1;
    return list;
}

PUBLIC struct udev_enumerate *udev_enumerate_unref(struct udev_enumerate *list) {
    if (!list || --list->references > 0) return NULL;
    for (struct udev_list_entry *entry = list->first, *next; entry; entry = next) {
        next = entry->next;
        free(entry);
    }
    free(list);
    return NULL;
}

static int add_subsystem(char subsystems[4][MACHINE_NAME], int *count, const char *subsystem) {
    if (*count == 4) unexpected("udev: more than four subsystems");
    machine_set_text(subsystems[(*count)++], MACHINE_NAME, subsystem);
    return 0;
}

static bool matches(char subsystems[4][MACHINE_NAME], int count, const char *subsystem) {
    for (int i = 0; i < count; i++)
        if (strcmp(subsystems[i], subsystem) == 0) return true;
    return count == 0;
}

PUBLIC int udev_enumerate_add_match_subsystem(struct udev_enumerate *list, const char *subsystem) {
    return add_subsystem(list->subsystems, &list->subsystem_count, subsystem);
}

PUBLIC int udev_enumerate_add_match_is_initialized(struct udev_enumerate *list) {
    list->is_initialized_only = true;
    return 0;
}

PUBLIC int udev_enumerate_scan_devices(struct udev_enumerate *list) {
    struct call call = begin_call(MACHINE_CALL_OTHER, "udev_scan", -1, NULL);
    struct udev_list_entry **last = &list->first;
    for (int32_t i = 0; i < MACHINE_DEVICES; i++) {
        const struct machine_device *device = &machine->devices[i];
        bool is_wanted = device->is_present && (device->is_initialized || !list->is_initialized_only);
        if (!is_wanted || !matches(list->subsystems, list->subsystem_count, device->subsystem)) continue;
        struct udev_list_entry *entry = calloc(1, sizeof *entry);
        memcpy(entry->name, device->path, sizeof entry->name);
        *last = entry;
        last = &entry->next;
    }
    return (int)end_call(&call, 0);
}

PUBLIC struct udev_list_entry *udev_enumerate_get_list_entry(struct udev_enumerate *list) { return list->first; }
PUBLIC struct udev_list_entry *udev_list_entry_get_next(struct udev_list_entry *entry) { return entry->next; }
PUBLIC const char *udev_list_entry_get_name(struct udev_list_entry *entry) { return entry->name; }

// MARK: Changes

PUBLIC struct udev_monitor *udev_monitor_new_from_netlink(struct udev *udev, const char *name) {
    (void)udev, (void)name;
    struct udev_monitor *monitor = calloc(1, sizeof *monitor);
    monitor->references = 1;
    monitor->number = new_descriptor(MACHINE_DEVICE_MONITOR, 0, O_RDWR | O_NONBLOCK);
    if (monitor->number >= 0) return monitor;
    free(monitor);
    return NULL;
}

PUBLIC struct udev_monitor *udev_monitor_unref(struct udev_monitor *monitor) {
    if (!monitor || --monitor->references > 0) return NULL;
    drop_descriptor(monitor->number);
    free(monitor);
    return NULL;
}

PUBLIC int udev_monitor_filter_add_match_subsystem_devtype(struct udev_monitor *monitor, const char *subsystem,
                                                           const char *type) {
    if (type) unexpected("udev: a filter of a device type");
    return add_subsystem(monitor->subsystems, &monitor->subsystem_count, subsystem);
}

PUBLIC int udev_monitor_enable_receiving(struct udev_monitor *monitor) {
    SELF->descriptors[monitor->number].value = (int64_t)machine->device_change_count;
    return 0;
}

PUBLIC int udev_monitor_get_fd(struct udev_monitor *monitor) { return monitor->number; }

PUBLIC struct udev_device *udev_monitor_receive_device(struct udev_monitor *monitor) {
    struct call call = begin_call(MACHINE_CALL_OTHER, "udev_receive", monitor->number, NULL);
    int64_t *next = &SELF->descriptors[monitor->number].value;
    struct udev_device *device = NULL;
    errno = EAGAIN;
    if (machine->device_change_count > (uint64_t)*next + MACHINE_DEVICE_CHANGES) {
        // The kernel has dropped some.
        *next = (int64_t)machine->device_change_count;
        errno = ENOBUFS;
    }
    while (!device && (uint64_t)*next < machine->device_change_count) {
        const struct machine_device_change *change = &machine->device_changes[(*next)++ % MACHINE_DEVICE_CHANGES];
        const struct machine_device *changed = &machine->devices[change->device];
        if (matches(monitor->subsystems, monitor->subsystem_count, changed->subsystem))
            device = new_device(change->device, change->action);
    }
    end_call(&call, device ? device->index : -1);
    return device;
}
