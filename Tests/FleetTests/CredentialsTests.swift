import Glibc
import TestSupport
import Testing

@testable import Fleet

@Suite("Keys of sextant-fleet")
struct CredentialsTests {
    private func credentials(_ files: [String: String]) throws -> Credentials {
        let scratch = try Scratch()
        for (name, text) in files { try scratch.write(text, to: name) }
        return try Credentials(directory: scratch.path)
    }

    @Test func `a missing file and the placeholder of the unit are no key`() throws {
        let credentials = try credentials(["password": "-", "ca.pem": "-"])
        #expect(credentials.password == nil && credentials.authorities == nil && credentials.encryptionKey == nil)
        #expect(try Credentials(directory: "").password == nil)
    }

    @Test func `a password is the first line`() throws {
        let credentials = try credentials(["password": "-secret\r\nmore", "encryption-key": "k"])
        #expect(credentials.password == "-secret")
        #expect(credentials.encryptionKey == "k")
    }

    @Test(arguments: ["", "\n", "\nkey", String(repeating: "k", count: 1024)])
    func `a key that cannot be used is an error, so nothing is sent without encryption`(text: String) {
        #expect {
            try credentials(["encryption-key": text])
        } throws: { "\($0)".hasPrefix("the file encryption-key cannot be used: ") }
    }

    @Test func `a file that cannot be read is an error`() throws {
        let scratch = try Scratch()
        // A link to itself cannot be opened, not even by root.
        #expect(symlink("ca.pem", scratch("ca.pem")) == 0)
        #expect {
            try Credentials(directory: scratch.path)
        } throws: { "\($0)".hasPrefix("the file ca.pem cannot be used: Too many levels of symbolic links") }
    }

    @Test(arguments: [(EMFILE, 1), (ENFILE, 1), (ENOMEM, 1), (EIO, 1), (EACCES, 78), (EISDIR, 78)] as [(Int32, Int32)])
    func `the unit starts again only after a reason that passes`(code: Int32, status: Int32) {
        #expect(FleetError(reading: "key.pem", at: "/keys/key.pem", code: code).exitCode == status)
    }
}
