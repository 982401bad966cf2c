import Testing
import Varlink

@testable import Fleet

@Suite("Encrypted messages of OwnTracks")
struct EncryptionTests {
    /// Made with libsodium from Python: the key "correct horse", the nonce 0, 1, ... 23, and the
    /// text `{"_type":"cmd","action":"reportLocation"}`.
    private static let sealed = """
        AAECAwQFBgcICQoLDA0ODxAREhMUFRYXpqy3W/9Rd7vBX+4w1RAqdKwP6tI472fOl80wVMNI0LjZB6c5XPpZyfnaMwmbNbc3dbmCwMy6qHLC
        """

    private static func message(_ data: String) -> [UInt8] {
        (["_type": "encrypted", "data": .string(data)] as JSONValue).bytes
    }

    @Test func `a message is that of libsodium`() throws {
        let encryption = try OwnTracksEncryption(key: "correct horse")
        let key = Array("correct horse".utf8) + Array(repeating: 0, count: 19)
        let text = Array(#"{"_type":"cmd","action":"reportLocation"}"#.utf8)
        let message = encryption.encrypted(text, key: key, nonce: Array(0..<24))
        #expect(message == ["_type": "encrypted", "data": .string(EncryptionTests.sealed)])
        #expect(encryption.command(message.bytes) == .reportLocation)
    }

    @Test func `two messages have different nonces`() throws {
        let encryption = try OwnTracksEncryption(key: "k")
        let message: JSONValue = ["_type": "cmd", "action": "waypoints"]
        let (first, second) = (encryption.bytes(of: message), encryption.bytes(of: message))
        #expect(first != second)
        #expect(encryption.command(first) == .waypoints && encryption.command(second) == .waypoints)
    }

    @Test func `a command that the key does not open is refused`() throws {
        let other = try OwnTracksEncryption(key: "another key")
        let refusal = OwnTracksCommand.refused(
            action: "", reason: "the command is not encrypted with the key of this device")
        #expect(other.command(EncryptionTests.message(EncryptionTests.sealed)) == refusal)
        let encryption = try OwnTracksEncryption(key: "correct horse")
        let changed = String(EncryptionTests.sealed.dropLast(4)) + "AAAA"
        for data in ["", "AAAA", "not base64", changed, String(EncryptionTests.sealed.dropLast())] {
            #expect(encryption.command(EncryptionTests.message(data)) == refusal, "\(data)")
        }
        for text in [#"{"_type":"encrypted"}"#, String(repeating: "[", count: 1_000_000)] {
            guard case .refused = encryption.command(Array(text.utf8)) else {
                Issue.record("accepted: \(text.prefix(30))")
                continue
            }
        }
    }

    /// The server has no key, and could otherwise set fences.
    @Test func `with a key a plain command is refused`() throws {
        let plain = Array(#"{"_type":"cmd","action":"reportLocation"}"#.utf8)
        #expect(
            try OwnTracksEncryption(key: "k").command(plain)
                == .refused(action: "reportLocation", reason: "the command is not encrypted"))
        #expect(try OwnTracksEncryption(key: nil).command(plain) == .reportLocation)
        #expect(try OwnTracksEncryption(key: "").isOn == false)
    }

    @Test func `a key of more than 32 bytes is an error`() {
        #expect(throws: FleetError.self) { try OwnTracksEncryption(key: String(repeating: "k", count: 33)) }
        #expect(throws: Never.self) { try OwnTracksEncryption(key: String(repeating: "k", count: 32)) }
    }
}
