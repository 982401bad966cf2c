/// The type `Purpose` of `io.sextant.Manager`. Raw values are the names on the wire.
package enum PurposeName: String, Codable, Sendable, CaseIterable {
    /// A stream with that configuration.
    case `default`, automotiveNavigation, otherNavigation, fitness, airborne
    /// A one-shot location request.
    case oneShot
    /// A request for the heading.
    case heading
    /// Monitors with watched conditions.
    case monitors
    /// A request for receiver status.
    case receivers
    /// No request.
    case nobody
    /// Programs beyond those that are listed separately.
    case others
}

/// The type `PowerState` of `io.sextant.Manager`. Raw values are the names on the wire.
package enum PowerStateName: String, Codable, Sendable, CaseIterable {
    /// The receiver has a fix and runs continuously.
    case operation
    /// The receiver has a fix and saves power between fixes.
    case saving
    /// The receiver searches for satellites.
    case search
    /// The receiver sleeps, or its engine is stopped.
    case standby
    /// The port is closed.
    case closed
}

/// The type `EnergyConsumer` of `io.sextant.Manager`.
package struct EnergyConsumerMessage: Codable, Sendable, Equatable {
    /// The purpose of the energy use.
    package var purpose: PurposeName
    /// The name that the program gives itself.
    package var program: String?
    /// The systemd unit of the program.
    package var unit: String?
    /// The user ID of the program.
    package var uid: Int?
    /// The estimated energy in joules.
    package var joules: Double
    /// The share of the total, 0 to 1.
    package var share: Double

    /// Creates the energy use of one purpose; `whole` is the total in joules.
    package init(
        _ purpose: PurposeName, program: String? = nil, unit: String? = nil, uid: Int? = nil, joules: Double,
        of whole: Double
    ) {
        self.purpose = purpose
        self.program = program
        self.unit = unit
        self.uid = uid
        self.joules = WireRounding.thousandths(joules)
        share = whole > 0 ? WireRounding.thousandths(joules / whole) : 0
    }
}

/// The type `EnergyReport` of `io.sextant.Manager`.
package struct EnergyReportMessage: Codable, Sendable, Equatable {
    /// The UTC day, "2026-11-21". Absent: the time since the daemon started.
    package var day: String?
    /// The estimated energy in joules.
    package var joules: Double
    /// The estimated mean power of a receiver in milliwatts.
    package var milliwatts: Double?
    /// The seconds in which a receiver tracked satellites.
    package var operation = 0.0
    /// The seconds in which a receiver saved power between fixes.
    package var saving = 0.0
    /// The seconds in which a receiver searched for satellites.
    package var search = 0.0
    /// The seconds in which a receiver was in standby.
    package var standby = 0.0
    /// The seconds in which a receiver's port was closed.
    package var closed = 0.0
    /// The number of times the daemon woke.
    package var wakeups: Int?
    /// The energy consumers, largest first.
    package var consumers: [EnergyConsumerMessage]

    /// Creates an energy report from the time in each state and the energy consumers.
    package init(
        day: String? = nil, joules: Double, seconds: [PowerStateName: Double], wakeups: Int?,
        consumers: [EnergyConsumerMessage]
    ) {
        self.day = day
        self.wakeups = wakeups
        self.consumers = consumers
        self.joules = WireRounding.thousandths(joules)
        operation = WireRounding.thousandths(seconds[.operation] ?? 0)
        saving = WireRounding.thousandths(seconds[.saving] ?? 0)
        search = WireRounding.thousandths(seconds[.search] ?? 0)
        standby = WireRounding.thousandths(seconds[.standby] ?? 0)
        closed = WireRounding.thousandths(seconds[.closed] ?? 0)
        let whole = seconds.values.reduce(0, +)
        milliwatts = whole > 0 ? WireRounding.thousandths(joules / whole * 1000) : nil
    }
}

/// The type `Estimate` of `io.sextant.Manager`.
package struct EstimateMessage: Codable, Sendable, Equatable {
    /// The name of the receiver.
    package var receiver: String
    /// The generation of the chip: "ublox8".
    package var chip: String
    /// The data sheet, as text.
    package var source: String

    /// Creates the source of a receiver's power figures.
    package init(receiver: String, chip: String, source: String) {
        self.receiver = receiver
        self.chip = chip
        self.source = source
    }
}
