// Limits, signals and children of the process, and direct system calls.
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload.h"

PUBLIC int getrlimit(__rlimit_resource_t resource, struct rlimit *limit) {
    attach();
    if (resource != RLIMIT_NOFILE) return (int)real_call(SYS_getrlimit, resource, limit);
    *limit = (struct rlimit){ .rlim_cur = (rlim_t)SELF->descriptor_limit, .rlim_max = (rlim_t)SELF->descriptor_limit };
    return 0;
}

PUBLIC int setrlimit(__rlimit_resource_t resource, const struct rlimit *limit) {
    (void)resource, (void)limit;
    return 0;
}

PUBLIC int prctl(int option, ...) {
    (void)option;
    return 0;
}

// MARK: inotify, which never reports anything

PUBLIC int inotify_init1(int flags) { return attach(), new_descriptor(MACHINE_NOTIFICATIONS, 0, flags & O_NONBLOCK); }

PUBLIC int inotify_add_watch(int number, const char *path, uint32_t events) {
    (void)path, (void)events;
    return descriptor_of(number) ? 1 : -1;
}

PUBLIC int inotify_rm_watch(int number, int watch) {
    (void)watch;
    return descriptor_of(number) ? 0 : -1;
}

// MARK: Children, which the world plays

static int32_t free_child(void) {
    for (int32_t i = 0; i < MACHINE_CHILDREN; i++)
        if (!machine->children[i].is_present) return i;
    return -1;
}

PUBLIC pid_t waitpid(pid_t id, int *status, int options) {
    struct call call = begin_call(MACHINE_CALL_OTHER, "waitpid", id, NULL);
    for (int32_t i = 0; i < MACHINE_CHILDREN; i++) {
        struct machine_child *child = &machine->children[i];
        if (!child->is_present || child->parent != self_index || (id > 0 && child->id != id)) continue;
        if (!child->has_ended && !(options & WNOHANG)) unexpected("waitpid without WNOHANG");
        if (!child->has_ended) return (pid_t)end_call(&call, 0);
        if (status) *status = child->status;
        child->is_present = 0;
        return (pid_t)end_call(&call, child->id);
    }
    errno = ECHILD;
    return (pid_t)end_call(&call, -1);
}

PUBLIC int kill(pid_t id, int signal) {
    struct call call = begin_call(MACHINE_CALL_OTHER, "kill", id, NULL);
    pid_t target = id < 0 ? -id : id;
    for (int32_t i = 0; i < MACHINE_CHILDREN; i++) {
        struct machine_child *child = &machine->children[i];
        if (!child->is_present || child->id != target) continue;
        if (signal) child->signal = signal;
        machine->has_output = 1;
        return (int)end_call(&call, 0);
    }
    errno = ESRCH;
    return (int)end_call(&call, -1);
}

/// The descriptors of a child, from the actions of posix_spawn that are recorded here.
static struct { int number, child; } copies[8];
static int copy_count;

PUBLIC int posix_spawn_file_actions_init(posix_spawn_file_actions_t *actions) {
    memset(actions, 0, sizeof *actions);
    copy_count = 0;
    return 0;
}

PUBLIC int posix_spawn_file_actions_destroy(posix_spawn_file_actions_t *actions) { return (void)actions, 0; }

PUBLIC int posix_spawn_file_actions_adddup2(posix_spawn_file_actions_t *actions, int number, int child) {
    (void)actions;
    if (copy_count == 8) return ENOMEM;
    copies[copy_count].number = number;
    copies[copy_count++].child = child;
    return 0;
}

static void give_descriptors(struct machine_child *child) {
    for (int i = 0; i < 3; i++) child->channels[i] = -1;
    for (int i = 0; i < copy_count; i++) {
        const struct machine_descriptor *it = descriptor_of(copies[i].number);
        if (!it || it->kind != MACHINE_CHANNEL || copies[i].child > 2) continue;
        child->channels[copies[i].child] = it->index;
        child->ends[copies[i].child] = it->end;
        machine->channels[it->index].ends[it->end].references++;
    }
}

PUBLIC int posix_spawn(pid_t *id, const char *program, const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *attributes, char *const arguments[], char *const environment[]) {
    (void)actions, (void)attributes, (void)environment;
    struct call call = begin_call(MACHINE_CALL_SPAWN, "posix_spawn", -1, program);
    int32_t index = free_child();
    if (call_fails(&call)) return (int)end_call(&call, call.error);
    if (index < 0) return (int)end_call(&call, EAGAIN);
    struct machine_child *child = &machine->children[index];
    *child = (struct machine_child){ .is_present = 1, .parent = self_index, .id = machine->next_id++ };
    machine_set_text(child->program, sizeof child->program, program);
    give_descriptors(child);
    char text[1024] = "";
    for (int i = 0; arguments[i]; i++) {
        strncat(text, arguments[i], sizeof text - strlen(text) - 2);
        strcat(text, "\n");
    }
    add_text(MACHINE_TEXT_SPAWN, text, strlen(text));
    *id = child->id;
    return (int)end_call(&call, 0);
}

// MARK: System calls

PUBLIC long syscall(long number, ...) {
    va_list list;
    va_start(list, number);
    long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long);
    long d = va_arg(list, long), e = va_arg(list, long), f = va_arg(list, long);
    va_end(list);
    if (number == SYS_getrandom) {
        attach();
        fill_random((void *)a, (size_t)b);
        return b;
    }
    if (number == SYS_gettid || number == SYS_getpid) return getpid();
    if (number != SYS_futex) unexpected("syscall %ld", number);
    return real_call(number, a, b, c, d, e, f);
}
