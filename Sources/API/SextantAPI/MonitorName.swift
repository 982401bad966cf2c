/// The naming rule for monitors. It makes names safe in journals, unit names and environment
/// variables.
package enum MonitorName {
    /// Checks that `name` has 1 to 128 bytes: letters, digits, "-", "_" and ".", starting with a
    /// letter or digit.
    ///
    /// - Throws: ``MonitorError/invalidName(name:reason:)`` for any other name.
    package static func check(_ name: String) throws(MonitorError) {
        let isValid =
            (1...128).contains(name.utf8.count) && name.utf8.allSatisfy(isAllowed)
            && name.utf8.first.map(isLetterOrDigit) ?? false
        guard isValid else {
            let reason = "must be 1 to 128 letters, digits, \"-\", \"_\" and \".\", and start with a letter or digit"
            throw .invalidName(name: name, reason: reason)
        }
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}

/// A limit on monitors that a call would exceed. The daemon has changed nothing.
package struct ExceededLimit: Equatable, Sendable {
    package var limit: Int
    package var scope: LimitScope
    /// The limit, the present number and how to get below, as text.
    package var reason: String

    /// Creates the description of a limit.
    package init(_ limit: Int, of scope: LimitScope, reason: String) {
        self.limit = limit
        self.scope = scope
        self.reason = reason
    }
}

extension MonitorError {
    /// A program, a user or all users would have more conditions than the daemon stores.
    package static func tooManyConditions(_ limit: ExceededLimit) -> MonitorError {
        .tooManyConditions(limit: limit.limit, scope: limit.scope, reason: limit.reason)
    }

    /// A program or a user would have more monitors than allowed.
    package static func tooManyMonitors(_ limit: ExceededLimit) -> MonitorError {
        .tooManyMonitors(limit: limit.limit, scope: limit.scope, reason: limit.reason)
    }

    /// The conditions of a user would occupy more bytes than allowed.
    package static func tooMuchData(_ limit: ExceededLimit) -> MonitorError {
        .tooMuchData(limit: limit.limit, scope: limit.scope, reason: limit.reason)
    }
}

/// The parameters of a method of `io.sextant.Monitor`: whose monitor it applies to.
package protocol OwnerParameters {
    /// The program that owns the monitor, if it is not the caller's. Absent: the caller.
    var program: String? { get }
    /// The part of the program that owns the monitor; see ``ProgramID/application``.
    var application: String? { get }
}

extension OpenParameters: OwnerParameters {}
extension DeleteParameters: OwnerParameters {}
extension WatchMonitorsParameters: OwnerParameters {}
extension AddParameters: OwnerParameters {}
extension RemoveParameters: OwnerParameters {}
extension PageParameters: OwnerParameters {}
extension GetRecordParameters: OwnerParameters {}
extension AcknowledgeParameters: OwnerParameters {}
extension ImportParameters: OwnerParameters {}
extension NearestParameters: OwnerParameters {}
