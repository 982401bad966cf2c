// What Swift cannot see of Linux through Glibc's overlay: headers outside it, and macros with arguments or casts.
// The functions in this header rename what they wrap, or fill a structure for it. Those with more logic are in CLinux.c.
#ifndef CLINUX_H
#define CLINUX_H
#include <getopt.h>
#include <errno.h>
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

/// accept4(2) with SOCK_NONBLOCK | SOCK_CLOEXEC; declared by <sys/socket.h> only for _GNU_SOURCE.
int accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags);

static inline int linux_accept(int listener) {
    return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/// CLOCK_BOOTTIME in nanoseconds; -1 when the kernel has no such clock.
static inline int64_t linux_boottime_nanoseconds(void) {
    struct timespec now;
    if (clock_gettime(CLOCK_BOOTTIME, &now) != 0) return -1;
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/// The maximum error of the system's clock in microseconds, by adjtimex(2), which only reads here; -1 if the clock is not
/// synchronized or is still being corrected by more than max_offset microseconds (errno 0), or the call fails. The kernel ends
/// the synchronization when this error exceeds 16 s.
int64_t linux_clock_maximum_error(int64_t max_offset);

/// CLOCK_MONOTONIC in microseconds, the clock the service manager counts reloads by.
static inline int64_t linux_monotonic_microseconds(void) {
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) return -1;
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/// signalfd(2), non-blocking and closed on exec; its flags are an enum in Glibc's overlay.
static inline int linux_signal_descriptor(const sigset_t *signals) {
    return signalfd(-1, signals, SFD_NONBLOCK | SFD_CLOEXEC);
}

/// pipe2(2), non-blocking and closed on exec; declared by <unistd.h> only for _GNU_SOURCE.
int linux_pipe(int ends[2]);

/// eventfd(2), non-blocking and closed on exec; its flags are an enum in Glibc's overlay.
static inline int linux_event_descriptor(void) {
    return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
}

/// epoll_create1(2), closed on exec.
static inline int linux_epoll_create(void) {
    return epoll_create1(EPOLL_CLOEXEC);
}

/// epoll_ctl(2) with a number that identifies the descriptor in the events.
static inline int linux_epoll_set(int epoll, int descriptor, int operation, uint32_t events, uint64_t number) {
    struct epoll_event event = { .events = events, .data.u64 = number };
    return epoll_ctl(epoll, operation, descriptor, &event);
}

/// The name of the calling thread in ps(1) and in debuggers, at most 15 bytes.
static inline void linux_name_thread(const char *name) {
    prctl(PR_SET_NAME, name, 0, 0, 0);
}

/// memfd_create(2), closed on exec; declared by <sys/mman.h> only for _GNU_SOURCE.
int memfd_create(const char *name, unsigned int flags);

static inline int linux_memory_file(const char *name) {
    return memfd_create(name, 1 /* MFD_CLOEXEC */);
}

/// ioctl(TIOCPKT): reads of this master report what the other end does with its data.
static inline int linux_terminal_set_packet_mode(int master) {
    int enabled = 1;
    return ioctl(master, TIOCPKT, &enabled);
}

/// ioctl(TIOCEXCL) or ioctl(TIOCNXCL): whether further opens of this terminal fail with EBUSY.
static inline int linux_terminal_set_exclusive(int terminal, bool exclusive) {
    return ioctl(terminal, exclusive ? TIOCEXCL : TIOCNXCL);
}

/// ioctl(TIOCGEXCL): 1 exclusive, 0 shared, -1 error.
static inline int linux_terminal_is_exclusive(int terminal) {
    int exclusive = 0;
    return ioctl(terminal, TIOCGEXCL, &exclusive) == 0 ? exclusive != 0 : -1;
}

/// flock(2), exclusive and without waiting; in Swift its name is that of fcntl(2)'s struct.
static inline int linux_lock_file(int descriptor) {
    return flock(descriptor, LOCK_EX | LOCK_NB);
}

/// Bytes waiting to be read (FIONREAD), -1 error.
static inline int linux_bytes_readable(int descriptor) {
    int count = 0;
    return ioctl(descriptor, FIONREAD, &count) == 0 ? count : -1;
}

/// cfmakeraw(3): <termios.h> declares it only for _DEFAULT_SOURCE.
void cfmakeraw(struct termios *settings);

/// Baud rates of <bits/termios.h>, all of which Linux has on every architecture, by bits per second; 0 for one without a constant.
static inline speed_t linux_speed_constant(int64_t bits_per_second) {
    switch (bits_per_second) {
    case 1200: return B1200;
    case 2400: return B2400;
    case 4800: return B4800;
    case 9600: return B9600;
    case 19200: return B19200;
    case 38400: return B38400;
    case 57600: return B57600;
    case 115200: return B115200;
    case 230400: return B230400;
    case 460800: return B460800;
    case 500000: return B500000;
    case 576000: return B576000;
    case 921600: return B921600;
    case 1000000: return B1000000;
    default: return B0;
    }
}

/// The flag of <bits/termios.h> for RTS/CTS flow control, hidden without _DEFAULT_SOURCE.
static inline tcflag_t linux_crtscts(void) { return CRTSCTS; }

/// SO_PEERCRED without `struct ucred`, which needs _GNU_SOURCE. -1 and errno on failure.
static inline int linux_peer_credentials(int socket, pid_t *process, uid_t *user, gid_t *group) {
    struct { int32_t process; uint32_t user, group; } peer;
    socklen_t length = sizeof peer;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return -1;
    *process = peer.process;
    *user = peer.user;
    *group = peer.group;
    return 0;
}

/// A descriptor of the process that opened a Unix socket (SO_PEERPIDFD, Linux 6.5). -1 and errno on failure: ENOPROTOOPT for
/// earlier kernels, ESRCH if the process has ended.
static inline int linux_peer_process(int socket) {
    int descriptor = -1;
    socklen_t length = sizeof descriptor;
    // The number in <asm-generic/socket.h>; the header of Debian 12 does not have it.
    if (getsockopt(socket, SOL_SOCKET, 77, &descriptor, &length) != 0) return -1;
    return descriptor;
}

/// The supplementary groups of the process connected to a Unix socket (SO_PEERGROUPS, Linux 4.13). Returns their number,
/// at most `capacity`, or -1.
static inline int linux_peer_groups(int socket, gid_t *groups, int capacity) {
    socklen_t length = (socklen_t)capacity * sizeof *groups;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups, &length) != 0) return -1;
    return (int)(length / sizeof *groups);
}

/// recvmsg(2) without waiting, with one descriptor at most (SCM_RIGHTS), closed on exec: `*descriptor`, or -1. `*has_others` tells
/// whether there were others, or it could not be received; the kernel has closed those.
static inline ssize_t linux_receive_descriptor(int socket, void *bytes, size_t count, int *descriptor, bool *has_others) {
    union { struct cmsghdr header; char space[CMSG_SPACE(sizeof(int))]; } control;
    struct iovec part = { .iov_base = bytes, .iov_len = count };
    // The space of CMSG_SPACE is enough for two.
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = CMSG_LEN(sizeof(int)) };
    *descriptor = -1;
    *has_others = false;
    ssize_t received = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (received < 0) return received;
    *has_others = (message.msg_flags & MSG_CTRUNC) != 0;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS && header->cmsg_len == CMSG_LEN(sizeof(int)))
        memcpy(descriptor, CMSG_DATA(header), sizeof(int));
    return received;
}

/// sendmsg(2) without waiting, with a descriptor (SCM_RIGHTS). The receiver gets a duplicate.
static inline ssize_t linux_send_descriptor(int socket, const void *bytes, size_t count, int descriptor) {
    union { struct cmsghdr header; char space[CMSG_SPACE(sizeof(int))]; } control;
    memset(&control, 0, sizeof control);
    struct iovec part = { .iov_base = (void *)bytes, .iov_len = count };
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control.space };
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
    return sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

/// Whether a descriptor is a Unix stream socket that is connected. A listening socket is not: SO_PEERCRED has its own process.
static inline bool linux_is_connected_unix_stream(int descriptor) {
    int domain = 0, type = 0;
    socklen_t length = sizeof domain;
    if (getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &length) != 0 || domain != AF_UNIX) return false;
    length = sizeof type;
    if (getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &length) != 0 || type != SOCK_STREAM) return false;
    struct sockaddr_un peer;
    length = sizeof peer;
    return getpeername(descriptor, (struct sockaddr *)&peer, &length) == 0;
}

/// The address of a path; -1 and ENAMETOOLONG when it does not fit `sun_path` with its terminating zero.
static inline int linux_unix_address(struct sockaddr_un *address, const char *path, size_t length) {
    if (length == 0 || length >= sizeof address->sun_path) { errno = ENAMETOOLONG; return -1; }
    *address = (struct sockaddr_un){ .sun_family = AF_UNIX };
    for (size_t i = 0; i < length; i++) address->sun_path[i] = path[i];
    return 0;
}

static inline int linux_unix_bind(int socket, const char *path, size_t length) {
    struct sockaddr_un address;
    if (linux_unix_address(&address, path, length) != 0) return -1;
    return bind(socket, (const struct sockaddr *)&address, sizeof address);
}

static inline int linux_unix_connect(int socket, const char *path, size_t length) {
    struct sockaddr_un address;
    if (linux_unix_address(&address, path, length) != 0) return -1;
    return connect(socket, (const struct sockaddr *)&address, sizeof address);
}

/// socket(AF_UNIX, SOCK_STREAM), non-blocking and closed on exec; the type constants are an enum in Glibc's overlay.
static inline int linux_unix_stream_socket(void) {
    return socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

/// socket(AF_UNIX, SOCK_DGRAM), non-blocking and closed on exec.
static inline int linux_unix_datagram_socket(void) {
    return socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

/// Sends a datagram to a Unix socket without waiting. -1 and errno on failure: ENOENT or ECONNREFUSED without a receiver.
static inline ssize_t linux_unix_send(int descriptor, const void *bytes, size_t count, const char *path, size_t length) {
    struct sockaddr_un address;
    if (linux_unix_address(&address, path, length) != 0) return -1;
    return sendto(descriptor, bytes, count, MSG_NOSIGNAL, (const struct sockaddr *)&address, sizeof address);
}

/// The address of a host, IPv4 or IPv6, with a port. The family is AF_UNSPEC if `host` is not a numeric address.
struct sockaddr_storage linux_internet_address(const char *host, uint16_t port);

static inline socklen_t linux_internet_address_length(const struct sockaddr_storage *address) {
    return address->ss_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
}

/// A TCP socket for listening at an address, non-blocking and closed on exec. An IPv6 socket does not accept IPv4, which has
/// a socket of its own.
int linux_tcp_listener(const struct sockaddr_storage *address);

/// A TCP socket that connects to an address without waiting, non-blocking and closed on exec.
int linux_tcp_connect(const struct sockaddr_storage *address);

/// A UDP socket that receives at an address, or from a multicast group, non-blocking and closed on exec.
int linux_udp_listener(const struct sockaddr_storage *address);

/// The size of what tells one sender of datagrams from another: its address. Some programs send each datagram from
/// another port.
#define LINUX_SOURCE_SIZE 16

/// Receives a datagram and writes its sender to `source`, without waiting.
ssize_t linux_udp_receive(int descriptor, void *bytes, size_t count, uint8_t source[LINUX_SOURCE_SIZE]);

/// A UDP socket for an address family, which may send to broadcast and multicast addresses.
static inline int linux_udp_socket(int family) {
    int descriptor = socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    const int on = 1;
    if (descriptor >= 0) setsockopt(descriptor, SOL_SOCKET, SO_BROADCAST, &on, sizeof on);
    return descriptor;
}

static inline ssize_t linux_udp_send(int descriptor, const void *bytes, size_t count, const struct sockaddr_storage *address) {
    return sendto(descriptor, bytes, count, MSG_NOSIGNAL, (const struct sockaddr *)address,
                  linux_internet_address_length(address));
}

/// Sends small packets at once, and detects a peer that is gone after a minute (30 s, then three probes of 10 s). Has no
/// effect on a socket that is not TCP.
static inline void linux_tcp_set_interactive(int descriptor) {
    const int on = 1, idle = 30, interval = 10, probes = 3;
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
    setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
}

/// Lets an open input device report only events of a type with a code (EVIOCSMASK, Linux 4.4).
int linux_input_select(int device, uint16_t type, uint16_t code);

/// The name of an open input device and its place, of at most `size` bytes (EVIOCGNAME, EVIOCGPHYS).
int linux_input_label(int device, char *text, size_t size);

/// The label of an open GPIO chip, of at most `size` bytes.
int linux_gpio_label(int chip, char *text, size_t size);

/// A descriptor of both edges of a line of an open GPIO chip, without waiting. They must last 10 ms.
int linux_gpio_events(int chip, uint32_t line);

/// A descriptor of the events of an open industrial I/O device, without waiting.
int linux_iio_events(int device);

/// A socket that gets the data frames of a CAN interface, without waiting. It sends nothing.
int linux_can_socket(const char *interface);

/// Pseudo-terminal slaves have majors 136 to 143 (Documentation/admin-guide/devices.txt).
static inline bool linux_is_pseudo_terminal(dev_t device) {
    unsigned major = (unsigned)((device >> 8) & 0xfff);
    return major >= 136 && major <= 143;
}

static inline unsigned linux_device_major(dev_t device) { return (unsigned)((device >> 8) & 0xfff); }
static inline unsigned linux_device_minor(dev_t device) { return (unsigned)((device & 0xff) | ((device >> 12) & 0xfff00)); }

static inline bool linux_is_character_device(mode_t mode) { return S_ISCHR(mode); }
static inline bool linux_is_socket(mode_t mode) { return S_ISSOCK(mode); }

/// Gives back what was only needed for a while: free memory of the heap, the stack below the caller, and the program's own code, which is read
/// in again page by page as it is run. Costs the next turn a fraction of a millisecond.
void linux_release_memory(void);
#endif
