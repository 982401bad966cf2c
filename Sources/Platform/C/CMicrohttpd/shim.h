// GNU libmicrohttpd, and its functions with a variable number of arguments, which Swift cannot see.
#ifndef CMICROHTTPD_SHIM_H
#define CMICROHTTPD_SHIM_H
#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

/// What a server is made of. `context` is the first argument of the functions.
struct http_server_settings {
    void *context;
    MHD_AccessHandlerCallback handle;
    MHD_RequestCompletedCallback completed;
    MHD_NotifyConnectionCallback connection;
    unsigned connections;
    unsigned timeout;
    size_t memory;
};

/// Starts a server without a thread, without a listening socket and without TLS. NULL on failure.
static inline struct MHD_Daemon *http_start(const struct http_server_settings *settings) {
    return MHD_start_daemon(MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC, 0, NULL, NULL, settings->handle,
                            settings->context, MHD_OPTION_NOTIFY_COMPLETED, settings->completed, settings->context,
                            MHD_OPTION_NOTIFY_CONNECTION, settings->connection, settings->context, MHD_OPTION_CONNECTION_LIMIT,
                            settings->connections, MHD_OPTION_CONNECTION_TIMEOUT, settings->timeout, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                            settings->memory, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_END);
}

/// The descriptor that is readable when the server has something to do; -1 on failure.
static inline int http_descriptor(struct MHD_Daemon *server) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(server, MHD_DAEMON_INFO_EPOLL_FD);
    return info ? info->epoll_fd : -1;
}

/// Whether a connection begins, by a name that Swift shortens differently.
static inline bool http_is_start(enum MHD_ConnectionNotificationCode code) { return code == MHD_CONNECTION_NOTIFY_STARTED; }

/// The socket of a connection; -1 if there is none.
static inline int http_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

/// Lets a connection that sends no more, and accepts nothing, stay for this many seconds.
static inline void http_set_timeout(struct MHD_Connection *connection, unsigned seconds) {
    MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, seconds);
}

/// Keeps few bytes in the kernel for a reader that has stopped, and gives up a peer that confirms nothing for half a minute.
static inline void http_limit_queue(int descriptor, int bytes) {
    const unsigned milliseconds = 30000;
    setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
    setsockopt(descriptor, IPPROTO_TCP, TCP_USER_TIMEOUT, &milliseconds, sizeof milliseconds);
}

/// Writes the address of the peer as text; of IPv6 the network, as a machine can change the rest. Returns false for a Unix socket.
static inline bool http_peer(int descriptor, char *text, size_t size) {
    struct sockaddr_in6 address = { 0 };
    socklen_t length = sizeof address;
    if (getpeername(descriptor, (struct sockaddr *)&address, &length) != 0) return false;
    const struct in6_addr *six = &address.sin6_addr;
    if (address.sin6_family == AF_INET6 && !IN6_IS_ADDR_LOOPBACK(six) && !IN6_IS_ADDR_V4MAPPED(six))
        memset(&address.sin6_addr.s6_addr[8], 0, 8);
    const void *bytes = address.sin6_family == AF_INET6 ? (const void *)&address.sin6_addr
                                                        : (const void *)&((const struct sockaddr_in *)&address)->sin_addr;
    if (address.sin6_family != AF_INET6 && address.sin6_family != AF_INET) return false;
    return inet_ntop(address.sin6_family, bytes, text, (socklen_t)size) != NULL;
}
#endif
