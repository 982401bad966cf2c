import CCrypt
import Chronology
import Glibc
import SystemCalls
import Varlink

/// The password that connections from other machines need.
///
/// Each attempt costs processor time by design (yescrypt), so a peer has few of them per minute,
/// and the text of a successful one is kept.
struct Password {
    /// The number of attempts per minute of one peer, and of all.
    private static let attempts = 5
    private static let attemptsOfAll = 20
    private static let period = Instant.Span.seconds(60)
    /// The maximum number of different texts with the password, which differ in the user's name.
    private static let maxAccepted = 8
    private static let maxLength = 512

    private let hash: String
    /// Values of `Authorization` that were right.
    private var accepted: Set<String> = []
    /// Peers that have entered it: the limit of all does not apply to them.
    private var known: Set<String> = []
    private var failures: [(peer: String, time: Instant)] = []

    /// What an attempt has shown.
    enum Verdict { case right, wrong, tooMany }

    /// Reads the file with the hash, as `mkpasswd` prints it.
    init(file path: String) throws(WebError) {
        let descriptor = uninterrupted { open(path, O_RDONLY | O_CLOEXEC) }
        guard descriptor >= 0 else {
            throw .invalidPassword(path: path, reason: "\(SystemError(code: errno, operation: "opening it"))")
        }
        let file = FileDescriptor(owning: descriptor)
        let text = withUnsafeTemporaryAllocation(byteCount: Password.maxLength, alignment: 1) { buffer in
            let count = uninterrupted { read(file.number, buffer.baseAddress, buffer.count) }
            return String(decoding: buffer.prefix(max(0, count)).prefix { $0 > 32 }, as: UTF8.self)
        }
        guard text.hasPrefix("$"), text.utf8.count < Password.maxLength else {
            throw .invalidPassword(path: path, reason: "it must be a hash: write it with \"mkpasswd > \(path)\"")
        }
        hash = text
    }

    mutating func check(_ header: String?, of peer: String, at now: Instant) -> Verdict {
        guard let header else { return .wrong }
        if accepted.contains(header) { return .right }
        failures.removeAll { now - $0.time >= Password.period }
        guard failures.count < Password.attemptsOfAll || known.contains(peer),
            failures.count(where: { $0.peer == peer }) < Password.attempts
        else { return .tooMany }
        guard let password = Password.credentials(in: header)?.password, isRight(password) else {
            failures.append((peer, now))
            return .wrong
        }
        if accepted.count < Password.maxAccepted { accepted.insert(header) }
        if known.count < HTTPServer.maxConnections { known.insert(peer) }
        return .right
    }

    private func isRight(_ password: String) -> Bool {
        guard let found = crypt(password, hash) else { return false }
        return String(cString: found) == hash
    }

    /// The parts of `Basic BASE64`, with a colon between them (RFC 7617). Each name is right.
    static func credentials(in header: String) -> (user: String, password: String)? {
        let parts = header.split(separator: " ")
        guard parts.count == 2, parts[0].lowercased() == "basic", let bytes = Base64.decode(String(parts[1])),
            let colon = bytes.firstIndex(of: UInt8(ascii: ":")), !bytes.contains(0)
        else {
            return nil
        }
        let password = String(validating: bytes[(colon + 1)...], as: UTF8.self)
        return password.map { (String(decoding: bytes[..<colon], as: UTF8.self), $0) }
    }
}
