// The simulated machine: one mapped file, shared by the world (a Swift program) and by the programs
// that run on the machine with the preloaded library `machine.so`.
//
// One of them runs at a time (`machine.turn`), so nothing here needs a lock. A program passes
// control to the world when it waits for events without any being ready, and when it ends. The
// world changes what it likes between two turns: time, channels, devices, users, faults.
//
// Every count and index is within the array that it belongs to; -1 means none. Times are
// nanoseconds.
#ifndef SIMULATED_MACHINE_LAYOUT_H
#define SIMULATED_MACHINE_LAYOUT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MACHINE_VERSION 7
#define MACHINE_PROCESSES 8
#define MACHINE_DESCRIPTORS 1024
#define MACHINE_CHANNELS 1024
#define MACHINE_LISTENERS 32
#define MACHINE_BACKLOG 128
#define MACHINE_TERMINALS 16
#define MACHINE_DEVICES 64
#define MACHINE_ATTRIBUTES 16
#define MACHINE_DEVICE_CHANGES 256
#define MACHINE_USERS 32
#define MACHINE_CHILDREN 16
#define MACHINE_SEGMENTS 4
#define MACHINE_SEGMENT_BYTES 4096
#define MACHINE_GROUPS 16
#define MACHINE_BUS_EVENTS 64
#define MACHINE_BUS_LOCKS 8
#define MACHINE_FAULTS 32
#define MACHINE_CALL_RECORDS 16384
#define MACHINE_RING_BYTES (256 * 1024)
#define MACHINE_PASSED 8
#define MACHINE_JOURNAL_BYTES (64 * 1024 * 1024)

/// The value of an `owner` that is the world; a process has its index.
#define MACHINE_WORLD (-1)
/// The value of `machine.turn` while the world runs; process p has p + 1.
#define MACHINE_TURN_WORLD 0
/// Values of `waits_for`: what is registered with an epoll descriptor, or nothing but time.
#define MACHINE_WAITS_FOR_EPOLL (-1)
#define MACHINE_WAITS_FOR_TIME (-2)
/// The value of a time that never comes.
#define MACHINE_NEVER INT64_MAX

#include "faults.h"

// MARK: Processes

enum machine_process_state {
    MACHINE_PROCESS_NONE = 0,
    /// The world has prepared it; it has not reached its first wait.
    MACHINE_PROCESS_RUNNING = 1,
    /// In epoll_wait or poll until `deadline`, with nothing ready when it began to wait.
    MACHINE_PROCESS_WAITING = 2,
    /// It has returned from main or called exit; `status` has the code.
    MACHINE_PROCESS_EXITED = 3,
    /// The library has killed it: `end` tells why. The world reaps it with waitpid(2).
    MACHINE_PROCESS_KILLED = 4,
};

enum machine_end_reason {
    MACHINE_END_NONE = 0,
    /// A fault of action MACHINE_ACTION_KILL.
    MACHINE_END_KILL = 1,
    /// A fault of action MACHINE_ACTION_POWER: the world cuts the power now.
    MACHINE_END_POWER = 2,
    /// A call that is not simulated, or a violated rule: `message` names it. A defect of the
    /// simulation, or of the program.
    MACHINE_END_UNEXPECTED = 3,
};

/// What a number of a process's descriptor table refers to.
enum machine_descriptor_kind {
    MACHINE_FREE = 0,
    /// A file of the run's root directory; `file` identifies it.
    MACHINE_FILE = 1,
    /// One end of a channel: a socket, a pipe or a terminal.
    MACHINE_CHANNEL = 2,
    MACHINE_LISTENER = 3,
    MACHINE_TIMER = 4,
    MACHINE_EPOLL = 5,
    MACHINE_SIGNALS = 6,
    /// eventfd(2); `value` is its count.
    MACHINE_COUNTER = 7,
    /// A socket that is not connected and does not listen.
    MACHINE_SOCKET = 8,
    MACHINE_DEVICE_MONITOR = 9,
    MACHINE_LOGIN_MONITOR = 10,
    /// A process: SO_PEERPIDFD. `value` is its ID.
    MACHINE_PROCESS_HANDLE = 11,
    /// /dev/urandom, /dev/null, the standard descriptors.
    MACHINE_OTHER = 12,
    /// inotify(7), without any event.
    MACHINE_NOTIFICATIONS = 13,
    /// A connection to the message bus. `value` is the next of its events, `interval` the number of
    /// replies on their way.
    MACHINE_BUS = 14,
};

struct machine_descriptor {
    int32_t kind;
    /// The index of the channel, listener or file; the clock of a timer.
    int32_t index;
    /// The end of the channel, 0 or 1.
    int32_t end;
    /// O_RDONLY to O_RDWR, and O_NONBLOCK.
    int32_t flags;
    /// What it is registered with: the number of the epoll descriptor, or -1.
    int32_t epoll;
    /// EPOLLIN etc., as registered. Edge-triggered registration aborts the run.
    uint32_t events;
    uint64_t data;
    /// The deadline of a timer by its own clock, the count of an eventfd, the signals of a
    /// signalfd, the next change of a device monitor, the process of a handle.
    int64_t value;
    /// The interval of a timer.
    int64_t interval;
};

struct machine_process {
    int32_t state;
    int32_t end;
    /// The ID that the program sees in getpid(2); the world chooses it.
    int32_t id;
    /// The ID in the real system, for kill(2) and waitpid(2).
    int32_t real_id;
    uint32_t user, group;
    uint32_t group_count;
    uint32_t groups[MACHINE_GROUPS];
    int32_t status;
    /// Signals that wait for a signalfd: bit (signal - 1). The world sets them.
    uint64_t signals;
    /// The number of the descriptor that it waits for, or one of MACHINE_WAITS_FOR_EPOLL and _TIME.
    int32_t waits_for;
    /// The earliest time at which it wakes without input, in monotonic time.
    int64_t deadline;
    /// RLIMIT_NOFILE: descriptors above fail with EMFILE. 1024 unless the world sets it.
    int32_t descriptor_limit;
    int32_t descriptor_count;
    /// How often it slept and woke.
    uint64_t wakeups;
    /// The same by what woke it: only time; lines, and perhaps time; anything else.
    uint64_t wakeups_by[3];
    /// How often it slept again after `wakeups_by[0]` without having done anything.
    uint64_t idle_wakeups;
    /// Calls of the system since its start.
    uint64_t calls;
    /// Gives control to the world also when events are ready, after so many calls of epoll_wait
    /// since its last turn. 0: only when nothing is ready.
    uint32_t yield_after;
    /// Bytes of its heap in use at the last wait (mallinfo2), if the world wants to know.
    int32_t wants_heap;
    uint64_t heap;
    /// The name in sd_peer_get_unit of a process that connects; "" for none.
    char unit[MACHINE_NAME];
    /// The socket's names of LISTEN_FDNAMES, as listeners of the world by index, from descriptor 3.
    int32_t passed_count;
    int32_t passed[8];
    char message[512];
#ifndef __swift__
    struct machine_descriptor descriptors[MACHINE_DESCRIPTORS];
#endif
};

// MARK: Channels

/// Bytes on their way. While it is empty, `start` is 0.
struct machine_ring {
    /// The number of bytes that fit: the send buffer of a socket (SO_SNDBUF), at most
    /// MACHINE_RING_BYTES.
    uint32_t capacity;
    uint32_t start, count;
    /// setsockopt(SO_SNDBUF) sets at most this as `capacity`.
    uint32_t limit;
    /// Bytes that have ever been put in and taken out.
    uint64_t total_in, total_out;
    /// The time at which bytes were last put in.
    int64_t written_at;
    /// Descriptors on their way, each with the bytes from position `passed_from` until before
    /// `passed_until` (as `total_in`). A read ends after these bytes.
    uint32_t passed_count;
    uint64_t passed_from[MACHINE_PASSED], passed_until[MACHINE_PASSED];
    int32_t passed_channel[MACHINE_PASSED];
    int32_t passed_end[MACHINE_PASSED];
};

enum machine_channel_kind {
    MACHINE_CHANNEL_NONE = 0,
    MACHINE_UNIX_STREAM = 1,
    MACHINE_UNIX_DATAGRAM = 2,
    MACHINE_TCP = 3,
    MACHINE_UDP = 4,
    MACHINE_TERMINAL = 5,
    MACHINE_PIPE = 6,
};

struct machine_channel_end {
    /// MACHINE_WORLD or the index of a process.
    int32_t owner;
    /// How many descriptors refer to it; 0 is closed. The world counts as one.
    int32_t references;
    /// O_NONBLOCK, which a passed descriptor keeps.
    int32_t flags;
    /// It sends no more: shutdown(SHUT_WR).
    int32_t is_write_shut;
    /// An error that the next read or write of this end reports once, as ECONNRESET.
    int32_t error;
    /// What the other end sees of this one: SO_PEERCRED, SO_PEERGROUPS, sd_peer_get_unit.
    int32_t process_id;
    /// Whether the process that connected lives: SO_PEERPIDFD.
    int32_t is_alive;
    uint32_t user, group;
    uint32_t group_count;
    uint32_t groups[MACHINE_GROUPS];
    char unit[MACHINE_NAME];
    char user_unit[MACHINE_NAME];
};

struct machine_channel {
    int32_t kind;
    /// The terminal of this channel, or -1.
    int32_t terminal;
    /// The entry with the address of a socket for datagrams, or -1.
    int32_t listener;
    /// Whether the connection was accepted; bytes can be sent before.
    int32_t is_accepted;
    /// Whether connect(2) of a TCP socket is under way (EINPROGRESS); the world clears it.
    int32_t is_connecting;
    struct machine_channel_end ends[2];
    /// `to[e]` has the bytes on their way to end e. Datagrams have 4 bytes of length before them.
    struct machine_ring to[2];
};

struct machine_listener {
    /// MACHINE_WORLD, a process, or -2 if this entry is free. The world's listeners of a service
    /// that is started on demand are passed to it (`passed`).
    int32_t owner;
    int32_t kind;
    int32_t is_listening;
    /// The most connections that wait, of listen(2).
    int32_t backlog;
    int32_t start, count;
    /// Connections that wait for accept(2), as channels whose end 1 is this side. A socket for
    /// datagrams has its own channel here, whose end 0 is the process.
    int32_t waiting[MACHINE_BACKLOG];
    int32_t references;
    /// A path below the root, or "tcp:ADDRESS:PORT".
    char address[MACHINE_PATH];
    /// The name in LISTEN_FDNAMES.
    char name[MACHINE_NAME];
};

/// A serial line. Its channel has end 0 for the world (the receiver) and end 1 for programs.
struct machine_terminal {
    int32_t is_present;
    int32_t channel;
    /// Bits per second that the program has set. The world makes garbage of bytes at another speed.
    int32_t speed;
    /// Speeds above are refused with EINVAL; 0 for no limit.
    int32_t max_speed;
    int32_t is_exclusive;
    /// The process that holds flock(2), or -1.
    int32_t lock_owner;
    /// Open descriptors. The world may count itself as another program's (a lock_owner of -2).
    int32_t open_count;
    /// Unplugged: reads return 0, writes fail with EIO, until it is closed and opened again.
    int32_t is_hung_up;
    uint32_t major, minor;
    /// errno of the next opens, or 0.
    int32_t open_error;
    uint32_t flushes, speed_changes;
    char path[MACHINE_NAME];
};

// MARK: Devices, users

struct machine_attribute {
    char name[MACHINE_NAME];
    char value[MACHINE_PATH];
};

struct machine_device {
    int32_t is_present;
    int32_t is_initialized;
    /// The index of the parent device, or -1.
    int32_t parent;
    uint32_t major, minor;
    char path[MACHINE_PATH];
    char name[MACHINE_NAME];
    char subsystem[MACHINE_NAME];
    char type[MACHINE_NAME];
    char node[MACHINE_NAME];
    char driver[MACHINE_NAME];
    uint32_t property_count, attribute_count;
    struct machine_attribute properties[MACHINE_ATTRIBUTES];
    struct machine_attribute attributes[MACHINE_ATTRIBUTES];
};

struct machine_device_change {
    int32_t device;
    /// "add", "remove", "change".
    char action[16];
};

enum machine_user_state {
    MACHINE_USER_OFFLINE = 0,
    MACHINE_USER_ONLINE = 1,
    MACHINE_USER_ACTIVE = 2,
    /// Without a session, but with services of the user.
    MACHINE_USER_LINGERING = 3,
};

struct machine_user {
    int32_t is_present;
    uint32_t user, group;
    int32_t state;
    char name[MACHINE_NAME];
};

/// Shared memory of System V, which the world reads.
struct machine_segment {
    /// The key of shmget(2); 0 if this entry is free.
    int32_t key;
    uint32_t size;
    uint8_t bytes[MACHINE_SEGMENT_BYTES];
};

// MARK: The message bus

enum machine_bus_event_kind {
    /// logind announces a suspension, or its end.
    MACHINE_BUS_SLEEP = 1,
    MACHINE_BUS_RESUME = 2,
    /// logind has ended, or started.
    MACHINE_BUS_LOGIND_GONE = 3,
    MACHINE_BUS_LOGIND_CAME = 4,
    /// The bus has ended.
    MACHINE_BUS_ENDED = 5,
};

struct machine_bus_event {
    int32_t kind;
    /// The logind that it concerns.
    int32_t logind;
};

struct machine_bus {
    int32_t is_present;
    /// The number of the logind that runs, which tells it from earlier ones; 0 while none runs.
    int32_t logind;
    uint64_t count;
    struct machine_bus_event events[MACHINE_BUS_EVENTS];
    /// The channels of the locks that delay a suspension, each plus 1; 0 for none.
    int32_t locks[MACHINE_BUS_LOCKS];
};

// MARK: The machine

struct machine {
    uint32_t version;
    /// Who runs (futex): MACHINE_TURN_WORLD, or the index of a process + 1.
    uint32_t turn;
    /// sizeof(struct machine), to find a library of another layout.
    uint64_t size;
    /// Whether call records are written. Their hash is always computed.
    uint32_t is_tracing;

    /// CLOCK_MONOTONIC. Each reading of a clock adds `reading_cost`, each wait `wait_cost`.
    int64_t now;
    /// CLOCK_BOOTTIME and CLOCK_REALTIME minus `now`. After a change of `realtime_offset` add 1 to
    /// `clock_steps`, so that timers with TFD_TIMER_CANCEL_ON_SET notice.
    int64_t boottime_offset, realtime_offset;
    uint64_t clock_steps;
    int64_t reading_cost, wait_cost;
    /// While nothing else can happen before this time, a process that waits alone goes on at its
    /// own deadline without a turn of the world. 0: each wait is a turn.
    int64_t world_deadline;
    /// Whether a process has sent, closed, shut, connected or accepted something since the world's
    /// last turn, so that the world gets the next one.
    int32_t has_output;
    /// Whether descriptors that are ready together are reported in random order instead of
    /// ascending.
    int32_t is_order_random;

    /// The state of the generator for faults and random bytes; not 0.
    uint64_t random;
    /// The hash of all calls with their results, of all processes, since the start of the run.
    uint64_t hash;
    uint64_t calls[MACHINE_CALL_CLASSES];

    /// f_bavail of statvfs(3) times the block size; writes beyond fail with ENOSPC. -1 for no
    /// limit.
    int64_t free_bytes;
    int32_t is_read_only;
    int32_t fault_count;

    /// Whether a udev daemon runs: /run/udev/control exists.
    int32_t has_udev;
    int32_t has_logind;
    /// Changes for device monitors, counted since the start; the last ones are kept.
    uint64_t device_change_count;
    /// Counts changes of users' states, for login monitors.
    uint64_t login_changes;
    int32_t next_id;
    /// The number of entries of `channels` that have ever been used.
    int32_t channel_count;

    uint32_t record_count, lost_records;
    /// Changes of files and names that a power cut may undo; see journal.h.
    uint64_t journal_count, journal_end;
    /// The number of its entries now.
    uint64_t journal_entries;
    struct machine_bus bus;
    /// Whether the kernel calls the clock synchronized.
    int32_t is_synchronized;

    // Swift gets what is in these by functions: its compiler needs 14 GB for so large arrays.
#ifndef __swift__
    struct machine_fault faults[MACHINE_FAULTS];
    struct machine_process processes[MACHINE_PROCESSES];
    struct machine_listener listeners[MACHINE_LISTENERS];
    struct machine_terminal terminals[MACHINE_TERMINALS];
    struct machine_device devices[MACHINE_DEVICES];
    struct machine_device_change device_changes[MACHINE_DEVICE_CHANGES];
    struct machine_user users[MACHINE_USERS];
    struct machine_user groups[MACHINE_USERS];
    struct machine_child children[MACHINE_CHILDREN];
    struct machine_segment segments[MACHINE_SEGMENTS];
    struct machine_channel channels[MACHINE_CHANNELS];
    struct machine_text text;
    struct machine_call_record records[MACHINE_CALL_RECORDS];
    uint8_t journal[MACHINE_JOURNAL_BYTES];
    uint8_t ring_bytes[MACHINE_CHANNELS][2][MACHINE_RING_BYTES];
#endif
};
#endif
