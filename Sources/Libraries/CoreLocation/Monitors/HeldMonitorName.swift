// Wrapping arithmetic: the hash is defined modulo 2^64.

internal import Dispatch
import Foundation
internal import VarlinkClient

/// The name of a monitor, which this process holds while the object exists.
///
/// Any text is a name. On the socket, bytes other than ASCII letters, digits, "-" and "." are
/// written as `_` and two hexadecimal digits, and so is a "-" or "." at the start. A name that then
/// begins with `_` gets `0_` in front. A name of more than 128 bytes keeps its first 100, followed
/// by `__` and a hash.
final class HeldMonitorName: Sendable {
    /// The name on the socket.
    let wire: String

    private static let held = Locked<Set<String>>([])

    /// The monitor of the regions of all ``CLLocationManager``s. No name is written like this.
    static let regions = "CLLocationManager__regions"

    /// The time for the release of a name: a loop whose task was cancelled holds its monitor until
    /// it has ended.
    private static let patience = Duration.seconds(2)
    private static let interval = DispatchTimeInterval.milliseconds(5)

    /// Holds a name. A name that this process still holds after some time ends the process with a
    /// message.
    static func held(_ name: String) async -> HeldMonitorName {
        let end = ContinuousClock.now + patience
        while true {
            if let held = HeldMonitorName(wireName(of: name)) { return held }
            guard ContinuousClock.now < end else { break }
            // A task that is itself cancelled waits too.
            await withCheckedContinuation { continuation in
                DispatchQueue.global().asyncAfter(deadline: .now() + interval) { continuation.resume() }
            }
        }
        DeveloperWarning.write(
            "a CLMonitor with the name “\(name)” already exists in this process. Keep one object for each name, and "
                + "release it before you create another one.")
        abort()
    }

    /// Nil if this process already holds the name.
    private init?(_ wire: String) {
        // An object that is not complete yet has no deinit, which would release the name.
        guard Self.held.withLock({ $0.insert(wire).inserted }) else { return nil }
        self.wire = wire
    }

    deinit {
        _ = Self.held.withLock { $0.remove(wire) }
    }

    static func wireName(of name: String) -> String {
        var text = ""
        for (index, byte) in name.utf8.enumerated() {
            let character = Character(UnicodeScalar(byte))
            let isPlain =
                byte < 0x80
                && (character.isLetter || character.isNumber || (index > 0 && (character == "-" || character == ".")))
            text += isPlain ? String(character) : "_" + hexadecimal(UInt64(byte), digits: 2)
        }
        if text.first.map({ $0 == "_" }) ?? true { text = "0_" + text }
        guard text.utf8.count > 128 else { return text }
        return text.prefix(100) + "__" + hexadecimal(hash(of: name), digits: 16)
    }

    private static func hexadecimal(_ value: UInt64, digits: Int) -> String {
        let text = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    /// FNV-1a with 64 bits, which is defined modulo 2^64.
    private static func hash(of name: String) -> UInt64 {
        name.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }
}
