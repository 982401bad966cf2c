import Varlink

/// A request of gpsd's protocol.
public enum Request: Sendable, Equatable {
    /// `?VERSION;`
    case version
    /// `?DEVICES;`
    case devices
    /// `?WATCH;` or `?WATCH={...}`; nil without members.
    case watch(WatchChange?)
    /// `?POLL;`
    case poll
    /// `?DEVICE;` or `?DEVICE={...}`; the path is nil without one.
    case device(path: String?)
    /// A known request whose members cannot be read, with the reason.
    case invalid(name: String, reason: String)
    /// Any other request.
    case unrecognized(String)
    /// A request of more than ``RequestParser/limit`` bytes.
    case tooLong

    /// Reads a request from its text, from the `?` to before its `;` or to its last brace.
    init(_ text: ArraySlice<UInt8>) {
        let parts = text.dropFirst().split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(decoding: (parts.first ?? []).filter { $0 > 32 }, as: UTF8.self)
        guard parts.count == 2, let body = parts.last else {
            self = Request.plain(name) ?? .unrecognized(Request.quoted(text))
            return
        }
        guard name == "WATCH" || name == "DEVICE" else {
            self = .unrecognized(Request.quoted(text))
            return
        }
        let value: JSONValue
        do { value = try JSONValue(parsing: Array(body), depthLimit: 4) } catch {
            self = .invalid(name: name, reason: "\(error.reason.rawValue) at byte \(error.offset)")
            return
        }
        guard case .object(let members) = value else {
            self = .invalid(name: name, reason: "not an object")
            return
        }
        if name == "DEVICE" {
            self = .device(path: members["path"]?.string)
            return
        }
        do throws(WatchChange.InvalidMember) {
            self = .watch(try WatchChange(members))
        } catch {
            self = .invalid(name: name, reason: "bad value of \(error.name)")
        }
    }

    private static func plain(_ name: String) -> Request? {
        switch name {
        case "VERSION": .version
        case "DEVICES": .devices
        case "WATCH": .watch(nil)
        case "POLL": .poll
        case "DEVICE": .device(path: nil)
        default: nil
        }
    }

    /// The beginning of a request in printable ASCII, for an answer.
    private static func quoted(_ text: ArraySlice<UInt8>) -> String {
        String(decoding: text.prefix(80).map { (32..<127).contains($0) ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
    }
}
