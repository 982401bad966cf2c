import TestSupport

/// The sentences of a receiver that moves north: an epoch is GGA and RMC, and each has a different
/// position.
package struct Drive {
    /// Milliseconds between epochs, on the receiver's clock.
    package let period: Int
    /// The horizontal dilution of precision; 1 corresponds to about 4 m.
    private let hdop: Double
    package private(set) var count = 0
    private let start: Int

    /// - Parameter start: the time of the first epoch, in milliseconds of the day.
    package init(period: Int = 1000, start: Int = 36_000_000, hdop: Double = 0.92) {
        self.period = period
        self.start = start
        self.hdop = hdop
    }

    /// Returns the bytes of the next epoch.
    package mutating func next() -> [UInt8] {
        defer { count += 1 }
        return Array(epoch(count).utf8)
    }

    /// Returns the bytes of the next `count` epochs.
    package mutating func next(_ count: Int) -> [UInt8] {
        (0..<count).flatMap { _ in next() }
    }

    /// Returns the timestamp of an epoch as updates report it.
    package func timestamp(_ index: Int) -> String {
        let clock = clock(index)
        return "2026-03-14T\(clock.hours):\(clock.minutes):\(clock.seconds).\(clock.milliseconds)Z"
    }

    private func epoch(_ index: Int) -> String {
        let clock = clock(index)
        let time = "\(clock.hours)\(clock.minutes)\(clock.seconds).\(clock.milliseconds.prefix(2))"
        let latitude = "51\(padded(index / 10_000 % 60, 2)).\(padded(index % 10_000, 5))"
        let place = "\(latitude),N,00000.45703,W"
        return sentence("GPGGA,\(time),\(place),1,09,\(hdop),8.1,M,45.9,M,,")
            + sentence("GPRMC,\(time),A,\(place),021.4,073.1,140326,,,A")
    }

    private func clock(_ index: Int) -> (hours: String, minutes: String, seconds: String, milliseconds: String) {
        let time = start + index * period
        return (
            padded(time / 3_600_000, 2), padded(time / 60_000 % 60, 2), padded(time / 1000 % 60, 2),
            padded(time % 1000, 3)
        )
    }

    private func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}

/// Returns a sentence with its checksum and line end.
package func sentence(_ body: String) -> String { SentenceLine.text(body) }
