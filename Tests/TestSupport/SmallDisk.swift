import Glibc

/// A file system in memory that a test can fill; only root can mount it.
package final class SmallDisk {
    package let path: String
    /// The directory that contains the disk; it must not be removed before the disk.
    private let scratch: Scratch
    private let size: String

    /// Mounts a file system below a directory; nil without permission.
    package init?(in scratch: Scratch, name: String = "disk", megabytes: Int = 1) {
        self.scratch = scratch
        path = scratch(name)
        size = "size=\(megabytes)m"
        guard getuid() == 0, mkdir(path, 0o700) == 0, mount("none", path, "tmpfs", 0, size) == 0 else { return nil }
    }

    /// Whether this user may mount a file system.
    package static var isPossible: Bool {
        guard let scratch = try? Scratch() else { return false }
        return SmallDisk(in: scratch) != nil
    }

    package func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

    /// Makes the disk read-only or writable; returns whether it succeeded.
    package func setReadOnly(_ isReadOnly: Bool) -> Bool {
        let flags = MS_REMOUNT | (isReadOnly ? MS_RDONLY : 0)
        return mount("none", path, "tmpfs", UInt(flags), size) == 0
    }

    /// Covers the disk with a read-only view of itself; returns whether it succeeded. Open files
    /// can still be written, as after the kernel has made a file system read-only for an error.
    package func cover() -> Bool {
        guard mount(path, path, nil, UInt(MS_BIND), nil) == 0 else { return false }
        return mount("none", path, nil, UInt(MS_REMOUNT | MS_BIND | MS_RDONLY), nil) == 0
    }

    /// Ends the effect of ``cover()``; returns whether it succeeded.
    package func uncover() -> Bool { umount2(path, 0) == 0 }

    /// Writes until the disk is full.
    package func fill() {
        let number = open(self("filling"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        let block = [UInt8](repeating: 7, count: 4096)
        while write(number, block, block.count) > 0 {}
        close(number)
    }

    /// Removes what ``fill()`` has written.
    package func clear() { unlink(self("filling")) }

    deinit { umount2(path, Int32(MNT_DETACH)) }
}
