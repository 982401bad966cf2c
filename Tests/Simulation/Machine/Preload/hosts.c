// Names of hosts and of network interfaces, and shared memory of System V.
#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/shm.h>
#include <sys/socket.h>

#include "preload.h"

PUBLIC int gethostname(char *name, size_t capacity) {
    snprintf(name, capacity, "simulated");
    return 0;
}

/// A result with its address in one piece of memory.
struct found {
    struct addrinfo information;
    struct sockaddr_in address;
};

static struct addrinfo *describe(const char *host, const char *service, const struct addrinfo *hints) {
    char text[INET_ADDRSTRLEN];
    machine_host_address(host ? host : "localhost", text, sizeof text);
    struct found *found = calloc(1, sizeof *found);
    found->address = (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons((uint16_t)(service ? atoi(service) : 0)) };
    inet_pton(AF_INET, text, &found->address.sin_addr);
    found->information = (struct addrinfo){
        .ai_family = AF_INET, .ai_socktype = hints && hints->ai_socktype ? hints->ai_socktype : SOCK_STREAM,
        .ai_addrlen = sizeof found->address, .ai_addr = (struct sockaddr *)&found->address };
    return &found->information;
}

PUBLIC int getaddrinfo(const char *restrict host, const char *restrict service,
                       const struct addrinfo *restrict hints, struct addrinfo **restrict result) {
    struct call call = begin_call(MACHINE_CALL_CONNECT, "getaddrinfo", -1, host);
    if (call_fails(&call)) return (int)end_call(&call, EAI_AGAIN);
    *result = describe(host, service, hints);
    return (int)end_call(&call, 0);
}

PUBLIC void freeaddrinfo(struct addrinfo *result) { free(result); }

/// The machine has no network interface with a name, so none of a CAN bus either.
PUBLIC unsigned int if_nametoindex(const char *name) {
    struct call call = begin_call(MACHINE_CALL_OTHER, "if_nametoindex", -1, name);
    errno = ENODEV;
    return (unsigned int)end_call(&call, 0);
}

// MARK: Shared memory

PUBLIC int shmget(key_t key, size_t size, int flags) {
    (void)flags;
    struct call call = begin_call(MACHINE_CALL_OTHER, "shmget", key, NULL);
    for (int i = 0; i < MACHINE_SEGMENTS; i++) {
        struct machine_segment *segment = &machine->segments[i];
        if (segment->key != 0 && segment->key != key) continue;
        if (size > MACHINE_SEGMENT_BYTES) unexpected("shmget of %zu bytes", size);
        segment->key = key;
        segment->size = (uint32_t)size;
        return (int)end_call(&call, i);
    }
    errno = ENOSPC;
    return (int)end_call(&call, -1);
}

PUBLIC void *shmat(int number, const void *address, int flags) {
    (void)address, (void)flags;
    attach();
    return number >= 0 && number < MACHINE_SEGMENTS ? machine->segments[number].bytes : (void *)-1;
}

PUBLIC int shmdt(const void *address) { return (void)address, 0; }
