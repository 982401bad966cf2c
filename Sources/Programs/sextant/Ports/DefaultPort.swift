import Receivers

/// Selects the port if none is named.
enum DefaultPort {
    /// Returns the only connected receiver.
    ///
    /// - Throws: An error if there is none, or more than one.
    static func only(of devices: [DeviceDescription]) throws(CommandError) -> DeviceDescription {
        let receivers = devices.filter { $0.kind.opensAutomatically }
        if let first = receivers.first, receivers.count == 1 { return first }
        guard !receivers.isEmpty else {
            throw CommandError(
                "no receiver is connected; connect one, or name a port with --device; list the ports: ls /dev/tty*; "
                    + "to record a receiver of the running daemon, name it with --receiver",
                exitStatus: .noResult)
        }
        throw CommandError(
            "there are \(receivers.count) receivers; name one:",
            choices: receivers.map { "--device \($0.path)" + ($0.model.map { "   (\($0))" } ?? "") }, exitStatus: .usage
        )
    }
}
