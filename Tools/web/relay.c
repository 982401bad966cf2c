// relay: the least program that passes updates from a daemon to viewers, for Tools/web/figures.py. It shows what the kernel alone takes:
// one epoll_wait, one recv, and one send for each viewer.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>

enum { LISTENER = 3, MAX_VIEWERS = 64 };

static void watch(int queue, int descriptor) {
    struct epoll_event event = { .events = EPOLLIN, .data.fd = descriptor };
    epoll_ctl(queue, EPOLL_CTL_ADD, descriptor, &event);
}

static int ask(const char *path) {
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    int daemon = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(daemon, (struct sockaddr *)&address, sizeof address) != 0 || send(daemon, "Subscribe", 9, MSG_NOSIGNAL) != 9) {
        perror(path);
        exit(1);
    }
    return daemon;
}

int main(int count, char **arguments) {
    static char input[65536], output[65536 + 64];
    static const char greeting[] = "HTTP/1.1 200 OK\r\n\r\nevent: hello\ndata: {}\n\n", name[] = "event: location\ndata: ";
    const char *path = "";
    for (int index = 1; index + 1 < count; index++)
        if (strcmp(arguments[index], "--socket") == 0) path = arguments[index + 1];
    int viewers[MAX_VIEWERS], viewer_count = 0, daemon = -1, queue = epoll_create1(0);
    watch(queue, LISTENER);
    for (struct epoll_event event;;) {
        if (epoll_wait(queue, &event, 1, -1) != 1) continue;
        if (event.data.fd == LISTENER) {
            int viewer = accept(LISTENER, NULL, NULL);
            if (viewer < 0 || viewer_count == MAX_VIEWERS || recv(viewer, input, sizeof input, 0) <= 0) return 1;
            send(viewer, greeting, sizeof greeting - 1, MSG_NOSIGNAL);
            viewers[viewer_count++] = viewer;
            if (daemon < 0) watch(queue, daemon = ask(path));
        } else {
            ssize_t length = recv(daemon, input, sizeof input, MSG_DONTWAIT);
            if (length <= 0) return 0;
            memcpy(output, name, sizeof name - 1);
            memcpy(output + sizeof name - 1, input, (size_t)length);
            // The end of a message becomes that of an event.
            memcpy(output + sizeof name - 1 + length - 1, "\n\n", 2);
            for (int index = 0; index < viewer_count; index++)
                send(viewers[index], output, sizeof name - 1 + (size_t)length + 1, MSG_DONTWAIT | MSG_NOSIGNAL);
        }
    }
}
