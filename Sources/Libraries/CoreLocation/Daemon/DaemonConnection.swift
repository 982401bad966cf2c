import Foundation
internal import Varlink
internal import VarlinkClient

/// The daemon as this module calls it.
enum DaemonConnection {
    /// How long a method that cannot wait, such as a property, may block its thread.
    static let answerTimeout = Duration.seconds(2)

    @TaskLocal static var transportOfTest: Transport?

    /// Where the daemon is. Objects that make calls on other threads keep it.
    static var transport: Transport { transportOfTest ?? Transport() }
}

extension Transport {
    /// Calls a method and blocks until its reply. For methods that are not asynchronous.
    func callBlocking<Parameters, Reply>(
        _ method: Method<Parameters, Reply>, _ parameters: Parameters,
        timeout: Duration = DaemonConnection.answerTimeout
    ) throws(ClientError) -> Reply {
        try BlockingClient.connect(path: socket, timeout: timeout).call(method, with: parameters, timeout: timeout)
    }
}

extension CLError {
    init(reporting failure: any Error) {
        if let error = failure as? CLError {
            self = error
        } else {
            self.init(Self.code(for: failure), because: "\(failure)")
        }
    }

    private static func code(for failure: any Error) -> Code {
        switch failure {
        case ClientError.failed(_, let error), TransportError.failed(_, let error): code(forName: error.name)
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

/// Warnings for the developer of a program, on its standard error, which a service has in the
/// journal.
enum DeveloperWarning {
    /// Gets the warnings of a test instead.
    @TaskLocal static var receiverOfTest: (@Sendable (String) -> Void)?

    static func write(_ text: String) {
        if let receiverOfTest { return receiverOfTest(text) }
        // write(_:) would end the program if standard error is closed.
        try? FileHandle.standardError.write(contentsOf: Data("CoreLocation: \(text)\n".utf8))
    }
}
