// CLinux is a header-only shim; this file gives the target something to compile.
