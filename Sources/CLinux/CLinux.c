#define _GNU_SOURCE
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

// CLinux is a shim of inline functions, but for this one.
// <link.h> wants _GNU_SOURCE, which a header cannot ask for.
#define PAGE_MASK (~(uintptr_t)4095)

static int release_segments(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size;
    (void)context;
    for (int at = 0; at < object->dlpi_phnum; at++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[at];
        if (segment->p_type != PT_LOAD || (segment->p_flags & PF_W) || !(segment->p_flags & PF_X)) continue;
        uintptr_t begin = (object->dlpi_addr + segment->p_vaddr) & PAGE_MASK;
        uintptr_t end = (object->dlpi_addr + segment->p_vaddr + segment->p_memsz) & PAGE_MASK;
        if (end > begin) madvise((void *)begin, end - begin, MADV_DONTNEED);
    }
    return 1;  // The program comes first; its libraries are shared with others.
}

void linux_release_code(void) { dl_iterate_phdr(release_segments, NULL); }
