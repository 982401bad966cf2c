// Users and groups, from the machine's tables. root always exists.
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "preload.h"

static const struct machine_user root = { .is_present = 1, .name = "root" };

static const struct machine_user *find(const struct machine_user *table, const char *name, uint32_t id, bool is_group) {
    attach();
    for (int i = 0; i < MACHINE_USERS; i++) {
        const struct machine_user *it = &table[i];
        if (!it->is_present) continue;
        if (name ? strcmp(it->name, name) == 0 : (is_group ? it->group : it->user) == id) return it;
    }
    bool is_root = name ? strcmp(name, root.name) == 0 : id == 0;
    return is_root ? &root : NULL;
}

static struct passwd *describe_user(const struct machine_user *user) {
    static struct passwd entry;
    static char home[MACHINE_PATH];
    if (!user) return NULL;
    snprintf(home, sizeof home, "/home/%s", user->name);
    entry = (struct passwd){ .pw_name = (char *)user->name, .pw_passwd = "x", .pw_uid = user->user,
                             .pw_gid = user->group, .pw_gecos = "", .pw_dir = home, .pw_shell = "/bin/sh" };
    return &entry;
}

static struct group *describe_group(const struct machine_user *group) {
    static struct group entry;
    static char *members[1];
    if (!group) return NULL;
    entry = (struct group){
        .gr_name = (char *)group->name, .gr_passwd = "x", .gr_gid = group->group, .gr_mem = members };
    return &entry;
}

PUBLIC struct passwd *getpwnam(const char *name) { return describe_user(find(machine->users, name, 0, false)); }
PUBLIC struct passwd *getpwuid(uid_t id) { return describe_user(find(machine->users, NULL, id, false)); }
PUBLIC struct group *getgrnam(const char *name) { return describe_group(find(machine->groups, name, 0, true)); }
PUBLIC struct group *getgrgid(gid_t id) { return describe_group(find(machine->groups, NULL, id, true)); }

PUBLIC uid_t getuid(void) { return attach(), SELF->user; }
PUBLIC uid_t geteuid(void) { return attach(), SELF->user; }
PUBLIC gid_t getgid(void) { return attach(), SELF->group; }
PUBLIC gid_t getegid(void) { return attach(), SELF->group; }
PUBLIC pid_t getpid(void) { return attach(), SELF->id; }
PUBLIC pid_t getppid(void) { return 1; }
PUBLIC pid_t gettid(void) { return attach(), SELF->id; }

// MARK: Streams

/// /etc/passwd as a stream in memory.
static FILE *open_users(void) {
    static char text[MACHINE_USERS * 2 * MACHINE_NAME + 64];
    int length = snprintf(text, sizeof text, "root:x:0:0::/root:/bin/sh\n");
    for (int i = 0; i < MACHINE_USERS; i++) {
        const struct machine_user *user = &machine->users[i];
        if (user->is_present)
            length += snprintf(text + length, sizeof text - (size_t)length, "%s:x:%u:%u::/home/%s:/bin/sh\n",
                               user->name, user->user, user->group, user->name);
    }
    return fmemopen(text, (size_t)length, "r");
}

PUBLIC FILE *fopen(const char *path, const char *mode) {
    struct call call = begin_call(MACHINE_CALL_OPEN, "fopen", -1, path);
    FILE *(*real)(const char *, const char *) = real_function("fopen");
    bool is_own = strcmp(path, "/proc/self/maps") == 0;
    if (!is_own && strpbrk(mode, "wa+")) unexpected("fopen of %s for writing", path);
    FILE *stream = NULL;
    if (call_fails(&call)) stream = NULL;
    else if (strcmp(path, "/etc/passwd") == 0) stream = open_users();
    else stream = real(is_own ? path : real_path(path, true, 0), mode);
    end_call(&call, stream ? 0 : -1);
    return stream;
}

ALIAS("fopen") FILE *fopen64(const char *path, const char *mode);
