import CSodium
import Varlink

/// Encrypts and decrypts the messages of OwnTracks with a key that the device shares with those who
/// may read them, so that the server cannot.
///
/// The message `encrypted` has the nonce, the authenticator and the text, in Base64. The algorithm
/// is `crypto_secretbox` of libsodium, XSalsa20 with Poly1305; the key is padded with zeros
/// (https://owntracks.org/booklet/features/encrypt/).
struct OwnTracksEncryption {
    /// The maximum length of a key in bytes.
    static let maxKeyLength = Int(crypto_secretbox_KEYBYTES)

    private static let nonceLength = Int(crypto_secretbox_NONCEBYTES)
    private static let authenticatorLength = Int(crypto_secretbox_MACBYTES)
    /// Base64 needs four characters for three bytes; the rest is for the other members.
    static let maxMessageLength = OwnTracksCommand.maxLength / 3 * 4 + 256

    /// The reason of a refusal.
    static let tooLong = "the command is longer than \(maxMessageLength) bytes"

    /// Nil: messages are not encrypted.
    private let key: [UInt8]?

    /// Creates the encryption with this key; nil or an empty key encrypts nothing.
    init(key text: String?) throws(FleetError) {
        guard let text, !text.isEmpty else {
            key = nil
            return
        }
        guard text.utf8.count <= OwnTracksEncryption.maxKeyLength else {
            throw .settings(
                "the encryption key has \(text.utf8.count) bytes; OwnTracks allows "
                    + "\(OwnTracksEncryption.maxKeyLength) at most: shorten the file encryption-key")
        }
        guard sodium_init() >= 0 else { throw .settings("libsodium cannot be used: it found no random numbers") }
        key = Array(text.utf8) + Array(repeating: 0, count: OwnTracksEncryption.maxKeyLength - text.utf8.count)
    }

    /// Whether messages are encrypted.
    var isOn: Bool { key != nil }

    func bytes(of message: JSONValue) -> [UInt8] {
        guard let key else { return message.bytes }
        var nonce = [UInt8](repeating: 0, count: OwnTracksEncryption.nonceLength)
        randombytes_buf(&nonce, nonce.count)
        return encrypted(message.bytes, key: key, nonce: nonce).bytes
    }

    /// Returns the message `encrypted` for these bytes.
    func encrypted(_ bytes: [UInt8], key: [UInt8], nonce: [UInt8]) -> JSONValue {
        var box = [UInt8](repeating: 0, count: bytes.count + OwnTracksEncryption.authenticatorLength)
        // It fails only for messages of 256 GiB, and then the box is empty.
        _ = crypto_secretbox_easy(&box, bytes, UInt64(bytes.count), nonce, key)
        return ["_type": "encrypted", "data": .string(OwnTracksEncryption.base64(nonce + box))]
    }

    /// Reads a command.
    ///
    /// With a key, a command that is not encrypted is refused: a server without the key could
    /// otherwise set fences, which report positions.
    func command(_ bytes: [UInt8]) -> OwnTracksCommand {
        guard let key else { return OwnTracksCommand(bytes) }
        guard bytes.count <= OwnTracksEncryption.maxMessageLength else {
            return .refused(action: "", reason: OwnTracksEncryption.tooLong)
        }
        guard let message = try? JSONValue(parsing: bytes, depthLimit: 8), message["_type"]?.string == "encrypted",
            let data = message["data"]?.string
        else {
            return .refused(action: OwnTracksCommand(bytes).action, reason: "the command is not encrypted")
        }
        guard let text = OwnTracksEncryption.decrypted(data, key: key) else {
            return .refused(action: "", reason: "the command is not encrypted with the key of this device")
        }
        return OwnTracksCommand(text)
    }

    private static func decrypted(_ data: String, key: [UInt8]) -> [UInt8]? {
        guard let sealed = bytes(ofBase64: data), sealed.count >= nonceLength + authenticatorLength else { return nil }
        let (nonce, box) = (Array(sealed.prefix(nonceLength)), Array(sealed.dropFirst(nonceLength)))
        var text = [UInt8](repeating: 0, count: box.count - authenticatorLength)
        guard crypto_secretbox_open_easy(&text, box, UInt64(box.count), nonce, key) == 0 else { return nil }
        return text
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        var text = [CChar](repeating: 0, count: sodium_base64_encoded_len(bytes.count, sodium_base64_VARIANT_ORIGINAL))
        sodium_bin2base64(&text, text.count, bytes, bytes.count, sodium_base64_VARIANT_ORIGINAL)
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func bytes(ofBase64 text: String) -> [UInt8]? {
        let characters = text.utf8.map { CChar(bitPattern: $0) }
        var bytes = [UInt8](repeating: 0, count: characters.count / 4 * 3 + 3)
        var count = 0
        guard
            sodium_base642bin(
                &bytes, bytes.count, characters, characters.count, nil, &count, nil, sodium_base64_VARIANT_ORIGINAL)
                == 0
        else { return nil }
        return Array(bytes.prefix(count))
    }
}
