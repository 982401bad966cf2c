// load: plays a feed into a pseudo-terminal and measures the time at which each subscriber receives each epoch.
//
//   load PTY_FD FEED ADDRESS HELLO END MARK CLIENTS HERTZ BAUD SKIP
//
// FEED and FEED.epochs come from feed.py. ADDRESS is a TCP port on this machine or the path of a Unix socket. HELLO is
// sent by every client, END (a number: 10 or 0) ends a frame and follows HELLO. A frame counts if it contains MARK; it
// belongs to the epoch whose time it contains. HERTZ 0 writes as fast as the terminal accepts; otherwise each line is
// written at the time of its last byte on a line of BAUD bits per second. The first SKIP epochs are not measured.
//
// Latency is the time from just before the write of an epoch's last line to the arrival of the first frame about it. It
// is negative if the daemon publishes before the epoch ends. Prints one JSON object.

#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { FRAME = 1 << 18, SECOND = 1000000000 };

// `early` has the times at which clients received it before its last line was written.
struct epoch { char time[32]; char *bytes; int length, sentences; long long written_at, *early; int received, early_count; };
struct client { int fd, filled, next; char *frame; long updates, dropped; };

static struct epoch *epochs;
static struct client *clients;
static float *latencies;
static int epoch_count, client_count, skipped, poller, terminal, open_clients, frame_end;
static long latency_count;
static const char *mark;

static long long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * (long long)SECOND + t.tv_nsec;
}

static char *read_file(const char *path, long *length) {
    FILE *file = fopen(path, "rb");
    if (!file) err(1, "%s", path);
    fseek(file, 0, SEEK_END);
    *length = ftell(file);
    rewind(file);
    char *text = calloc(1, *length + 1);
    if (fread(text, 1, *length, file) != (size_t)*length) err(1, "%s", path);
    fclose(file);
    return text;
}

static void read_feed(const char *path) {
    char index_path[4096];
    long length, index_length;
    snprintf(index_path, sizeof index_path, "%s.epochs", path);
    char *bytes = read_file(path, &length), *index = read_file(index_path, &index_length);
    for (char *c = index; *c; c++) epoch_count += *c == '\n';
    epochs = calloc(epoch_count, sizeof *epochs);
    char *line = strtok(index, "\n");
    for (int i = 0; i < epoch_count; i++, line = strtok(NULL, "\n")) {
        if (sscanf(line, "%31s %d %d", epochs[i].time, &epochs[i].length, &epochs[i].sentences) != 3) errx(1, "%s: %s", index_path, line);
        epochs[i].bytes = bytes;
        bytes += epochs[i].length;
    }
}

static int connected(const char *address) {
    struct sockaddr_un local = {.sun_family = AF_UNIX};
    struct sockaddr_in internet = {.sin_family = AF_INET, .sin_port = htons(atoi(address)), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int is_path = address[0] == '/';
    int fd = socket(is_path ? AF_UNIX : AF_INET, SOCK_STREAM, 0);
    if (is_path) strncpy(local.sun_path, address, sizeof local.sun_path - 1);
    if (connect(fd, is_path ? (void *)&local : (void *)&internet, is_path ? sizeof local : sizeof internet) == 0) return fd;
    close(fd);
    return -1;
}

static void record_latency(int epoch, long long when) {
    struct epoch *about = &epochs[epoch];
    if (epoch < skipped) return;
    if (about->written_at) {
        latencies[latency_count++] = (when - about->written_at) / 1000.0f;
    } else {
        if (!about->early) about->early = calloc(client_count, sizeof *about->early);
        about->early[about->early_count++] = when;
    }
}

// The last line of an epoch is about to be written.
static void begin_last_line(int epoch) {
    struct epoch *about = &epochs[epoch];
    about->written_at = now();
    for (int i = 0; i < about->early_count; i++) record_latency(epoch, about->early[i]);
}

// Processes one frame; a zero byte replaces its end.
static void process_frame(struct client *client, long long when) {
    if (!strstr(client->frame, mark)) return;
    client->updates++;
    char *dropped = strstr(client->frame, "\"dropped\":");
    if (dropped) client->dropped = atol(dropped + 10);
    char *time = strstr(client->frame, "\"timestamp\":\"");
    time = time ? time + 13 : strstr(client->frame, "\"time\":\"");
    if (!time) return;
    if (!strncmp(time, "\"time\":\"", 8)) time += 8;
    for (int i = client->next; i < epoch_count; i++) {
        if (strncmp(time, epochs[i].time, strlen(epochs[i].time))) continue;
        client->next = i + 1;
        epochs[i].received++;
        record_latency(i, when);
        return;
    }
}

static void read_client(struct client *client) {
    long long when = now();
    ssize_t got = read(client->fd, client->frame + client->filled, FRAME - 1 - client->filled);
    if (got <= 0) {
        if (got < 0) return;
        close(client->fd);
        client->fd = -1;
        open_clients--;
        return;
    }
    client->filled += got;
    for (char *end; (end = memchr(client->frame, frame_end, client->filled)) != NULL;) {
        int length = end + 1 - client->frame;
        *end = 0;
        process_frame(client, when);
        memmove(client->frame, end + 1, client->filled - length);
        client->filled -= length;
    }
    if (client->filled == FRAME - 1) client->filled = 0;
}

// Serves the clients until the given time, at least once.
static void serve_until(long long deadline) {
    struct epoll_event ready[256];
    do {
        long long left = deadline - now();
        struct timespec wait = {left > 0 ? left / SECOND : 0, left > 0 ? left % SECOND : 0};
        int count = epoll_pwait2(poller, ready, 256, &wait, NULL);
        for (int i = 0; i < count; i++) {
            if (ready[i].data.ptr) read_client(ready[i].data.ptr);
            else return;  // the terminal is writable again
        }
    } while (now() < deadline);
}

static void write_all(const char *bytes, int length) {
    while (length > 0) {
        ssize_t written = write(terminal, bytes, length);
        if (written > 0) {
            bytes += written;
            length -= written;
            continue;
        }
        struct epoll_event writable = {.events = EPOLLOUT};
        epoll_ctl(poller, EPOLL_CTL_ADD, terminal, &writable);
        serve_until(now() + SECOND / 10);
        epoll_ctl(poller, EPOLL_CTL_DEL, terminal, NULL);
    }
}

static void play_fast(void) {
    for (int i = 0; i < epoch_count; i++) {
        begin_last_line(i);
        write_all(epochs[i].bytes, epochs[i].length);
        if (i % 8 == 0) serve_until(0);
    }
}

static void play_paced(double hertz, double baud) {
    long long start = now();
    for (int i = 0; i < epoch_count; i++) {
        long long due = start + i * (long long)(SECOND / hertz);
        char *line = epochs[i].bytes, *end = line + epochs[i].length;
        while (line < end) {
            int length = (char *)memchr(line, '\n', end - line) + 1 - line;
            due += (long long)(length * 10.0 * SECOND / baud);
            serve_until(due);
            if (line + length == end) begin_last_line(i);
            write_all(line, length);
            line += length;
        }
    }
}

static int ascending(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static double quantile(double q) { return latency_count ? latencies[(long)(q * (latency_count - 1) + 0.5)] : -1; }

static void report(double seconds) {
    long sentences = 0, updates = 0, dropped = 0;
    int served = 0, received = 0;
    for (int i = 0; i < epoch_count; i++) sentences += epochs[i].sentences, received += epochs[i].received > 0;
    for (int i = 0; i < client_count; i++) {
        updates += clients[i].updates;
        dropped += clients[i].dropped;
        served += clients[i].next == epoch_count;
    }
    qsort(latencies, latency_count, sizeof *latencies, ascending);
    printf("{\"epochs\":%d,\"received\":%d,\"sentences\":%ld,\"seconds\":%.3f,\"updates\":%ld,\"dropped\":%ld,\"clients\":%d,\"open\":%d,"
           "\"served\":%d,\"measured\":%ld,\"p50\":%.1f,\"p99\":%.1f,\"latest\":%.1f,\"latencies\":[",
           epoch_count, received, sentences, seconds, updates, dropped, client_count, open_clients, served, latency_count,
           quantile(0.5), quantile(0.99), quantile(1));
    // Individual latencies only for one client: compare.py combines those of several runs.
    for (long i = 0; client_count == 1 && i < latency_count; i++) printf("%s%.1f", i ? "," : "", latencies[i]);
    printf("]}\n");
}

int main(int count, char **word) {
    if (count != 11) errx(2, "usage: load PTY_FD FEED ADDRESS HELLO END MARK CLIENTS HERTZ BAUD SKIP");
    terminal = atoi(word[1]);
    read_feed(word[2]);
    frame_end = atoi(word[5]);
    mark = word[6];
    client_count = atoi(word[7]);
    double hertz = atof(word[8]), baud = atof(word[9]);
    skipped = atoi(word[10]);
    clients = calloc(client_count, sizeof *clients);
    latencies = calloc((size_t)client_count * epoch_count, sizeof *latencies);
    poller = epoll_create1(0);
    for (int i = 0; i < client_count; i++) {
        struct client *client = &clients[i];
        client->fd = connected(word[3]);
        if (client->fd < 0) continue;
        open_clients++;
        client->frame = malloc(FRAME);
        char end = frame_end;
        if (write(client->fd, word[4], strlen(word[4])) < 0 || write(client->fd, &end, 1) < 0) warn("hello");
        fcntl(client->fd, F_SETFL, O_NONBLOCK);
        struct epoll_event readable = {.events = EPOLLIN, .data.ptr = client};
        epoll_ctl(poller, EPOLL_CTL_ADD, client->fd, &readable);
        serve_until(0);
    }
    // Long enough for a daemon under callgrind to process every subscription.
    serve_until(now() + 3LL * SECOND);
    fcntl(terminal, F_SETFL, O_NONBLOCK);
    long long start = now();
    if (hertz > 0) play_paced(hertz, baud);
    else play_fast();
    // The last epoch ends only when no data follows: wait for it, 5 s at most.
    long long limit = now() + 5LL * SECOND;
    while (now() < limit && epochs[epoch_count - 1].received < open_clients) serve_until(now() + SECOND / 50);
    long long end = now();
    report((end - start) / (double)SECOND);
    return 0;
}
