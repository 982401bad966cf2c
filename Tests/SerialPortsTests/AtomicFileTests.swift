import Glibc
import Testing

@testable import SystemCalls

@Suite struct AtomicFileTests {
    private func temporaryFolder() throws -> String {
        var template = Array("/tmp/sextant-state-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError(code: errno, operation: "creating a folder") }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Without this order a power cut leaves an empty file under the final name, or the old one:
    /// then nobody knows that a receiver was put to sleep.
    @Test func `the contents are on disk before the file is renamed, and the name afterwards`() throws {
        let folder = try temporaryFolder()
        let path = folder + "/state"
        defer { unlink(path); rmdir(folder) }
        var order: [String] = []
        var calls = AtomicFile.Calls()
        calls.synchronize = { descriptor in
            var status = stat()
            _ = fstat(descriptor, &status)
            let isFolder = status.st_mode & S_IFMT == S_IFDIR
            order.append(isFolder ? "fsync of the folder" : "fsync of \(status.st_size) bytes")
            return fsync(descriptor)
        }
        calls.rename = { old, new in
            order.append("rename")
            return Glibc.rename(old, new)
        }
        try AtomicFile(path: path).replace(with: Array("asleep".utf8), using: calls)
        #expect(order == ["fsync of 6 bytes", "rename", "fsync of the folder"])
        #expect(try AtomicFile(path: path).contents() == Array("asleep".utf8))
    }

    @Test func `a link is replaced, not followed`() throws {
        let folder = try temporaryFolder()
        let (path, other) = (folder + "/state", folder + "/other")
        defer { for file in [path, other] { unlink(file) }; rmdir(folder) }
        try AtomicFile(path: other).replace(with: "of another user")
        symlink(other, path + ".new")
        try AtomicFile(path: path).replace(with: "new")
        #expect(try AtomicFile(path: other).contents() == Array("of another user".utf8))
        #expect(try AtomicFile(path: path).contents() == Array("new".utf8))
    }

    @Test func `a file that cannot be synchronized is not replaced`() throws {
        let folder = try temporaryFolder()
        let path = folder + "/state"
        defer { unlink(path); rmdir(folder) }
        try AtomicFile(path: path).replace(with: "old")
        var calls = AtomicFile.Calls()
        calls.synchronize = { _ in
            errno = EIO
            return -1
        }
        #expect(throws: SystemError.self) { try AtomicFile(path: path).replace(with: Array("new".utf8), using: calls) }
        #expect(try AtomicFile(path: path).contents() == Array("old".utf8))
        #expect(access(path + ".new", F_OK) != 0)
    }

    @Test func `files and directories that were read are closed`() throws {
        let folder = try temporaryFolder()
        let path = folder + "/state"
        defer { unlink(path); rmdir(folder) }
        try AtomicFile(path: path).replace(with: "a line\n")
        #expect(try AtomicFile(path: path).contents().count == 7 && SystemFile.firstLine(of: path) == "a line")
        let directory = FileDescriptor(owning: open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        #expect(try Directory.names(in: folder) == ["state"] && Directory.names(of: directory) == ["state"])
        // Other tests have other files open.
        let held = try Directory.names(in: "/proc/self/fd").filter { number in
            SystemFile.target(of: "/proc/self/fd/\(number)")?.hasPrefix(folder) == true
        }
        #expect(held == ["\(directory.number)"])
    }
}
