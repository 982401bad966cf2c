// libsystemd besides its event loop, which stays the real one.
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>
#include <systemd/sd-login.h>

#include "preload.h"

// MARK: Service manager

PUBLIC int sd_notify(int unsets, const char *state) {
    (void)unsets;
    struct call call = begin_call(MACHINE_CALL_OTHER, "sd_notify", -1, state);
    if (!getenv("NOTIFY_SOCKET")) return (int)end_call(&call, 0);
    add_text(MACHINE_TEXT_NOTIFY, state, strlen(state));
    return (int)end_call(&call, 1);
}

PUBLIC int sd_pid_notify_with_fds(pid_t process, int unsets, const char *state, const int *numbers, unsigned count) {
    (void)process, (void)numbers, (void)count;
    return sd_notify(unsets, state);
}

PUBLIC int sd_listen_fds_with_names(int unsets, char ***names) {
    attach();
    static bool are_taken;
    int count = are_taken ? 0 : SELF->passed_count;
    if (unsets) are_taken = true;
    if (!names) return count;
    *names = calloc((size_t)count + 1, sizeof **names);
    for (int i = 0; i < count; i++) (*names)[i] = strdup(machine->listeners[SELF->passed[i]].name);
    return count;
}

PUBLIC int sd_is_socket(int number, int family, int type, int is_listening) {
    const struct machine_descriptor *it = descriptor_of(number);
    if (!it) return -EBADF;
    bool listens = it->kind == MACHINE_LISTENER;
    if (!listens && it->kind != MACHINE_CHANNEL) return 0;
    int32_t kind = listens ? machine->listeners[it->index].kind : machine->channels[it->index].kind;
    bool is_local = kind == MACHINE_UNIX_STREAM || kind == MACHINE_UNIX_DATAGRAM;
    bool is_stream = kind == MACHINE_UNIX_STREAM || kind == MACHINE_TCP;
    if (family != AF_UNSPEC && (family == AF_UNIX) != is_local) return 0;
    if (type != 0 && (type == SOCK_STREAM) != is_stream) return 0;
    return is_listening < 0 || (is_listening > 0) == listens;
}

PUBLIC int sd_journal_sendv(const struct iovec *fields, int count) {
    attach();
    char text[8192];
    size_t length = 0;
    for (int i = 0; i < count; i++) {
        size_t room = sizeof text - 1 - length;
        size_t part = fields[i].iov_len < room ? fields[i].iov_len : room;
        memcpy(text + length, fields[i].iov_base, part);
        length += part;
        if (length < sizeof text - 1) text[length++] = '\n';
    }
    add_text(MACHINE_TEXT_JOURNAL, text, length);
    return 0;
}

// MARK: Peers

static int copy_unit(int number, bool is_users, char **name) {
    const struct machine_descriptor *it = descriptor_of(number);
    if (!it || it->kind != MACHINE_CHANNEL) return -ENOTSOCK;
    const struct machine_channel_end *peer = &machine->channels[it->index].ends[1 - it->end];
    if (!peer->is_alive) return -ESRCH;
    const char *unit = is_users ? peer->user_unit : peer->unit;
    if (!unit[0]) return -ENODATA;
    *name = strdup(unit);
    return 0;
}

PUBLIC int sd_peer_get_unit(int number, char **name) { return copy_unit(number, false, name); }
PUBLIC int sd_peer_get_user_unit(int number, char **name) { return copy_unit(number, true, name); }

// MARK: Login

struct sd_login_monitor { int number; };

PUBLIC int sd_login_monitor_new(const char *category, sd_login_monitor **result) {
    (void)category;
    attach();
    int number = new_descriptor(MACHINE_LOGIN_MONITOR, 0, O_RDWR | O_NONBLOCK);
    if (number < 0) return -errno;
    SELF->descriptors[number].value = (int64_t)machine->login_changes;
    *result = calloc(1, sizeof **result);
    (*result)->number = number;
    return 0;
}

PUBLIC int sd_login_monitor_get_fd(sd_login_monitor *monitor) { return monitor->number; }

PUBLIC int sd_login_monitor_flush(sd_login_monitor *monitor) {
    SELF->descriptors[monitor->number].value = (int64_t)machine->login_changes;
    return 0;
}

PUBLIC sd_login_monitor *sd_login_monitor_unref(sd_login_monitor *monitor) {
    if (!monitor) return NULL;
    drop_descriptor(monitor->number);
    free(monitor);
    return NULL;
}

PUBLIC int sd_get_uids(uid_t **users) {
    struct call call = begin_call(MACHINE_CALL_OTHER, "sd_get_uids", -1, NULL);
    if (users) *users = calloc(MACHINE_USERS, sizeof **users);
    int count = 0;
    for (int i = 0; i < MACHINE_USERS; i++) {
        const struct machine_user *user = &machine->users[i];
        if (!user->is_present || user->state == MACHINE_USER_OFFLINE) continue;
        if (users) (*users)[count] = user->user;
        count++;
    }
    return (int)end_call(&call, count);
}

PUBLIC int sd_uid_get_state(uid_t id, char **state) {
    static const char *const names[] = { "offline", "online", "active", "lingering" };
    int32_t found = MACHINE_USER_OFFLINE;
    for (int i = 0; i < MACHINE_USERS; i++)
        if (machine->users[i].is_present && machine->users[i].user == id) found = machine->users[i].state;
    *state = strdup(names[found & 3]);
    return 0;
}
