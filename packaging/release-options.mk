# How `make build` compiles and links the programs for release.

# Without debug information, which doubles the size of the programs, and which valgrind of Debian 12 cannot read (DWARF 5). The
# symbols stay. The same source gives the same programs in every folder: assertions in C++ headers name their file without
# the folder of the build, and the build ID is a hash of a section that `make install` clears.
reproducible = -Xlinker -S -Xcxx -ffile-prefix-map=$(CURDIR)/= -Xlinker --build-id=none
# Functions are resolved at the start, so that the table of their addresses is write-protected. One of several functions with the
# same code stays, and none that nothing refers to: the programs are 6 % smaller. Swift compares no addresses of functions.
# Relocations are packed if the C library of this machine can read them (since 2.36): 6 % smaller. The programs then need 2.36.
packed = $(if $(shell ldd --version | awk 'NR == 1 && $$NF >= 2.36'),-Xlinker -z -Xlinker pack-relative-relocs)
linking = -Xswiftc -Xclang-linker -Xswiftc -fuse-ld=lld -Xlinker -z -Xlinker now -Xlinker --gc-sections -Xlinker --icf=all $(packed)
# Each function in a section of its own, so that the linker can order them (packaging/sextantd.order). Package.swift cannot say
# so: other packages could then not depend on the libraries. No module uses regular expressions unasked: each program but
# sextant, whose Foundation needs them, is 1.8 MB smaller (Base/NMEA/Fields/ShortText.swift).
release_options = -c release --static-swift-stdlib $(reproducible) $(linking) $(addprefix -Xswiftc -Xfrontend -Xswiftc ,\
    -function-sections -disable-implicit-string-processing-module-import)
