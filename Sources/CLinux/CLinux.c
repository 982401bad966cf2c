#define _GNU_SOURCE
#include <link.h>
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

// The other functions of CLinux are inline, in its header.
// <link.h> wants _GNU_SOURCE, which a header cannot ask for.
#define PAGE_MASK (~(uintptr_t)4095)

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
