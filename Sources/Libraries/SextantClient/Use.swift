/// A period in which a program used the location.
public struct Use: Codable, Hashable, Sendable {
    /// The program: user ID and, for a service, a colon and the service name.
    public var program: String
    /// The identifier of a desktop program, Flatpak or snap; nil for any other program.
    public var application: String?
    /// What the program used the location for.
    public var kind: Kind
    /// The accuracy that it got.
    public var accuracy: AccuracyAuthorization
    /// What allowed it.
    public var decidedBy: String
    /// Whether the use has ended.
    public var state: State
    /// Start by the host's clock. Nil if the clock was not set.
    public var from: UTCTime?
    /// End by the host's clock. Nil if the clock was not set, and while the use is open.
    public var to: UTCTime?
    /// Duration in seconds.
    public var seconds: Double
    /// Number of updates, locations, visits or events that the program got.
    public var updates: Int

    /// What a program uses the location for.
    public struct Kind: OpenEnumeration {
        /// The value on the socket.
        public let rawValue: String
        /// Creates a value, which need not be one of ``allCases``.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The updates of a stream.
        public static let stream = Self(rawValue: "stream")
        /// Single locations.
        public static let oneShot = Self(rawValue: "oneShot")
        /// Visits.
        public static let visits = Self(rawValue: "visits")
        /// The heading.
        public static let heading = Self(rawValue: "heading")
        /// Monitors, also while the program is not connected.
        public static let monitors = Self(rawValue: "monitors")
        /// The values that this library knows.
        public static let allCases: [Self] = [stream, oneShot, visits, heading, monitors]
    }

    /// Whether a use has ended.
    public struct State: OpenEnumeration {
        /// The value on the socket.
        public let rawValue: String
        /// Creates a value, which need not be one of ``allCases``.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// It has not ended.
        public static let open = Self(rawValue: "open")
        /// It has ended.
        public static let ended = Self(rawValue: "ended")
        /// The daemon was killed during the use, which lasted at least as long as recorded.
        public static let interrupted = Self(rawValue: "interrupted")
        /// The values that this library knows.
        public static let allCases: [Self] = [open, ended, interrupted]
    }
}

/// The parameters of `io.sextant.Permission.GetUsage`.
struct UsageParameters: Encodable {
    var program: String?
    var after: String?
}

/// A reply of `io.sextant.Permission.GetUsage`.
struct UsagePage: Decodable {
    var records: [Use]
    var next: String?
}

extension Client {
    /// Returns which programs used the location in the last 30 days, the newest first: those of
    /// this user if the program may know the full location, otherwise itself.
    ///
    /// - Parameter program: The only program to return; nil: all.
    public func usage(
        program: String? = nil, isolation: isolated (any Actor)? = #isolation
    ) async throws -> [Use] {
        var parameters = UsageParameters(program: program)
        var uses: [Use] = []
        repeat {
            let page = try await call("io.sextant.Permission.GetUsage", parameters, as: UsagePage.self)
            uses += page.records
            parameters.after = page.next
        } while parameters.after != nil
        return uses
    }
}
