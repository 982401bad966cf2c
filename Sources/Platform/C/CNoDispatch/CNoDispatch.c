#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

// The daemon never runs anything concurrently, yet libdispatch would be linked into it: swift-log and ArgumentParser name types of Swift's
// concurrency, whose executors name the functions below. It is 72 kB of private memory in every process, for a table of queue attributes
// that is relocated at start.
//
// So the names are taken here, and the library stays out of a program that is linked statically. Should anything start a Task all the same,
// the daemon ends at once and says why, where otherwise it would wake every second for ever.
//
// Hidden: in a program linked dynamically nobody sees them, and Swift's own libraries go on using libdispatch. Weak: where libdispatch is
// linked for another reason, its own hold.
#define STAND_IN __attribute__((weak, visibility("hidden")))
#define REFUSED(name) \
    STAND_IN void name(void) { refuse(); }

static _Noreturn void refuse(void) {
    static const char words[] = "sextantd: a task was started, and the service is linked without Dispatch\n";
    if (write(STDERR_FILENO, words, sizeof words - 1) < 0) abort();
    abort();
}

// Objects of libdispatch; only their addresses are taken.
STAND_IN char _dispatch_main_q[64];
STAND_IN const char _dispatch_queue_attr_concurrent[64] = {0};
STAND_IN const char _dispatch_source_type_timer[64] = {0};

// There is one thread, and it is the main one.
STAND_IN void dispatch_assert_queue(void *queue) { (void)queue; }

REFUSED(dispatch_activate)
REFUSED(dispatch_after_f)
REFUSED(dispatch_async_f)
REFUSED(dispatch_main)
REFUSED(dispatch_queue_attr_make_with_qos_class)
REFUSED(dispatch_queue_create)
REFUSED(dispatch_queue_set_width)
REFUSED(dispatch_release)
REFUSED(dispatch_set_context)
REFUSED(dispatch_source_create)
REFUSED(dispatch_source_set_event_handler_f)
REFUSED(dispatch_source_set_timer)
REFUSED(dispatch_walltime)
