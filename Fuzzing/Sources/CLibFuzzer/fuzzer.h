#pragma once
#include <stddef.h>
#include <stdint.h>

// libFuzzer as a library (LLVM, "libFuzzer": Using libFuzzer as a library): our own main chooses what is fuzzed.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));
