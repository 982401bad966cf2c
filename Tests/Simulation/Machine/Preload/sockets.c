// Sockets: creation, addresses, options. Their bytes are in transfer.c.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "preload.h"

/// The address of a socket on the machine: a path, or "tcp:ADDRESS:PORT".
bool address_text(const struct sockaddr *address, socklen_t length, int32_t kind, char *text, size_t capacity) {
    char host[INET6_ADDRSTRLEN] = "";
    const char *protocol = kind == MACHINE_UDP ? "udp" : "tcp";
    const struct sockaddr_un *local = (const void *)address;
    const struct sockaddr_in *four = (const void *)address;
    const struct sockaddr_in6 *six = (const void *)address;
    switch (address->sa_family) {
    case AF_UNIX:
        snprintf(text, capacity, "%.*s", (int)(length - offsetof(struct sockaddr_un, sun_path)), local->sun_path);
        return text[0] != 0;
    case AF_INET:
        inet_ntop(AF_INET, &four->sin_addr, host, sizeof host);
        snprintf(text, capacity, "%s:%s:%d", protocol, host, ntohs(four->sin_port));
        return true;
    case AF_INET6:
        inet_ntop(AF_INET6, &six->sin6_addr, host, sizeof host);
        snprintf(text, capacity, "%s:%s:%d", protocol, host, ntohs(six->sin6_port));
        return true;
    default: return false;
    }
}

static int32_t kind_of(int family, int type) {
    bool is_stream = (type & 0xFF) == SOCK_STREAM;
    if (family == AF_UNIX) return is_stream ? MACHINE_UNIX_STREAM : MACHINE_UNIX_DATAGRAM;
    if (family == AF_INET || family == AF_INET6) return is_stream ? MACHINE_TCP : MACHINE_UDP;
    return MACHINE_CHANNEL_NONE;
}

PUBLIC int socket(int family, int type, int protocol) {
    (void)protocol;
    struct call call = begin_call(MACHINE_CALL_CONNECT, "socket", -1, NULL);
    int32_t kind = kind_of(family, type);
    if (kind == MACHINE_CHANNEL_NONE) unexpected("socket of family %d", family);
    if (call_fails(&call)) return (int)end_call(&call, -1);
    return (int)end_call(&call, new_descriptor(MACHINE_SOCKET, kind, O_RDWR | (type & SOCK_NONBLOCK)));
}

struct machine_descriptor *socket_of(int number) {
    struct machine_descriptor *it = descriptor_of(number);
    if (!it) return NULL;
    int32_t kind = it->kind == MACHINE_CHANNEL ? machine->channels[it->index].kind : MACHINE_CHANNEL_NONE;
    bool is_other = kind == MACHINE_TERMINAL || kind == MACHINE_PIPE;
    if (it->kind == MACHINE_SOCKET || it->kind == MACHINE_LISTENER || (it->kind == MACHINE_CHANNEL && !is_other))
        return it;
    errno = ENOTSOCK;
    return NULL;
}

// MARK: Listening

/// The node of a local socket in the root.
static int make_node(const char *path) {
    if (real_call(SYS_mknodat, AT_FDCWD, real_path(path, false, 0), S_IFSOCK | 0777, 0) == 0) {
        journal_create(path);
        return 0;
    }
    return errno == EEXIST ? EADDRINUSE : errno;
}

/// A socket becomes end 0 of a channel.
static void become_end(struct machine_descriptor *it, int32_t channel) {
    it->kind = MACHINE_CHANNEL;
    it->index = channel;
    it->end = 0;
    it->value = 0;
    machine->channels[channel].ends[0].flags = it->flags & O_NONBLOCK;
}

/// A socket for datagrams has a channel at once, with the world at the other end.
static int open_datagrams(struct machine_descriptor *it, int32_t listener) {
    int32_t channel = machine_open_channel(machine, it->index, self_index, MACHINE_WORLD);
    if (channel < 0) return ENOBUFS;
    machine->channels[channel].listener = listener;
    machine->listeners[listener].waiting[0] = channel;
    become_end(it, channel);
    return 0;
}

static int bind_socket(struct machine_descriptor *it, const struct sockaddr *address, socklen_t length) {
    char text[MACHINE_PATH];
    // A connected socket has no use for a name, and gets only its node.
    bool is_connected = it->kind == MACHINE_CHANNEL && it->value == 0;
    if (!address_text(address, length, socket_kind(it), text, sizeof text)) return EINVAL;
    int error = address->sa_family == AF_UNIX ? make_node(text) : 0;
    if (error) return error;
    if (it->kind != MACHINE_SOCKET && !is_connected) {
        unlink(text);
        return EINVAL;
    }
    it->value = is_connected;
    if (is_connected) return 0;
    if (address->sa_family != AF_UNIX && machine_find_listener(machine, text) >= 0) return EADDRINUSE;
    // A node whose socket was closed and replaced refuses connections: the newest one has the name.
    int32_t listener = machine_add_listener(machine, self_index, it->index, text);
    if (listener < 0) return ENOBUFS;
    bool has_datagrams = machine_has_datagrams(it->index);
    if (has_datagrams) return open_datagrams(it, listener);
    it->kind = MACHINE_LISTENER;
    it->index = listener;
    return 0;
}

PUBLIC int bind(int number, const struct sockaddr *address, socklen_t length) {
    struct call call = begin_call(MACHINE_CALL_CONNECT, "bind", number, NULL);
    struct machine_descriptor *it = socket_of(number);
    if (!it || call_fails(&call)) return (int)end_call(&call, -1);
    int error = bind_socket(it, address, length);
    if (error) errno = error;
    return (int)end_call(&call, error ? -1 : 0);
}

PUBLIC int listen(int number, int backlog) {
    struct call call = begin_call(MACHINE_CALL_CONNECT, "listen", number, NULL);
    struct machine_descriptor *it = socket_of(number);
    if (!it || call_fails(&call)) return (int)end_call(&call, -1);
    bool has_datagrams = machine_has_datagrams(socket_kind(it));
    if (it->kind != MACHINE_LISTENER || has_datagrams) {
        errno = has_datagrams ? EOPNOTSUPP : EINVAL;
        return (int)end_call(&call, -1);
    }
    machine->listeners[it->index].is_listening = 1;
    machine->listeners[it->index].backlog = backlog < 0 || backlog > MACHINE_BACKLOG ? MACHINE_BACKLOG : backlog;
    machine->has_output = 1;
    return (int)end_call(&call, 0);
}

static int take_connection(const struct machine_descriptor *listener, int number, int flags) {
    if (!has_free_descriptor()) return -1;
    while (machine->listeners[listener->index].count == 0) {
        if (listener->flags & O_NONBLOCK) {
            errno = EAGAIN;
            return -1;
        }
        wait_for(number, EPOLLIN, MACHINE_NEVER);
    }
    int32_t channel = machine_dequeue(machine, listener->index);
    int accepted = new_end(channel, 1, O_RDWR | (flags & SOCK_NONBLOCK));
    machine->channels[channel].ends[1].owner = self_index;
    machine->has_output = 1;
    return accepted;
}

PUBLIC int accept4(int number, struct sockaddr *address, socklen_t *length, int flags) {
    struct call call = begin_call(MACHINE_CALL_ACCEPT, "accept4", number, NULL);
    struct machine_descriptor *it = socket_of(number);
    if (!it || call_fails(&call)) return (int)end_call(&call, -1);
    bool has_datagrams = machine_has_datagrams(socket_kind(it));
    if (it->kind != MACHINE_LISTENER || !machine->listeners[it->index].is_listening) {
        errno = has_datagrams ? EOPNOTSUPP : EINVAL;
        return (int)end_call(&call, -1);
    }
    int accepted = take_connection(it, number, flags);
    if (accepted >= 0 && address && length) getpeername(accepted, address, length);
    return (int)end_call(&call, accepted);
}

PUBLIC int accept(int number, struct sockaddr *address, socklen_t *length) {
    return accept4(number, address, length, 0);
}

// MARK: Connecting

static void set_credentials(struct machine_channel_end *end, int32_t index) {
    const struct machine_process *process = &machine->processes[index];
    end->owner = index;
    end->process_id = process->id;
    end->user = process->user;
    end->group = process->group;
    end->group_count = process->group_count;
    memcpy(end->groups, process->groups, sizeof end->groups);
    memcpy(end->unit, process->unit, sizeof end->unit);
}

/// A listener with this address. One of a process has lost it when its node was removed.
static int32_t find_listener(const char *address) {
    int32_t listener = machine_find_listener(machine, address);
    bool is_local = listener >= 0 && address[0] == '/' && machine->listeners[listener].owner != MACHINE_WORLD;
    if (is_local && real_call(SYS_faccessat, AT_FDCWD, real_path(address, true, 0), F_OK) != 0) return -1;
    return listener;
}

static int refusal(const char *address) {
    if (address[0] != '/') return ECONNREFUSED;
    struct stat status;
    return real_call(SYS_newfstatat, AT_FDCWD, real_path(address, true, 0), &status, 0) == 0 ? ECONNREFUSED : ENOENT;
}

/// The world answers a connection to the internet later: it accepts it, or closes its end.
static int connect_internet(struct machine_descriptor *it, int32_t channel, bool is_worlds) {
    become_end(it, channel);
    machine->channels[channel].is_connecting = is_worlds;
    return EINPROGRESS;
}

/// A refusal of TCP comes later, even on this machine.
static int refuse_internet(struct machine_descriptor *it) {
    int32_t channel = machine_open_channel(machine, MACHINE_TCP, self_index, MACHINE_WORLD);
    if (channel < 0) return ENOBUFS;
    become_end(it, channel);
    machine_refuse(machine, channel);
    return EINPROGRESS;
}

static int connect_socket(struct machine_descriptor *it, const struct sockaddr *address, socklen_t length) {
    char text[MACHINE_PATH];
    if (!address_text(address, length, it->index, text, sizeof text)) return EINVAL;
    int32_t listener = find_listener(text);
    bool is_refused = listener < 0 || !machine->listeners[listener].is_listening;
    if (is_refused && it->kind == MACHINE_SOCKET && it->index == MACHINE_TCP) return refuse_internet(it);
    if (is_refused) return listener < 0 ? refusal(text) : ECONNREFUSED;
    if (!machine_has_room(&machine->listeners[listener])) return EAGAIN;
    if (it->kind != MACHINE_SOCKET) return it->kind == MACHINE_CHANNEL ? EISCONN : EINVAL;
    int32_t channel = machine_enqueue(machine, listener, self_index);
    if (channel < 0) return channel == -2 ? EAGAIN : ECONNREFUSED;
    set_credentials(&machine->channels[channel].ends[0], self_index);
    int32_t owner = machine->listeners[listener].owner;
    if (owner >= 0) set_credentials(&machine->channels[channel].ends[1], owner);
    machine->has_output = 1;
    if (it->index == MACHINE_TCP) return connect_internet(it, channel, owner < 0);
    become_end(it, channel);
    return 0;
}

PUBLIC int connect(int number, const struct sockaddr *address, socklen_t length) {
    struct call call = begin_call(MACHINE_CALL_CONNECT, "connect", number, NULL);
    struct machine_descriptor *it = socket_of(number);
    if (!it || call_fails(&call)) return (int)end_call(&call, -1);
    int error = connect_socket(it, address, length);
    if (error) errno = error;
    return (int)end_call(&call, error ? -1 : 0);
}

static int open_pair(int32_t kind, int numbers[2], int flags) {
    int32_t channel = machine_open_channel(machine, kind, self_index, self_index);
    if (channel < 0) return ENFILE;
    for (int end = 0; end < 2; end++) {
        numbers[end] = new_end(channel, end, flags);
        if (numbers[end] < 0) {
            if (end == 1) drop_descriptor(numbers[0]);
            machine->channels[channel].kind = MACHINE_CHANNEL_NONE;
            return EMFILE;
        }
        set_credentials(&machine->channels[channel].ends[end], self_index);
    }
    return 0;
}

PUBLIC int socketpair(int family, int type, int protocol, int numbers[2]) {
    (void)protocol;
    struct call call = begin_call(MACHINE_CALL_OTHER, "socketpair", -1, NULL);
    int error = open_pair(kind_of(family, type), numbers, O_RDWR | (type & SOCK_NONBLOCK));
    if (error) errno = error;
    return (int)end_call(&call, error ? -1 : 0);
}

PUBLIC int pipe2(int numbers[2], int flags) {
    struct call call = begin_call(MACHINE_CALL_OTHER, "pipe2", -1, NULL);
    int error = open_pair(MACHINE_PIPE, numbers, flags & O_NONBLOCK);
    if (error) errno = error;
    else SELF->descriptors[numbers[1]].flags |= O_WRONLY;
    return (int)end_call(&call, error ? -1 : 0);
}

PUBLIC int pipe(int numbers[2]) { return pipe2(numbers, 0); }

PUBLIC int shutdown(int number, int how) {
    struct call call = begin_call(MACHINE_CALL_OTHER, "shutdown", number, NULL);
    struct machine_descriptor *it = socket_of(number);
    if (!it) return (int)end_call(&call, -1);
    if (it->kind != MACHINE_CHANNEL) {
        it->value |= how != SHUT_WR;
        return (int)end_call(&call, 0);
    }
    struct machine_channel *channel = &machine->channels[it->index];
    if (how != SHUT_RD) channel->ends[it->end].is_write_shut = 1;
    if (how != SHUT_WR) channel->ends[1 - it->end].is_write_shut = 1;
    machine->has_output = 1;
    return (int)end_call(&call, 0);
}
