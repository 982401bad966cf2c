// Bytes of sockets, pipes and serial lines.
#include <netinet/in.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "preload.h"

/// What is recorded of a datagram.
#define DATAGRAM_BYTES 2048

static struct machine_channel *channel_of(const struct machine_descriptor *it) { return &machine->channels[it->index]; }

static bool is_line(const struct machine_channel *channel) { return channel->kind == MACHINE_TERMINAL; }

static bool is_hung_up(const struct machine_channel *channel) {
    return is_line(channel) && channel->terminal >= 0 && machine->terminals[channel->terminal].is_hung_up;
}

/// Whether the call waits; if not, errno is EAGAIN.
static bool waits(const struct machine_descriptor *it, int flags) {
    if (!(it->flags & O_NONBLOCK) && !(flags & MSG_DONTWAIT)) return true;
    errno = EAGAIN;
    return false;
}

static void note_output(const struct machine_descriptor *it) {
    if (channel_of(it)->ends[1 - it->end].owner == MACHINE_WORLD) machine->has_output = 1;
}

// MARK: Receiving

/// What a read without bytes returns: an error once, the end, or nothing.
static int without_bytes(struct machine_channel *channel, int end, bool *is_final) {
    struct machine_channel_end *own = &channel->ends[end];
    *is_final = true;
    if (own->error) {
        errno = own->error;
        own->error = 0;
        return -1;
    }
    if (is_hung_up(channel) || (!is_line(channel) && machine_is_at_end(channel, end))) return 0;
    *is_final = false;
    return -1;
}

static ssize_t receive(struct machine_descriptor *it, int number, void *bytes, size_t count, int flags) {
    struct machine_channel *channel = channel_of(it);
    while (true) {
        bool is_final = false;
        if (channel->to[it->end].count > 0 && !is_hung_up(channel))
            return machine_take(machine, it->index, it->end, bytes, count, flags & MSG_PEEK);
        int result = without_bytes(channel, it->end, &is_final);
        if (is_final) return result;
        if (!waits(it, flags)) return -1;
        wait_for(number, EPOLLIN, MACHINE_NEVER);
    }
}

static void close_passed(const struct machine_descriptor *it) {
    int32_t end = 0, passed;
    while ((passed = machine_take_passed(machine, it->index, it->end, &end)) >= 0)
        machine_release_end(machine, passed, end);
}

static struct call begin_transfer(const struct machine_descriptor *it, int number, bool reads, const char *name) {
    const struct machine_channel *channel = channel_of(it);
    if (!is_line(channel))
        return begin_call(reads ? MACHINE_CALL_RECEIVE : MACHINE_CALL_SEND, name, number, NULL);
    struct call call = begin_call(reads ? MACHINE_CALL_LINE_READ : MACHINE_CALL_LINE_WRITE, name, number,
                                  machine->terminals[channel->terminal].path);
    call.detail = NULL;
    return call;
}

ssize_t read_channel(int number, void *bytes, size_t count, int flags) {
    struct machine_descriptor *it = &SELF->descriptors[number];
    struct call call = begin_transfer(it, number, true, "recv");
    if (call_fails(&call)) return end_call(&call, -1);
    ssize_t result = receive(it, number, bytes, call_length(&call, count), flags);
    // A reader that does not ask for descriptors gets none: the kernel closes them.
    close_passed(it);
    return end_transfer(&call, result, bytes);
}

// MARK: Sending

/// A signal that the program neither ignores nor handles ends it, as a crash.
static ssize_t broken(int flags) {
    if (!(flags & MSG_NOSIGNAL)) real_call(SYS_kill, real_call(SYS_getpid), SIGPIPE);
    errno = EPIPE;
    return -1;
}

static bool has_room(const struct machine_channel *channel, int end, size_t count) {
    const struct machine_ring *ring = &channel->to[1 - end];
    return ring->count + (machine_has_datagrams(channel->kind) ? count + 4 : 1) <= ring->capacity;
}

static ssize_t transmit(struct machine_descriptor *it, int number, const void *bytes, size_t count, int flags) {
    struct machine_channel *channel = channel_of(it);
    struct machine_channel_end *own = &channel->ends[it->end];
    if (is_hung_up(channel)) {
        errno = EIO;
        return -1;
    }
    if (channel->is_connecting) {
        errno = EAGAIN;
        return -1;
    }
    if (machine_has_datagrams(channel->kind) && machine_is_peer_gone(channel, it->end)) {
        errno = ECONNREFUSED;
        return -1;
    }
    if (channel->kind == MACHINE_TCP && machine_is_peer_gone(channel, it->end) && !own->is_write_shut) {
        // The first bytes are sent; the answer is that nobody is there.
        own->is_write_shut = 1;
        own->error = EPIPE;
        return (ssize_t)count;
    }
    if (channel->kind == MACHINE_TCP && own->is_write_shut && own->error == EPIPE) own->error = 0;
    if (own->is_write_shut || (!is_line(channel) && machine_is_peer_gone(channel, it->end))) return broken(flags);
    while (!has_room(channel, it->end, count)) {
        if (!waits(it, flags)) return -1;
        wait_for(number, EPOLLOUT, MACHINE_NEVER);
    }
    note_output(it);
    return machine_put(machine, it->index, it->end, bytes, count);
}

ssize_t write_channel(int number, const void *bytes, size_t count, int flags) {
    struct machine_descriptor *it = &SELF->descriptors[number];
    struct call call = begin_transfer(it, number, false, "send");
    if (call_fails(&call)) return end_call(&call, -1);
    ssize_t result = transmit(it, number, bytes, call_length(&call, count), flags);
    return end_transfer(&call, result, bytes);
}

/// A connected socket. NULL if it is none, with the errno of a call that `reads` or writes.
static struct machine_descriptor *connected(int number, bool reads) {
    struct machine_descriptor *it = socket_of(number);
    if (!it || it->kind == MACHINE_CHANNEL) return it;
    int32_t kind = it->kind == MACHINE_LISTENER ? machine->listeners[it->index].kind : it->index;
    if (kind == MACHINE_UNIX_STREAM) errno = reads ? EINVAL : ENOTCONN;
    else errno = kind == MACHINE_TCP && !reads ? EPIPE : ENOTCONN;
    return NULL;
}

PUBLIC ssize_t recv(int number, void *bytes, size_t count, int flags) {
    attach();
    return connected(number, true) ? read_channel(number, bytes, count, flags) : -1;
}

PUBLIC ssize_t send(int number, const void *bytes, size_t count, int flags) {
    attach();
    return connected(number, false) ? write_channel(number, bytes, count, flags) : -1;
}

// MARK: Messages with descriptors

/// Adds the first descriptor that came with the bytes to the control data. Returns whether there
/// was room.
static bool give_passed(const struct machine_descriptor *it, struct msghdr *message) {
    int32_t end = 0;
    int32_t passed = machine_take_passed(machine, it->index, it->end, &end);
    size_t used = message->msg_controllen;
    message->msg_controllen = 0;
    if (passed < 0) return true;
    bool has_room = message->msg_control && used >= CMSG_LEN(sizeof(int));
    int number = has_room ? new_end(passed, end, O_RDWR | machine->channels[passed].ends[end].flags) : -1;
    if (number < 0) {
        machine_release_end(machine, passed, end);
        return false;
    }
    machine->channels[passed].ends[end].owner = self_index;
    struct cmsghdr *header = message->msg_control;
    *header = (struct cmsghdr){
        .cmsg_len = CMSG_LEN(sizeof number), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS };
    memcpy(CMSG_DATA(header), &number, sizeof number);
    message->msg_controllen = CMSG_SPACE(sizeof number) < used ? CMSG_SPACE(sizeof number) : used;
    return true;
}

PUBLIC ssize_t recvmsg(int number, struct msghdr *message, int flags) {
    attach();
    struct machine_descriptor *it = connected(number, true);
    if (!it) return -1;
    if (message->msg_iovlen != 1) unexpected("recvmsg into %d parts", (int)message->msg_iovlen);
    struct call call = begin_transfer(it, number, true, "recvmsg");
    if (call_fails(&call)) return end_call(&call, -1);
    struct iovec part = message->msg_iov[0];
    ssize_t result = receive(it, number, part.iov_base, call_length(&call, part.iov_len), flags);
    message->msg_flags = 0;
    if (result < 0) return end_call(&call, result);
    if (!give_passed(it, message)) message->msg_flags |= MSG_CTRUNC;
    size_t kept = message->msg_controllen;
    int32_t end = 0;
    int32_t other = machine_take_passed(machine, it->index, it->end, &end);
    if (other >= 0) {
        message->msg_flags |= MSG_CTRUNC;
        machine_release_end(machine, other, end);
        close_passed(it);
    }
    message->msg_controllen = kept;
    return end_transfer(&call, result, part.iov_base);
}

static size_t passed_count(const struct msghdr *message) {
    struct cmsghdr *header = message->msg_controllen ? CMSG_FIRSTHDR(message) : NULL;
    if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) return 0;
    return (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
}

static struct machine_descriptor *passed_at(const struct msghdr *message, size_t index) {
    int number = -1;
    memcpy(&number, CMSG_DATA(CMSG_FIRSTHDR(message)) + index * sizeof number, sizeof number);
    return descriptor_of(number);
}

static bool has_valid_descriptors(const struct msghdr *message) {
    for (size_t i = 0; i < passed_count(message); i++)
        if (!passed_at(message, i)) return false;
    return true;
}

static void pass_descriptors(const struct machine_descriptor *it, const struct msghdr *message, size_t count) {
    for (size_t i = 0; i < passed_count(message); i++) {
        const struct machine_descriptor *passed = passed_at(message, i);
        if (passed->kind != MACHINE_CHANNEL) unexpected("sendmsg with a descriptor of kind %d", passed->kind);
        machine_pass_with(machine, it->index, it->end, count, passed->index, passed->end);
    }
}

PUBLIC ssize_t sendmsg(int number, const struct msghdr *message, int flags) {
    attach();
    if (!socket_of(number) || !has_valid_descriptors(message)) return -1;
    struct machine_descriptor *it = connected(number, false);
    if (!it) return -1;
    if (message->msg_iovlen != 1) unexpected("sendmsg of %d parts", (int)message->msg_iovlen);
    struct iovec part = message->msg_iov[0];
    bool is_open = !machine_is_peer_gone(channel_of(it), it->end) && has_room(channel_of(it), it->end, part.iov_len);
    if (is_open && message->msg_controllen) pass_descriptors(it, message, part.iov_len);
    return write_channel(number, part.iov_base, part.iov_len, flags);
}

// MARK: Datagrams

PUBLIC ssize_t recvfrom(int number, void *bytes, size_t count, int flags, struct sockaddr *address, socklen_t *length) {
    struct sockaddr_in sender = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    if (address && length) {
        memcpy(address, &sender, *length < sizeof sender ? *length : sizeof sender);
        *length = sizeof sender;
    }
    return recv(number, bytes, count, flags);
}

PUBLIC ssize_t sendto(int number, const void *bytes, size_t count, int flags, const struct sockaddr *address,
                      socklen_t length) {
    if (!address || length == 0) return send(number, bytes, count, flags);
    struct call call = begin_call(MACHINE_CALL_SEND, "sendto", number, NULL);
    if (!descriptor_of(number) || call_fails(&call)) return end_call(&call, -1);
    char text[MACHINE_PATH + DATAGRAM_BYTES];
    if (!address_text(address, length, MACHINE_UDP, text, MACHINE_PATH)) return end_call(&call, -1);
    // One to the internet is sent even if nobody receives it.
    if (address->sa_family == AF_UNIX && machine_find_listener(machine, text) < 0) {
        errno = real_call(SYS_faccessat, AT_FDCWD, real_path(text, true, 0), F_OK) == 0 ? ECONNREFUSED : ENOENT;
        return end_call(&call, -1);
    }
    size_t used = strlen(text);
    text[used++] = '\n';
    size_t part = count < DATAGRAM_BYTES - 1 ? count : DATAGRAM_BYTES - 1;
    memcpy(text + used, bytes, part);
    add_text(MACHINE_TEXT_DATAGRAM, text, used + part);
    return end_transfer(&call, (ssize_t)count, bytes);
}
