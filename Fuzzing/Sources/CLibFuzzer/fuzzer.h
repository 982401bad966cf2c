#pragma once
#include <stddef.h>
#include <stdint.h>

// libFuzzer as a library (LLVM, "Using libFuzzer as a library"): the main program of Fuzz selects the target.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));

/* Creates a file in memory (memfd_create(2)). <sys/mman.h> declares it only with _GNU_SOURCE. */
int memfd_create(const char *name, unsigned int flags);
