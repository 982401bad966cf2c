/// `io.sextant.Manager`, type `Purpose`; raw values are the wire's names.
public enum PurposeName: String, Codable, Sendable, CaseIterable {
    /// A stream of that configuration.
    case `default`, automotiveNavigation, otherNavigation, fitness, airborne
    /// A position once.
    case question
    /// Places that are watched.
    case monitors
    /// To be shown the receivers.
    case receivers
    /// Nobody.
    case nobody
    /// Programs beyond those that are told apart.
    case others
}

/// `io.sextant.Manager`, type `Work`; raw values are the wire's names.
public enum WorkName: String, Codable, Sendable, CaseIterable {
    /// It has a fix and works all the time.
    case operation
    /// It has a fix and saves power between one and the next.
    case saving
    /// It looks for satellites.
    case search
    /// It sleeps, or its engine is stopped.
    case standby
    /// Its port is closed.
    case closed
}

/// `io.sextant.Manager`, type `Spender`.
public struct SpenderMessage: Codable, Sendable, Equatable {
    /// What it was spent for.
    public var purpose: PurposeName
    /// What the program calls itself.
    public var program: String?
    /// Its systemd unit.
    public var unit: String?
    /// The user it runs as.
    public var uid: Int?
    /// Joules, estimated.
    public var joules: Double
    /// Its part of the whole, 0 to 1.
    public var share: Double

    /// Joules spent for a purpose.
    public init(_ purpose: PurposeName, program: String? = nil, unit: String? = nil, uid: Int? = nil, joules: Double, of whole: Double) {
        (self.purpose, self.program, self.unit, self.uid) = (purpose, program, unit, uid)
        self.joules = Rounded.fine(joules)
        share = whole > 0 ? Rounded.fine(joules / whole) : 0
    }
}

/// `io.sextant.Manager`, type `Spending`.
public struct SpendingMessage: Codable, Sendable, Equatable {
    /// The day of UTC, "2026-11-21"; absent: since the daemon started.
    public var day: String?
    /// Joules, estimated.
    public var joules: Double
    /// Mean power of a receiver in milliwatts, estimated.
    public var milliwatts: Double?
    /// Seconds in each state.
    public var operation = 0.0
    /// See ``operation``.
    public var saving = 0.0
    /// See ``operation``.
    public var search = 0.0
    /// See ``operation``.
    public var standby = 0.0
    /// See ``operation``.
    public var closed = 0.0
    /// Times the daemon woke.
    public var wakeups: Int?
    /// Whom it was spent for, the greatest first.
    public var spenders: [SpenderMessage]

    /// What was spent.
    public init(day: String? = nil, joules: Double, seconds: [WorkName: Double], wakeups: Int?, spenders: [SpenderMessage]) {
        (self.day, self.wakeups, self.spenders) = (day, wakeups, spenders)
        self.joules = Rounded.fine(joules)
        operation = Rounded.fine(seconds[.operation] ?? 0)
        saving = Rounded.fine(seconds[.saving] ?? 0)
        search = Rounded.fine(seconds[.search] ?? 0)
        standby = Rounded.fine(seconds[.standby] ?? 0)
        closed = Rounded.fine(seconds[.closed] ?? 0)
        let whole = seconds.values.reduce(0, +)
        milliwatts = whole > 0 ? Rounded.fine(joules / whole * 1000) : nil
    }
}

/// `io.sextant.Manager`, type `Estimate`.
public struct EstimateMessage: Codable, Sendable, Equatable {
    /// The receiver's name.
    public var receiver: String
    /// What it was found to be: "ublox8".
    public var chip: String
    /// The data sheet, in words.
    public var source: String

    /// The source of a receiver's figures.
    public init(receiver: String, chip: String, source: String) {
        (self.receiver, self.chip, self.source) = (receiver, chip, source)
    }
}
