// Faults that the library injects, and what it records of calls. See layout.h.
#ifndef SIMULATED_MACHINE_FAULTS_H
#define SIMULATED_MACHINE_FAULTS_H
#include <stdint.h>

#define MACHINE_PATH 256
#define MACHINE_NAME 64
#define MACHINE_TEXT_BYTES (1024 * 1024)

/// Classes of calls, for faults and counts.
enum machine_call_class {
    MACHINE_CALL_READ = 0,       // read, pread of a file
    MACHINE_CALL_WRITE = 1,      // write, pwrite, ftruncate of a file
    MACHINE_CALL_SYNC = 2,       // fsync, fdatasync, also of a directory
    MACHINE_CALL_OPEN = 3,       // open of a file or directory, opendir
    MACHINE_CALL_NAME = 4,       // rename, unlink, mkdir, symlink, chmod
    MACHINE_CALL_STATUS = 5,     // stat, access, statvfs, readlink
    MACHINE_CALL_SEND = 6,       // send, write of a socket
    MACHINE_CALL_RECEIVE = 7,    // recv, read of a socket
    MACHINE_CALL_ACCEPT = 8,
    MACHINE_CALL_CONNECT = 9,
    MACHINE_CALL_LINE_OPEN = 10, // open of a terminal
    MACHINE_CALL_LINE_READ = 11,
    MACHINE_CALL_LINE_WRITE = 12,
    MACHINE_CALL_LINE_SET = 13,  // tcsetattr, tcflush, ioctl
    MACHINE_CALL_LOCK = 14,      // flock, fcntl(F_SETLK)
    MACHINE_CALL_SPAWN = 15,
    MACHINE_CALL_WAIT = 16,      // epoll_wait
    MACHINE_CALL_OTHER = 17,     // the rest; never fails
    MACHINE_CALL_CLASSES = 18,
};

enum machine_fault_action {
    MACHINE_ACTION_NONE = 0,
    /// The call fails with `error`. A sync that fails forgets what it should have written.
    MACHINE_ACTION_FAIL = 1,
    /// The call transfers only a random part of the bytes, at least one.
    MACHINE_ACTION_SHORT = 2,
    /// The process ends before the call (kill -9).
    MACHINE_ACTION_KILL = 3,
    /// As MACHINE_ACTION_KILL, with MACHINE_END_POWER.
    MACHINE_ACTION_POWER = 4,
    /// The call takes `latency`.
    MACHINE_ACTION_SLOW = 5,
    /// A read succeeds with one flipped bit.
    MACHINE_ACTION_FLIP = 6,
    /// A write or a sync is done, and then the process ends.
    MACHINE_ACTION_KILL_AFTER = 7,
    /// A sync succeeds and does nothing: a deliberate break.
    MACHINE_ACTION_LOSE = 8,
};

/// A fault that the library injects. Each call of the class meets the entries in order, and the
/// first that fires decides.
struct machine_fault {
    int32_t action;
    /// enum machine_call_class, or -1 for every class that can fail.
    int32_t call_class;
    /// The errno of MACHINE_ACTION_FAIL.
    int32_t error;
    /// Only calls of this process; -1 for all.
    int32_t process;
    /// How often it fires per 2^32 calls; ignored if `at_call` is not 0.
    uint32_t rate;
    /// Fires at this call, counted as `seen` from 1, and at no other. 0: by `rate`.
    uint64_t at_call;
    /// Fires at most so often; 0 for no limit.
    uint64_t limit;
    int64_t latency;
    /// Active from `begin` until before `end`, in monotonic time.
    int64_t begin, end_time;
    /// Only paths that contain this; "" for all.
    char path[MACHINE_NAME];
    /// Matching calls while it was active, and how often it fired. Written by the library.
    uint64_t seen, fired;
};

/// One call of a program.
struct machine_call_record {
    int64_t time;
    int64_t result;
    /// The descriptor, or -1.
    int32_t descriptor;
    /// errno of a failed call, else 0.
    int32_t error;
    int16_t process;
    /// enum machine_call_class.
    int16_t call_class;
    /// Whether a fault was injected: enum machine_fault_action.
    int16_t fault;
    int16_t reserved;
    char call[16];
    /// The end of the path or of the device, or the first bytes that were transferred.
    char detail[40];
};

/// Texts of programs, in order. The world empties it (`count` = 0) after each turn; what does not
/// fit is counted and lost. Each begins with struct machine_text_head and is padded to 8 bytes.
struct machine_text {
    uint32_t count, lost;
    uint8_t bytes[MACHINE_TEXT_BYTES];
};

enum machine_text_kind {
    /// sd_notify: lines "NAME=VALUE".
    MACHINE_TEXT_NOTIFY = 1,
    /// sd_journal_sendv: lines "FIELD=VALUE".
    MACHINE_TEXT_JOURNAL = 2,
    /// Bytes of standard output or error.
    MACHINE_TEXT_OUTPUT = 3,
    /// posix_spawn: the program and its arguments, one per line.
    MACHINE_TEXT_SPAWN = 4,
    /// A datagram: the address ("udp:ADDRESS:PORT" or a path) and its bytes, with a line break
    /// between.
    MACHINE_TEXT_DATAGRAM = 5,
};

struct machine_text_head {
    int64_t time;
    int32_t process;
    int32_t kind;
    /// Bytes that follow, without the padding.
    uint32_t length;
    uint32_t reserved;
};

/// A child of posix_spawn, which the world plays. Its descriptors are ends of channels.
struct machine_child {
    int32_t is_present;
    int32_t parent;
    int32_t id;
    /// Whether it has ended, with a status as of waitpid(2); the world sets both and SIGCHLD.
    int32_t has_ended;
    int32_t status;
    /// The channel and the end that it has as descriptor 0, 1, 2; -1 for none.
    int32_t channels[3];
    int32_t ends[3];
    /// The last signal that its parent sent to it.
    int32_t signal;
    char program[MACHINE_PATH];
};

#endif
