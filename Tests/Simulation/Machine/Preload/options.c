// Options and names of sockets.
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "preload.h"

#define PEER_PROCESS_HANDLE 77  // SO_PEERPIDFD

int32_t socket_kind(const struct machine_descriptor *it) {
    if (it->kind == MACHINE_SOCKET) return it->index;
    return it->kind == MACHINE_LISTENER ? machine->listeners[it->index].kind : machine->channels[it->index].kind;
}

static bool is_local(int32_t kind) { return kind == MACHINE_UNIX_STREAM || kind == MACHINE_UNIX_DATAGRAM; }

static bool is_stream(int32_t kind) { return kind == MACHINE_UNIX_STREAM || kind == MACHINE_TCP; }

static int give(void *value, socklen_t *length, const void *result, size_t size) {
    size_t part = *length < size ? *length : size;
    memcpy(value, result, part);
    *length = (socklen_t)part;
    return 0;
}

static int give_number(void *value, socklen_t *length, int number) {
    return give(value, length, &number, sizeof number);
}

// MARK: The process at the other end

static int give_credentials(const struct machine_channel_end *peer, void *value, socklen_t *length) {
    struct ucred credentials = { .pid = peer->process_id, .uid = peer->user, .gid = peer->group };
    return give(value, length, &credentials, sizeof credentials);
}

static int give_groups(const struct machine_channel_end *peer, void *value, socklen_t *length) {
    socklen_t size = peer->group_count * sizeof peer->groups[0];
    if (*length < size) {
        *length = size;
        return ERANGE;
    }
    return give(value, length, peer->groups, size);
}

static int give_process(const struct machine_channel_end *peer, void *value, socklen_t *length) {
    if (!peer->is_alive) return ESRCH;
    int number = new_descriptor(MACHINE_PROCESS_HANDLE, 0, O_RDWR);
    if (number < 0) return EMFILE;
    SELF->descriptors[number].value = peer->process_id;
    return give_number(value, length, number);
}

static int give_peer(const struct machine_descriptor *it, int option, void *value, socklen_t *length) {
    struct machine_channel_end own = {
        .process_id = SELF->id, .user = SELF->user, .group = SELF->group, .is_alive = 1 };
    const struct machine_channel_end *peer = &own;
    if (it->kind == MACHINE_CHANNEL) peer = &machine->channels[it->index].ends[1 - it->end];
    if (!is_local(socket_kind(it))) return ENOPROTOOPT;
    if (option == SO_PEERCRED) return give_credentials(peer, value, length);
    return option == SO_PEERGROUPS ? give_groups(peer, value, length) : give_process(peer, value, length);
}

// MARK: Options

static int32_t take_error(struct machine_descriptor *it) {
    if (it->kind != MACHINE_CHANNEL) return 0;
    struct machine_channel_end *end = &machine->channels[it->index].ends[it->end];
    int32_t error = end->error;
    end->error = 0;
    return error;
}

static int family_of(const struct machine_descriptor *it) { return is_local(socket_kind(it)) ? AF_UNIX : AF_INET; }

static bool is_listening(const struct machine_descriptor *it) {
    return it->kind == MACHINE_LISTENER && machine->listeners[it->index].is_listening;
}

static int give_option(struct machine_descriptor *it, int option, void *value, socklen_t *length) {
    switch (option) {
    case SO_PEERCRED: case SO_PEERGROUPS: case PEER_PROCESS_HANDLE: return give_peer(it, option, value, length);
    case SO_DOMAIN: return give_number(value, length, family_of(it));
    case SO_TYPE: return give_number(value, length, is_stream(socket_kind(it)) ? SOCK_STREAM : SOCK_DGRAM);
    case SO_ACCEPTCONN: return give_number(value, length, is_listening(it));
    case SO_ERROR: return give_number(value, length, take_error(it));
    case SO_SNDBUF: case SO_RCVBUF:
        return give_number(value, length, it->kind == MACHINE_CHANNEL
            ? (int)machine->channels[it->index].to[1 - it->end].capacity * 2 : 212992);
    default: unexpected("getsockopt of %d", option);
    }
}

PUBLIC int getsockopt(int number, int level, int option, void *value, socklen_t *length) {
    struct call call = begin_call(MACHINE_CALL_OTHER, "getsockopt", number, NULL);
    struct machine_descriptor *it = socket_of(number);
    if (!it) return (int)end_call(&call, -1);
    if (level != SOL_SOCKET) unexpected("getsockopt of level %d", level);
    int error = give_option(it, option, value, length);
    if (error) errno = error;
    return (int)end_call(&call, error ? -1 : 0);
}

/// The kernel doubles the size, for its bookkeeping; half of it holds bytes.
static void set_send_buffer(const struct machine_descriptor *it, int size) {
    if (it->kind != MACHINE_CHANNEL || size <= 0) return;
    struct machine_ring *ring = &machine->channels[it->index].to[1 - it->end];
    ring->capacity = (uint32_t)size < ring->limit ? (uint32_t)size : ring->limit;
}

PUBLIC int setsockopt(int number, int level, int option, const void *value, socklen_t length) {
    struct call call = begin_call(MACHINE_CALL_OTHER, "setsockopt", number, NULL);
    struct machine_descriptor *it = socket_of(number);
    if (!it) return (int)end_call(&call, -1);
    int size = 0;
    if (length >= sizeof size) memcpy(&size, value, sizeof size);
    if (level == SOL_SOCKET && option == SO_SNDBUF) set_send_buffer(it, size);
    return (int)end_call(&call, 0);
}

// MARK: Names

static int give_name(const struct machine_descriptor *it, const char *path, struct sockaddr *address,
                     socklen_t *length) {
    if (is_local(socket_kind(it))) {
        struct sockaddr_un name = { .sun_family = AF_UNIX };
        size_t size = strnlen(path, sizeof name.sun_path - 1);
        memcpy(name.sun_path, path, size);
        socklen_t full = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size ? size + 1 : 0));
        memcpy(address, &name, full < *length ? full : *length);
        *length = full;
        return 0;
    }
    struct sockaddr_in name = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    return give(address, length, &name, sizeof name);
}

PUBLIC int getpeername(int number, struct sockaddr *address, socklen_t *length) {
    struct call call = begin_call(MACHINE_CALL_OTHER, "getpeername", number, NULL);
    struct machine_descriptor *it = socket_of(number);
    if (it && it->kind != MACHINE_CHANNEL) errno = ENOTCONN;
    if (!it || it->kind != MACHINE_CHANNEL) return (int)end_call(&call, -1);
    return (int)end_call(&call, give_name(it, "", address, length));
}

PUBLIC int getsockname(int number, struct sockaddr *address, socklen_t *length) {
    struct call call = begin_call(MACHINE_CALL_OTHER, "getsockname", number, NULL);
    struct machine_descriptor *it = socket_of(number);
    if (!it) return (int)end_call(&call, -1);
    const char *path = it->kind == MACHINE_LISTENER ? machine->listeners[it->index].address : "";
    return (int)end_call(&call, give_name(it, path, address, length));
}
