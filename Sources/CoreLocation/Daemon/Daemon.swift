internal import ClientTransport
import Foundation
internal import Synchronization
internal import Varlink

/// The daemon as this module calls it.
enum Daemon {
    /// How long a method that cannot wait, such as a property, may block its thread.
    static let patience = Duration.seconds(2)

    /// The daemon of a test and of the tasks that it starts.
    @TaskLocal static var transportOfTest: Transport?

    /// Where the daemon is. Objects that make calls on other threads keep it.
    static var transport: Transport { transportOfTest ?? Transport() }
}

extension Transport {
    /// Calls a method and blocks until its reply. For methods that are not asynchronous.
    func callBlocking(
        _ method: String, _ parameters: [String: JSONValue] = [:], timeout: Duration = Daemon.patience
    ) throws(ClientError) -> [String: JSONValue] {
        let client = try Client.connect(path: socket, timeout: timeout)
        return try client.call(method, with: JSONValue.object(parameters), as: JSONValue.self, timeout: timeout).object
            ?? [:]
    }
}

/// Which receivers are accessories: those on USB.
enum Accessories {
    private static let known = Mutex<[String: Bool]>([:])

    /// Returns whether the receiver with this name is on USB. Its name does not change while it is
    /// plugged in, so the daemon is called once.
    static func contains(_ receiver: String?, of transport: Transport) -> Bool {
        guard let receiver else { return false }
        if let isKnown = known.withLock({ $0[receiver] }) { return isKnown }
        let list = (try? transport.callBlocking("io.sextant.Receiver.List"))?["receivers"]?.array ?? []
        let isAccessory = list.contains { $0["name"]?.string == receiver && $0["usb"]?.string != nil }
        if !list.isEmpty { known.withLock { $0[receiver] = isAccessory } }
        return isAccessory
    }
}

extension CLError {
    /// The error that reports a failure of a call.
    init(reporting failure: any Error) {
        self.init(Self.code(for: failure), because: "\(failure)")
    }

    private static func code(for failure: any Error) -> Code {
        switch failure {
        case ClientError.failed(_, let error), TransportError.failed(_, let error): code(forName: error.name)
        case let error as CLError: error.code
        default: .network
        }
    }

    private static func code(forName name: String) -> Code {
        switch name.split(separator: ".").last {
        case "LocationUnavailable": .locationUnknown
        case "PermissionDenied", "NotInUse": .denied
        case "MonitorInUse", "TooManyConditions", "TooManyMonitors", "TooMuchData", "InvalidCondition", "InvalidName",
            "PersistenceUnavailable":
            .regionMonitoringFailure
        case "NotFound": .geocodeFoundNoResult
        default: .network
        }
    }
}
