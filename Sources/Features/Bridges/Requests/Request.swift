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
    /// A request for a device whose members cannot be read, with the reason.
    case invalidDevice(reason: String)
    /// Any other request, with its end as gpsd's answer quotes it.
    case unrecognized(String)
    /// A request of more than ``RequestParser/limit`` bytes.
    case tooLong

    /// The end of a request that has no brace.
    enum End {
        /// `;`
        case semicolon
        /// A line end, of which gpsd quotes CR too.
        case lineFeed, carriageReturn
        /// Another request, the brace of an object, or nothing in time.
        case none

        fileprivate var text: String {
            switch self {
            case .semicolon: ";\n"
            case .carriageReturn: "\r\n"
            case .lineFeed, .none: "\n"
            }
        }
    }

    /// Reads a request from its text, from the `?` to before its end or to its last brace.
    ///
    /// - Parameter isWhole: False for the beginning of a request whose rest has not come in time.
    init(_ text: ArraySlice<UInt8>, end: End, isWhole: Bool = true) {
        let parts = text.dropFirst().split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(decoding: (parts.first ?? []).filter { $0 > 32 }, as: UTF8.self)
        guard parts.count == 2, let body = parts.last else {
            self = (isWhole ? Request.plain(name) : nil) ?? .unrecognized(Request.quoted(text, end))
            return
        }
        switch name {
        case "WATCH": self = .watch(WatchChange(body))
        case "DEVICE": self = Request.device(body)
        default: self = .unrecognized(Request.quoted(text, end))
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

    private static func device(_ body: ArraySlice<UInt8>) -> Request {
        var reader = RequestMembers(body)
        var path: String?
        do throws(RequestMembers.Failure) {
            while let member = try reader.next() {
                guard member.name == "path" else { continue }
                guard case .text(let text) = member.value else {
                    return .invalidDevice(reason: "path is not a text in quotation marks")
                }
                path = text
            }
        } catch {
            return .invalidDevice(reason: error.reason)
        }
        return .device(path: path)
    }

    /// The maximum number of bytes of a request that an answer quotes.
    private static let maxQuoted = 80

    /// The beginning of a request in printable ASCII, for an answer.
    private static func quoted(_ text: ArraySlice<UInt8>, _ end: End) -> String {
        let printable = text.prefix(maxQuoted).map { (32..<127).contains($0) ? $0 : UInt8(ascii: "?") }
        return String(decoding: printable, as: UTF8.self) + end.text
    }
}
