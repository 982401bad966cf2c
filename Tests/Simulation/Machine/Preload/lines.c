// Serial lines: opening, settings, locks.
#include <asm/ioctls.h>
#include <linux/serial.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <termios.h>

#include "preload.h"

static struct machine_terminal *line_of(int number) {
    const struct machine_descriptor *it = descriptor_of(number);
    if (!it) return NULL;
    if (it->kind == MACHINE_CHANNEL) {
        int32_t terminal = machine->channels[it->index].terminal;
        if (terminal >= 0) return &machine->terminals[terminal];
    }
    errno = ENOTTY;
    return NULL;
}

int open_terminal(struct call *call, int32_t index, int flags) {
    struct machine_terminal *terminal = &machine->terminals[index];
    if (call_fails(call) || !has_free_descriptor()) return -1;
    // Root may open a line that is claimed (tty_open_current_tty).
    int error = terminal->open_error;
    if (!error && terminal->is_exclusive && SELF->user != 0) error = EBUSY;
    if (error) {
        errno = error;
        return -1;
    }
    int number = new_end(terminal->channel, 1, flags & (O_ACCMODE | O_NONBLOCK));
    struct machine_channel_end *end = &machine->channels[terminal->channel].ends[1];
    end->references++;
    end->owner = self_index;
    terminal->open_count++;
    machine->has_output = 1;
    return number;
}

// MARK: Settings

static const struct { int32_t speed; speed_t constant; } speeds[] = {
    { 1200, B1200 }, { 2400, B2400 }, { 4800, B4800 }, { 9600, B9600 }, { 19200, B19200 }, { 38400, B38400 },
    { 57600, B57600 }, { 115200, B115200 }, { 230400, B230400 }, { 460800, B460800 }, { 500000, B500000 },
    { 576000, B576000 }, { 921600, B921600 }, { 1000000, B1000000 },
};
#define SPEED_COUNT (sizeof speeds / sizeof speeds[0])

static speed_t constant_of(int32_t speed) {
    for (size_t i = 0; i < SPEED_COUNT; i++)
        if (speeds[i].speed == speed) return speeds[i].constant;
    return B0;
}

static int32_t speed_of(speed_t constant) {
    for (size_t i = 0; i < SPEED_COUNT; i++)
        if (speeds[i].constant == constant) return speeds[i].speed;
    return 0;
}

PUBLIC int tcgetattr(int number, struct termios *settings) {
    struct call call = begin_call(MACHINE_CALL_LINE_SET, "tcgetattr", number, NULL);
    const struct machine_terminal *terminal = line_of(number);
    if (!terminal || call_fails(&call)) return (int)end_call(&call, -1);
    if (terminal->is_hung_up) {
        errno = EIO;
        return (int)end_call(&call, -1);
    }
    *settings = (struct termios){ .c_cflag = CS8 | CREAD | CLOCAL | HUPCL, .c_cc[VMIN] = 1 };
    cfsetspeed(settings, constant_of(terminal->speed));
    return (int)end_call(&call, 0);
}

static int apply(struct machine_terminal *terminal, const struct termios *settings) {
    int32_t speed = speed_of(cfgetospeed(settings));
    if (terminal->is_hung_up) return EIO;
    if (terminal->max_speed && speed > terminal->max_speed) return EINVAL;
    if (speed != terminal->speed) {
        terminal->speed = speed;
        terminal->speed_changes++;
        machine->has_output = 1;
    }
    return 0;
}

PUBLIC int tcsetattr(int number, int when, const struct termios *settings) {
    (void)when;
    struct call call = begin_call(MACHINE_CALL_LINE_SET, "tcsetattr", number, NULL);
    struct machine_terminal *terminal = line_of(number);
    if (!terminal || call_fails(&call)) return (int)end_call(&call, -1);
    int error = apply(terminal, settings);
    if (error) errno = error;
    return (int)end_call(&call, error ? -1 : 0);
}

PUBLIC int tcflush(int number, int queue) {
    struct call call = begin_call(MACHINE_CALL_LINE_SET, "tcflush", number, NULL);
    struct machine_terminal *terminal = line_of(number);
    if (!terminal || call_fails(&call)) return (int)end_call(&call, -1);
    if (queue != TCOFLUSH) machine_discard(machine, terminal->channel, 1);
    if (queue != TCIFLUSH) machine_discard(machine, terminal->channel, 0);
    terminal->flushes++;
    return (int)end_call(&call, 0);
}

PUBLIC int isatty(int number) { return line_of(number) != NULL; }

// MARK: ioctl, flock

static int readable_bytes(int number) {
    const struct machine_descriptor *it = &SELF->descriptors[number];
    return it->kind == MACHINE_CHANNEL ? (int)machine->channels[it->index].to[it->end].count : 0;
}

static int control(struct machine_terminal *terminal, unsigned long request, void *argument) {
    switch (request) {
    case TIOCEXCL: terminal->is_exclusive = 1; return 0;
    case TIOCNXCL: terminal->is_exclusive = 0; return 0;
    case TIOCGEXCL: *(int *)argument = terminal->is_exclusive; return 0;
    case TIOCMGET: *(int *)argument = TIOCM_DTR | TIOCM_RTS; return 0;
    case TIOCMSET: case TIOCMBIS: case TIOCMBIC: return 0;
    case TIOCGICOUNT: *(struct serial_icounter_struct *)argument = (struct serial_icounter_struct){ 0 }; return 0;
    default: unexpected("ioctl %#lx of a line", request);
    }
}

PUBLIC int ioctl(int number, unsigned long request, ...) {
    va_list list;
    va_start(list, request);
    void *argument = va_arg(list, void *);
    va_end(list);
    struct call call = begin_call(MACHINE_CALL_LINE_SET, "ioctl", number, NULL);
    if (!descriptor_of(number) || call_fails(&call)) return (int)end_call(&call, -1);
    if (request == FIONREAD) {
        *(int *)argument = readable_bytes(number);
        return (int)end_call(&call, 0);
    }
    struct machine_terminal *terminal = line_of(number);
    return (int)end_call(&call, terminal ? control(terminal, request, argument) : -1);
}

static int lock_line(struct machine_terminal *terminal, int operation) {
    if (operation & LOCK_UN) {
        if (terminal->lock_owner == self_index) terminal->lock_owner = -1;
        return 0;
    }
    if (terminal->lock_owner != -1 && terminal->lock_owner != self_index) return EWOULDBLOCK;
    terminal->lock_owner = self_index;
    return 0;
}

PUBLIC int flock(int number, int operation) {
    struct call call = begin_call(MACHINE_CALL_LOCK, "flock", number, path_of(number));
    struct machine_descriptor *it = descriptor_of(number);
    if (!it || call_fails(&call)) return (int)end_call(&call, -1);
    if (it->kind == MACHINE_FILE) return (int)end_call(&call, real_call(SYS_flock, number, operation));
    struct machine_terminal *terminal = line_of(number);
    int error = terminal ? lock_line(terminal, operation) : EINVAL;
    if (error) errno = error;
    return (int)end_call(&call, error ? -1 : 0);
}
