// Runs one sequence of calls.c on the machine, cuts the power and prints what is left in /d.
// cut-power ROOT LIBRARY SEED MODE FAILING-SYNC PROGRAM SEQUENCES
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "machine.h"

static int is_name(const struct dirent *entry) { return entry->d_name[0] != '.'; }

static void print_file(const char *directory, const char *name) {
    char path[2 * PATH_MAX], bytes[64];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "r");
    size_t count = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    printf("%s=%.*s", name, (int)count, bytes);
    if (file) fclose(file);
}

static void print_directory(const char *directory) {
    struct dirent **entries = NULL;
    int count = scandir(directory, &entries, is_name, alphasort);
    for (int i = 0; i < count; i++) {
        if (i > 0) printf(" ");
        print_file(directory, entries[i]->d_name);
    }
    printf("%s\n", count == 0 ? "nothing" : "");
}

static void fail_sync(struct machine *machine, uint64_t number) {
    if (number == 0) return;
    machine->fault_count = 1;
    *machine_fault_at(machine, 0) = (struct machine_fault){
        .action = MACHINE_ACTION_FAIL, .call_class = MACHINE_CALL_SYNC, .error = EIO, .process = -1, .at_call = number,
        .end_time = MACHINE_NEVER };
}

int main(int count, char **arguments) {
    if (count != 8) return 2;
    const char *root = arguments[1];
    char path[PATH_MAX], directory[PATH_MAX];
    snprintf(path, sizeof path, "%s.machine", root);
    snprintf(directory, sizeof directory, "%s/d", root);
    mkdir(directory, 0700);
    struct machine *machine = machine_create(path, strtoull(arguments[3], NULL, 10));
    if (!machine) return 1;
    fail_sync(machine, strtoull(arguments[5], NULL, 10));
    const char *const environment[] = { NULL };
    machine_start(machine, 0, arguments[6], arguments[2], path, root, (const char *const *)arguments + 6, environment);
    int32_t state = machine_run(machine, 0);
    if (state != MACHINE_PROCESS_EXITED) fprintf(stderr, "state %d, %s\n", state, machine_message(machine, 0));
    machine_cut_power(machine, root, atoi(arguments[4]));
    print_directory(directory);
    return state != MACHINE_PROCESS_EXITED;
}
