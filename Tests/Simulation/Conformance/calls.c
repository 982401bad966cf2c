// Runs sequences of system calls, one per line of standard input or of a file, and prints their
// results. The same sequences run against the kernel and on the simulated machine must print the
// same.
//
// A sequence is a list of commands, separated by semicolons. One letter names a descriptor, which
// is not blocking. `commands` below lists them; see sequences.txt for examples.
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static int numbers[26];
static char words[8][64];
static int word_count;

static int *slot(int index) { return &numbers[(words[index][0] - 'a') % 26]; }
static int fd(int index) { return *slot(index); }
static long number(int index) { return index < word_count ? atol(words[index]) : 0; }

static void result(long value) {
    if (value < 0) printf(" %s", strerrorname_np(errno));
    else printf(" %ld", value);
}

/// The result of what makes a descriptor, without its number.
static void made(int index, int value) {
    *slot(index) = value;
    if (value < 0) result(value);
    else printf(" made");
}

static void text(long value, const char *bytes) {
    result(value);
    for (long i = 0; i < value && i < 40; i++) putchar(bytes[i] >= ' ' && bytes[i] <= '~' ? bytes[i] : '.');
}

// MARK: Sockets and pipes

static void make_pair(int kind) {
    int ends[2] = { -1, -1 };
    int value = kind == 0 ? pipe2(ends, O_NONBLOCK | O_CLOEXEC)
                          : socketpair(AF_UNIX, kind | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends);
    *slot(1) = ends[0];
    *slot(2) = ends[1];
    result(value);
}
static void do_pair(void) { make_pair(SOCK_STREAM); }
static void do_datagrams(void) { make_pair(SOCK_DGRAM); }
static void do_pipe(void) { make_pair(0); }

static struct sockaddr_un address_of(const char *path) {
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    return address;
}

static void do_socket(void) { made(1, socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)); }
static void do_bind(void) {
    struct sockaddr_un address = address_of(words[2]);
    result(bind(fd(1), (struct sockaddr *)&address, sizeof address));
}
/// TCP on this machine: `words[2]` is a port.
static struct sockaddr_in port_of(int index) {
    return (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons((uint16_t)number(index)),
                                 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}
static void do_tcp(void) { made(1, socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)); }
static void do_port(void) {
    struct sockaddr_in address = port_of(2);
    const int on = 1;
    setsockopt(fd(1), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    result(bind(fd(1), (struct sockaddr *)&address, sizeof address));
}
static void do_call(void) {
    struct sockaddr_in address = port_of(2);
    result(connect(fd(1), (struct sockaddr *)&address, sizeof address));
}
static void do_listen(void) { result(listen(fd(1), (int)number(2))); }
static void do_connect(void) {
    struct sockaddr_un address = address_of(words[2]);
    result(connect(fd(1), (struct sockaddr *)&address, sizeof address));
}
static void do_accept(void) { made(1, accept4(fd(2), NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)); }
static void do_shut(void) {
    int how = strcmp(words[2], "read") == 0 ? SHUT_RD : strcmp(words[2], "write") == 0 ? SHUT_WR : SHUT_RDWR;
    result(shutdown(fd(1), how));
}
static void do_send(void) { result(send(fd(1), words[2], strlen(words[2]), MSG_NOSIGNAL)); }
static void do_recv(void) {
    char bytes[4096];
    text(recv(fd(1), bytes, (size_t)number(2), 0), bytes);
}
static void do_peek(void) {
    char bytes[4096];
    text(recv(fd(1), bytes, (size_t)number(2), MSG_PEEK), bytes);
}
/// Sends until nothing fits, and tells only whether that came.
static void do_fill(void) {
    static char bytes[4096];
    long value;
    int count = 0;
    do value = send(fd(1), bytes, sizeof bytes, MSG_NOSIGNAL);
    while (value > 0 && ++count < 1000);
    result(value);
}
static void do_drain(void) {
    static char bytes[65536];
    long value;
    do value = read(fd(1), bytes, sizeof bytes);
    while (value > 0);
    result(value);
}
static void option(int name) {
    int value = 0;
    socklen_t length = sizeof value;
    int code = getsockopt(fd(1), SOL_SOCKET, name, &value, &length);
    if (code < 0) result(code);
    else if (name == SO_ERROR && value) printf(" %s", strerrorname_np(value));
    else printf(" %d", value);
}
static void do_error(void) { option(SO_ERROR); }
static void do_domain(void) { option(SO_DOMAIN); }
static void do_type(void) { option(SO_TYPE); }
static void do_accepting(void) { option(SO_ACCEPTCONN); }
static void do_peer(void) {
    struct sockaddr_un address;
    socklen_t length = sizeof address;
    result(getpeername(fd(1), (struct sockaddr *)&address, &length));
}
static void do_user(void) {
    struct ucred peer = { 0 };
    socklen_t length = sizeof peer;
    int code = getsockopt(fd(1), SOL_SOCKET, SO_PEERCRED, &peer, &length);
    if (code < 0) result(code);
    else printf(" %s %s", peer.pid == getpid() ? "own" : "other", peer.uid == geteuid() ? "own" : "other");
}

// MARK: Passed descriptors

#define CONTROL_SIZE CMSG_SPACE(4 * sizeof(int))

static void do_pass(void) {
    union { struct cmsghdr header; char bytes[CONTROL_SIZE]; } control = { 0 };
    int count = word_count - 3;
    struct iovec part = { .iov_base = words[2], .iov_len = strlen(words[2]) };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
                              .msg_controllen = CMSG_SPACE((size_t)count * sizeof(int)) };
    control.header = (struct cmsghdr){ .cmsg_len = CMSG_LEN((size_t)count * sizeof(int)), .cmsg_level = SOL_SOCKET,
                                       .cmsg_type = SCM_RIGHTS };
    for (int i = 0; i < count; i++) ((int *)CMSG_DATA(&control.header))[i] = fd(3 + i);
    result(sendmsg(fd(1), &message, MSG_NOSIGNAL));
}

/// take A N B: receives with room for one descriptor, as CLinux.h does.
static void do_take(void) {
    union { struct cmsghdr header; char bytes[CMSG_SPACE(sizeof(int))]; } control;
    char bytes[4096];
    struct iovec part = { .iov_base = bytes, .iov_len = (size_t)number(2) };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control,
                              .msg_controllen = CMSG_LEN(sizeof(int)) };
    long value = recvmsg(fd(1), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    text(value, bytes);
    if (value < 0) return;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    bool has_one = header && header->cmsg_type == SCM_RIGHTS && header->cmsg_len == CMSG_LEN(sizeof(int));
    if (has_one) memcpy(slot(3), CMSG_DATA(header), sizeof(int));
    printf("%s%s", has_one ? " passed" : "", message.msg_flags & MSG_CTRUNC ? " cut" : "");
}

// MARK: Any descriptor

static void do_read(void) {
    char bytes[4096];
    text(read(fd(1), bytes, (size_t)number(2)), bytes);
}
static void do_write(void) { result(write(fd(1), words[2], strlen(words[2]))); }
static void do_close(void) {
    result(close(fd(1)));
    // Another descriptor may get the number.
    *slot(1) = -1;
}
static void do_dup(void) { made(1, dup(fd(2))); }
static void do_lowest(void) {
    int first = open("/dev/null", O_RDONLY | O_CLOEXEC);
    printf(" %d", first);
    close(first);
}
static void print_events(uint32_t events) {
    static const struct { uint32_t bit; const char *name; } names[] = {
        { EPOLLIN, "in" }, { EPOLLOUT, "out" }, { EPOLLRDHUP, "rdhup" }, { EPOLLHUP, "hup" }, { EPOLLERR, "err" },
        { POLLNVAL, "invalid" } };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (events & names[i].bit) printf(" %s", names[i].name);
}
static void do_poll(void) {
    struct pollfd request = { .fd = fd(1), .events = POLLIN | POLLOUT | POLLRDHUP };
    result(poll(&request, 1, 0));
    print_events((uint32_t)request.revents);
}
static void do_mode(void) {
    int flags = fcntl(fd(1), F_GETFL);
    if (flags < 0) result(flags);
    else printf(" %s%s", (flags & O_ACCMODE) == O_RDWR ? "rw" : (flags & O_ACCMODE) == O_RDONLY ? "r" : "w",
                flags & O_NONBLOCK ? " nonblock" : "");
}

// MARK: epoll, timers, counters

static void do_epoll(void) { made(1, epoll_create1(EPOLL_CLOEXEC)); }
static uint32_t events_of(int index) {
    uint32_t events = 0;
    for (; index < word_count; index++) {
        if (strcmp(words[index], "in") == 0) events |= EPOLLIN;
        if (strcmp(words[index], "out") == 0) events |= EPOLLOUT;
        if (strcmp(words[index], "rdhup") == 0) events |= EPOLLRDHUP;
        if (strcmp(words[index], "once") == 0) events |= EPOLLONESHOT;
    }
    return events;
}
static void control(int operation) {
    struct epoll_event event = { .events = events_of(3), .data.u64 = (uint64_t)words[2][0] };
    result(epoll_ctl(fd(1), operation, fd(2), &event));
}
static void do_add(void) { control(EPOLL_CTL_ADD); }
static void do_modify(void) { control(EPOLL_CTL_MOD); }
static void do_delete(void) { control(EPOLL_CTL_DEL); }
/// ready A [MILLISECONDS]: what is ready, in alphabetical order.
static void do_ready(void) {
    struct epoll_event events[26];
    int count = epoll_wait(fd(1), events, 26, (int)number(2));
    result(count);
    for (char letter = 'a'; letter <= 'z'; letter++)
        for (int i = 0; i < count; i++)
            if (events[i].data.u64 == (uint64_t)letter) {
                printf(" %c:", letter);
                print_events(events[i].events);
            }
}
static void do_event(void) { made(1, eventfd((unsigned)number(2), EFD_NONBLOCK | EFD_CLOEXEC)); }
static void do_count(void) {
    uint64_t value = (uint64_t)number(2);
    result(write(fd(1), &value, sizeof value));
}
static void do_value(void) {
    uint64_t value = 0;
    long code = read(fd(1), &value, sizeof value);
    if (code < 0) result(code);
    else printf(" %ld %lu", code, (unsigned long)value);
}
static void do_timer(void) { made(1, timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)); }
/// arm A MILLISECONDS [INTERVAL]; a negative time is absolute and in the past.
static void do_arm(void) {
    long first = number(2), interval = number(3);
    struct itimerspec value = {
        .it_value.tv_nsec = first < 0 ? 1 : first * 1000000, .it_interval.tv_nsec = interval * 1000000 };
    result(timerfd_settime(fd(1), first < 0 ? TFD_TIMER_ABSTIME : 0, &value, NULL));
}
static void do_armed(void) {
    struct itimerspec value = { 0 };
    int code = timerfd_gettime(fd(1), &value);
    result(code);
    if (code == 0) printf(" %s", value.it_value.tv_sec || value.it_value.tv_nsec ? "armed" : "off");
}
static void do_wait(void) {
    struct timespec duration = { .tv_nsec = number(1) * 1000000 };
    result(nanosleep(&duration, NULL));
}

// MARK: Files

static void do_open(void) {
    int flags = O_CLOEXEC;
    bool reads = false, writes = false;
    for (const char *flag = words[3]; *flag; flag++) {
        reads |= *flag == 'r';
        writes |= *flag == 'w';
        if (*flag == 'c') flags |= O_CREAT;
        if (*flag == 'x') flags |= O_EXCL;
        if (*flag == 't') flags |= O_TRUNC;
        if (*flag == 'a') flags |= O_APPEND;
        if (*flag == 'd') flags |= O_DIRECTORY;
        if (*flag == 'n') flags |= O_NOFOLLOW;
    }
    made(1, open(words[2], flags | (reads && writes ? O_RDWR : writes ? O_WRONLY : O_RDONLY), 0600));
}
static void do_openat(void) { made(1, openat(fd(2), words[3], O_RDWR | O_CREAT | O_CLOEXEC, 0600)); }
static void do_pread(void) {
    char bytes[4096];
    text(pread(fd(1), bytes, (size_t)number(2), number(3)), bytes);
}
static void do_pwrite(void) { result(pwrite(fd(1), words[2], strlen(words[2]), number(3))); }
static void do_truncate(void) { result(ftruncate(fd(1), number(2))); }
static void do_seek(void) { result(lseek(fd(1), number(2), word_count > 3 ? (int)number(3) : SEEK_SET)); }
static void do_sync(void) { result(fsync(fd(1))); }
static void print_status(int code, const struct stat *status) {
    result(code);
    if (code < 0) return;
    if (S_ISREG(status->st_mode)) printf(" file %ld", (long)status->st_size);
    else printf(" %s", S_ISDIR(status->st_mode) ? "directory" : S_ISLNK(status->st_mode) ? "link"
                       : S_ISSOCK(status->st_mode) ? "socket" : "other");
    printf(" %o", status->st_mode & 0777);
}
static void do_stat(void) {
    struct stat status;
    print_status(stat(words[1], &status), &status);
}
static void do_lstat(void) {
    struct stat status;
    print_status(lstat(words[1], &status), &status);
}
static void do_fstat(void) {
    struct stat status;
    print_status(fstat(fd(1), &status), &status);
}
static void do_access(void) { result(access(words[1], F_OK)); }
static void do_rename(void) { result(rename(words[1], words[2])); }
static void do_unlink(void) { result(unlink(words[1])); }
static void do_mkdir(void) { result(mkdir(words[1], 0700)); }
static void do_rmdir(void) { result(rmdir(words[1])); }
static void do_symlink(void) { result(symlink(words[1], words[2])); }
static void do_readlink(void) {
    char bytes[256];
    text(readlink(words[1], bytes, sizeof bytes), bytes);
}
static void do_chmod(void) { result(chmod(words[1], 0640)); }

// MARK: Sequences

#define COMMAND(name) { #name, do_##name }
static const struct { const char *name; void (*run)(void); } commands[] = {
    COMMAND(tcp), COMMAND(port), COMMAND(call), COMMAND(pair), COMMAND(datagrams), COMMAND(pipe), COMMAND(socket), COMMAND(bind), COMMAND(listen), COMMAND(connect),
    COMMAND(accept), COMMAND(shut), COMMAND(send), COMMAND(recv), COMMAND(peek), COMMAND(fill), COMMAND(drain),
    COMMAND(error), COMMAND(domain), COMMAND(type), COMMAND(accepting), COMMAND(peer), COMMAND(user), COMMAND(pass),
    COMMAND(take), COMMAND(read), COMMAND(write), COMMAND(close), COMMAND(dup), COMMAND(lowest), COMMAND(poll),
    COMMAND(mode), COMMAND(epoll), COMMAND(add), COMMAND(modify), COMMAND(delete), COMMAND(ready), COMMAND(event),
    COMMAND(count), COMMAND(value), COMMAND(timer), COMMAND(arm), COMMAND(armed), COMMAND(wait), COMMAND(open),
    COMMAND(openat), COMMAND(pread), COMMAND(pwrite), COMMAND(truncate), COMMAND(seek), COMMAND(sync), COMMAND(stat),
    COMMAND(lstat), COMMAND(fstat), COMMAND(access), COMMAND(rename), COMMAND(unlink), COMMAND(mkdir), COMMAND(rmdir),
    COMMAND(symlink), COMMAND(readlink), COMMAND(chmod),
};

static void run_command(char *command) {
    char *rest = NULL;
    word_count = 0;
    for (char *word = strtok_r(command, " ", &rest); word && word_count < 8; word = strtok_r(NULL, " ", &rest))
        snprintf(words[word_count++], sizeof words[0], "%s", word);
    if (word_count == 0) return;
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(commands[i].name, words[0]) != 0) continue;
        printf("  %s", words[0]);
        for (int at = 1; at < word_count; at++) printf(" %s", words[at]);
        printf(" ->");
        commands[i].run();
        printf("\n");
        return;
    }
    printf("  unknown command %s\n", words[0]);
}

static void run_sequence(char *line) {
    char *rest = NULL;
    for (int i = 0; i < 26; i++) numbers[i] = -1;
    for (char *command = strtok_r(line, ";", &rest); command; command = strtok_r(NULL, ";", &rest))
        run_command(command);
    for (int i = 4; i < 64; i++) close(i);
}

int main(int count, char **arguments) {
    FILE *file = count > 1 ? fopen(arguments[1], "r") : stdin;
    char *line = NULL;
    size_t capacity = 0;
    long number_of_line = 0;
    signal(SIGPIPE, SIG_IGN);
    umask(0);
    if (!file) return 1;
    while (getline(&line, &capacity, file) > 0) {
        number_of_line++;
        line[strcspn(line, "\n")] = 0;
        if (line[0] == 0 || line[0] == '#') continue;
        printf("%ld: %s\n", number_of_line, line);
        run_sequence(line);
    }
    return 0;
}
