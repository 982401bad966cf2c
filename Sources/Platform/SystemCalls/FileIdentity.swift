import Glibc

/// Identifies the file at a path. A new file can have the same name, but not this pair while the
/// old one exists or is open.
package struct FileIdentity: Hashable, Sendable {
    private let device: UInt
    private let inode: UInt

    /// Reads the identity of the file at `path`; nil if there is none.
    ///
    /// - Parameter followsLink: Whether to identify the target of a symbolic link instead of the
    ///   link itself.
    package init?(path: String, followsLink: Bool = true) {
        var status = stat()
        guard (followsLink ? stat(path, &status) : lstat(path, &status)) == 0 else { return nil }
        device = UInt(status.st_dev)
        inode = UInt(status.st_ino)
    }
}
