import Receivers

/// Which port is meant when none is named.
enum PortChoice {
    /// The one receiver that is plugged in. Throws when there is none, or more than one.
    static func only(of devices: [DeviceDescription]) throws(CommandError) -> DeviceDescription {
        let receivers = devices.filter { $0.kind.isOpenedUnasked }
        if let first = receivers.first, receivers.count == 1 { return first }
        guard !receivers.isEmpty else {
            throw CommandError("no receiver is plugged in; a port that may have one is named with --device: ls /dev/tty*", .nothing)
        }
        let paths = receivers.map { "\n  --device \($0.path)" + ($0.model.map { "   (\($0))" } ?? "") }
        throw CommandError("there are \(receivers.count) receivers; name one:" + paths.joined(), .usage)
    }
}
