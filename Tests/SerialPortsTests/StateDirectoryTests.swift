import Glibc
import SystemCalls
import Testing

@Suite struct StateDirectoryTests {
    private func directory(mode: mode_t) throws -> String {
        var template = Array("/tmp/sextant-directory-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError(code: errno, operation: "creating a folder") }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        chmod(path, mode)
        return path
    }

    @Test(arguments: [mode_t(0o700), 0o755, 0o775, 0o1777])
    func `a directory of this user is accepted`(mode: mode_t) throws {
        let path = try directory(mode: mode)
        defer { rmdir(path) }
        try StateDirectory.check(path)
    }

    @Test func `directories of root, and those that do not exist, are accepted`() throws {
        try StateDirectory.check("/etc")
        try StateDirectory.check("/nonexistent/state")
    }

    @Test func `a directory in which every user may replace files is refused`() throws {
        let path = try directory(mode: 0o777)
        defer { rmdir(path) }
        #expect(throws: UntrustedDirectory(path: path, reason: .writable)) { try StateDirectory.check(path) }
    }

    /// Only root can give a directory to another user.
    @Test(.enabled(if: geteuid() == 0)) func `a directory of another user is refused`() throws {
        let path = try directory(mode: 0o755)
        defer { rmdir(path) }
        chown(path, 65534, 65534)
        #expect(throws: UntrustedDirectory(path: path, reason: .owner(65534))) { try StateDirectory.check(path) }
    }
}
