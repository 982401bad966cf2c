#define _GNU_SOURCE
#include <link.h>
#include <linux/can.h>
#include <linux/can/raw.h>
#include <linux/gpio.h>
#include <linux/iio/events.h>
#include <linux/input.h>
#include <malloc.h>
#include <net/if.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/timex.h>

#include "CLinux.h"

// Short functions are inline, in the header. <link.h> and pipe2(2) need _GNU_SOURCE, which a header cannot ask for.
#define PAGE_MASK (~(uintptr_t)4095)

int64_t linux_clock_maximum_error(int64_t max_offset) {
    struct timex clock = { .modes = 0 };
    int state = adjtimex(&clock);
    if (state < 0) return -1;
    errno = 0;
    int64_t offset = clock.status & STA_NANO ? clock.offset / 1000 : clock.offset;
    bool is_settled = -max_offset <= offset && offset <= max_offset;
    return state == TIME_ERROR || (clock.status & STA_UNSYNC) || !is_settled ? -1 : clock.maxerror;
}

static int release_segments(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size;
    (void)context;
    for (int at = 0; at < object->dlpi_phnum; at++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[at];
        if (segment->p_type != PT_LOAD || (segment->p_flags & PF_W)) continue;
        uintptr_t begin = (object->dlpi_addr + segment->p_vaddr) & PAGE_MASK;
        uintptr_t end = (object->dlpi_addr + segment->p_vaddr + segment->p_memsz) & PAGE_MASK;
        if (end > begin) madvise((void *)begin, end - begin, MADV_DONTNEED);
    }
    return 1;  // The program comes first; its libraries are shared with others.
}

// Of the stack what lies this far below the present frame at most. The kernel keeps 1 MiB beneath a stack free of other mappings, so nothing
// else is there, and what is not mapped is passed over.
#define STACK_DEPTH (256 * 1024)

__attribute__((noinline)) static void release_stack(void) {
    uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
    // A page beneath the frame is left: this function's own, and the red zone.
    uintptr_t end = (frame & PAGE_MASK) - 4096;
    madvise((void *)(end - STACK_DEPTH), STACK_DEPTH, MADV_DONTNEED);
}

void linux_release_memory(void) {
    malloc_trim(0);
    release_stack();
    dl_iterate_phdr(release_segments, NULL);
}

int linux_pipe(int ends[2]) { return pipe2(ends, O_NONBLOCK | O_CLOEXEC); }

struct sockaddr_storage linux_internet_address(const char *host, uint16_t port) {
    struct sockaddr_storage address = { .ss_family = AF_UNSPEC };
    struct sockaddr_in *four = (struct sockaddr_in *)&address;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)&address;
    if (inet_pton(AF_INET, host, &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = htons(port);
    } else if (inet_pton(AF_INET6, host, &six->sin6_addr) == 1) {
        six->sin6_family = AF_INET6;
        six->sin6_port = htons(port);
    }
    return address;
}

int linux_tcp_listener(const struct sockaddr_storage *address) {
    int descriptor = socket(address->ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -1;
    const int on = 1;
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (address->ss_family == AF_INET6) setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    if (bind(descriptor, (const struct sockaddr *)address, linux_internet_address_length(address)) != 0 ||
        listen(descriptor, SOMAXCONN) != 0) {
        int reason = errno;
        close(descriptor);
        errno = reason;
        return -1;
    }
    return descriptor;
}

int linux_tcp_connect(const struct sockaddr_storage *address) {
    int descriptor = socket(address->ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -1;
    if (connect(descriptor, (const struct sockaddr *)address, linux_internet_address_length(address)) != 0 &&
        errno != EINPROGRESS) {
        int reason = errno;
        close(descriptor);
        errno = reason;
        return -1;
    }
    return descriptor;
}

int linux_udp_listener(const struct sockaddr_storage *address) {
    int descriptor = socket(address->ss_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -1;
    const int on = 1;
    const struct sockaddr_in *four = (const struct sockaddr_in *)address;
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)address;
    int result = 0;
    if (address->ss_family == AF_INET6) setsockopt(descriptor, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    if (address->ss_family == AF_INET && IN_MULTICAST(ntohl(four->sin_addr.s_addr))) {
        const struct ip_mreqn group = { .imr_multiaddr = four->sin_addr };
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        result = setsockopt(descriptor, IPPROTO_IP, IP_ADD_MEMBERSHIP, &group, sizeof group);
    } else if (address->ss_family == AF_INET6 && IN6_IS_ADDR_MULTICAST(&six->sin6_addr)) {
        const struct ipv6_mreq group = { .ipv6mr_multiaddr = six->sin6_addr };
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        result = setsockopt(descriptor, IPPROTO_IPV6, IPV6_ADD_MEMBERSHIP, &group, sizeof group);
    }
    if (result != 0 || bind(descriptor, (const struct sockaddr *)address, linux_internet_address_length(address)) != 0) {
        int reason = errno;
        close(descriptor);
        errno = reason;
        return -1;
    }
    return descriptor;
}

ssize_t linux_udp_receive(int descriptor, void *bytes, size_t count, uint8_t source[LINUX_SOURCE_SIZE]) {
    struct sockaddr_storage sender = { 0 };
    socklen_t length = sizeof sender;
    ssize_t received = recvfrom(descriptor, bytes, count, MSG_DONTWAIT, (struct sockaddr *)&sender, &length);
    if (received < 0) return received;
    const struct sockaddr_in *four = (const struct sockaddr_in *)&sender;
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&sender;
    memset(source, 0, LINUX_SOURCE_SIZE);
    if (sender.ss_family == AF_INET) memcpy(source, &four->sin_addr, sizeof four->sin_addr);
    else memcpy(source, &six->sin6_addr, sizeof six->sin6_addr);
    return received;
}

// The bits of a mask for the codes of any type of input events; KEY_MAX is the largest code.
#define INPUT_MASK_SIZE (KEY_MAX / 8 + 1)

static int set_input_mask(int device, uint32_t type, uint16_t bit) {
    uint8_t bits[INPUT_MASK_SIZE] = { 0 };
    if (bit > KEY_MAX) { errno = EINVAL; return -1; }
    bits[bit / 8] = (uint8_t)(1 << bit % 8);
    struct input_mask mask = { .type = type, .codes_size = sizeof bits, .codes_ptr = (uintptr_t)bits };
    return ioctl(device, EVIOCSMASK, &mask);
}

// The mask of EV_SYN is that of the types.
int linux_input_select(int device, uint16_t type, uint16_t code) {
    return set_input_mask(device, type, code) == 0 ? set_input_mask(device, EV_SYN, type) : -1;
}

int linux_input_label(int device, char *text, size_t size) {
    char name[128] = "", place[128] = "";
    if (ioctl(device, EVIOCGNAME(sizeof name - 1), name) < 0) return -1;
    ioctl(device, EVIOCGPHYS(sizeof place - 1), place);  // Not every device has a place.
    return snprintf(text, size, "%s %s", name, place);
}

int linux_gpio_label(int chip, char *text, size_t size) {
    struct gpiochip_info information = { 0 };
    if (ioctl(chip, GPIO_GET_CHIPINFO_IOCTL, &information) != 0) return -1;
    return snprintf(text, size, "%.31s", information.label);
}

static int without_waiting(int descriptor) {
    return fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0 ? descriptor : -1;
}

int linux_gpio_events(int chip, uint32_t line) {
    struct gpio_v2_line_request request = { .offsets = { line }, .consumer = "sextant", .num_lines = 1 };
    request.config.flags = GPIO_V2_LINE_FLAG_INPUT | GPIO_V2_LINE_FLAG_EDGE_RISING | GPIO_V2_LINE_FLAG_EDGE_FALLING;
    request.config.num_attrs = 1;
    request.config.attrs[0].mask = 1;
    request.config.attrs[0].attr.id = GPIO_V2_LINE_ATTR_ID_DEBOUNCE;
    request.config.attrs[0].attr.debounce_period_us = 10000;
    return ioctl(chip, GPIO_V2_GET_LINE_IOCTL, &request) == 0 ? without_waiting(request.fd) : -1;
}

int linux_iio_events(int device) {
    int descriptor = -1;
    return ioctl(device, IIO_GET_EVENT_FD_IOCTL, &descriptor) == 0 ? without_waiting(descriptor) : -1;
}

int linux_can_socket(const char *interface) {
    struct sockaddr_can address = { .can_family = AF_CAN, .can_ifindex = (int)if_nametoindex(interface) };
    if (address.can_ifindex == 0) return -1;
    int descriptor = socket(PF_CAN, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, CAN_RAW);
    if (descriptor < 0) return -1;
    // Remote frames and frames of errors are no traffic of a running vehicle.
    const struct can_filter data = { .can_id = 0, .can_mask = CAN_RTR_FLAG };
    if (setsockopt(descriptor, SOL_CAN_RAW, CAN_RAW_FILTER, &data, sizeof data) != 0 ||
        bind(descriptor, (const struct sockaddr *)&address, sizeof address) != 0) {
        int reason = errno;
        close(descriptor);
        errno = reason;
        return -1;
    }
    return descriptor;
}
