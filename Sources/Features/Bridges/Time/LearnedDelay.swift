import Chronology
import SextantAPI
import Varlink

/// The delay from the second to the byte whose arrival is measured.
package struct ByteDelay: Equatable, Sendable {
    /// Where a delay is from.
    package enum Source: String, Codable, Sendable {
        /// Measured with this receiver while the clock of the host was disciplined.
        case learned
        /// Typical of the family of the receiver.
        case family
    }

    package let seconds: Double
    /// How far the true delay may be from ``seconds``, in seconds. Of a learned delay: nine of ten
    /// measurements were within it. Of a family: the known delays are within it.
    package let uncertainty: Double
    package let source: Source

    package init(_ seconds: Double, uncertainty: Double, _ source: Source) {
        self.seconds = seconds
        self.uncertainty = uncertainty
        self.source = source
    }

    /// The uncertainty as a power of two, rounded up, as ntpd states precisions: -2 is 0.25 s.
    package var precision: Int32 {
        Int32(clamping: uncertainty.exponent) + (uncertainty.significand > 1 ? 1 : 0)
    }
}

/// The delays that were measured with one receiver, as a histogram.
///
/// The histogram has a long memory: some receivers wander by 170 ms against the second, and others
/// are stable for hours and then jump by 200 ms. Both widen ``ByteDelay/uncertainty``.
package struct LearnedDelay: Equatable, Sendable {
    /// The width of a bin in seconds.
    private static let width = 0.005
    /// The delays that a receiver can have in seconds, with the usual error of a disciplined clock:
    /// the known ones are 0.035 to 0.704 s. A clock that is a second wrong gives others.
    private static let range = -0.05...1.0
    private static let binCount = 210
    /// The number of measurements after which all counts are halved: 36 h of one in 64 s.
    private static let maxCount = 2048
    /// The number of measurements that are needed.
    package static let minCount = 16
    /// The least uncertainty in seconds: that of a clock that NTP disciplines.
    private static let minUncertainty = 0.005

    private var counts: [Int: Int] = [:]
    /// The mean of the maximum errors of the clock in seconds.
    private var clockError = 0.0

    /// Creates a histogram without measurements.
    package init() {}

    /// The number of measurements, of which the older ones count less.
    package var count: Int { counts.values.reduce(0, +) }

    /// Adds a measurement. Returns whether it can be a delay.
    ///
    /// - Parameter clockError: The maximum error of the clock in seconds.
    package mutating func add(_ delay: Double, clockError: Double) -> Bool {
        guard LearnedDelay.range.contains(delay) else { return false }
        let bin = Int((delay - LearnedDelay.range.lowerBound) / LearnedDelay.width)
        counts[min(bin, LearnedDelay.binCount - 1), default: 0] += 1
        self.clockError += (clockError - self.clockError) / Double(count)
        if count >= LearnedDelay.maxCount { counts = counts.mapValues { $0 / 2 }.filter { $0.value > 0 } }
        return true
    }

    /// The quantiles whose mean is the delay: about the mean of the middle half, which is as robust
    /// against jumps as the median, and closer for a noisy receiver.
    private static let middle = [0.25, 0.375, 0.5, 0.625, 0.75]

    /// The delay with its uncertainty; nil before ``minCount`` measurements. The error of the clock
    /// is taken as uniformly distributed within its maximum: nine of ten are within 0.9 of it.
    package var delay: ByteDelay? {
        guard count >= LearnedDelay.minCount else { return nil }
        let middle = LearnedDelay.middle.reduce(0) { $0 + quantile($1) } / Double(LearnedDelay.middle.count)
        let spread = max(middle - quantile(0.05), quantile(0.95) - middle, LearnedDelay.minUncertainty)
        let uncertainty = (spread * spread + 0.81 * clockError * clockError).squareRoot()
        return ByteDelay(middle, uncertainty: uncertainty, .learned)
    }

    /// Measurements are uniformly distributed within a bin.
    private func quantile(_ part: Double) -> Double {
        var rest = part * Double(count)
        for (bin, number) in counts.sorted(by: { $0.key < $1.key }) {
            guard rest > Double(number) else {
                return LearnedDelay.range.lowerBound + (Double(bin) + rest / Double(number)) * LearnedDelay.width
            }
            rest -= Double(number)
        }
        return LearnedDelay.range.upperBound
    }

    /// The histogram as it is kept.
    var json: JSONValue {
        let members = counts.map { ("\($0.key)", JSONValue.int(Int64($0.value))) }
        return ["counts": .object(Dictionary(uniqueKeysWithValues: members)), "clockError": .double(clockError)]
    }

    /// Reads what was kept; nil if that is damaged.
    init?(json: JSONValue) {
        guard let members = json["counts"]?.object, let error = json["clockError"]?.double, (0...1).contains(error)
        else { return nil }
        clockError = error
        for (name, value) in members {
            guard let bin = Int(name), (0..<LearnedDelay.binCount).contains(bin), let number = value.int,
                (1...Int64(LearnedDelay.maxCount)).contains(number)
            else { return nil }
            counts[bin] = Int(number)
        }
    }
}

/// The learned delays of all receivers, those that were used last at the end.
package struct LearnedDelays: Equatable, Sendable {
    /// The maximum number of receivers; the one that was not used for longest is forgotten.
    private static let maxReceivers = 16
    /// The maximum error of a clock from which is learned. A clock that follows the measurements
    /// themselves has a larger one, if chrony has `delay 0.4`: half of it (refclock.c of chrony).
    /// Between two updates the kernel raises it by 0.5 ms/s (kernel/time/ntp.c), so that a server
    /// that is asked every 17 minutes leaves about six of them for learning.
    package static let maxClockError = Instant.Span.milliseconds(190)
    /// The least time between two measurements, so that the memory is that of hours.
    private static let minInterval = Instant.Span.seconds(30)

    /// The state directory of `sextant-time.service`, and the name of the file in it.
    package static let (directory, fileName) = ("/var/lib/sextant-time", "delays.json")

    /// What is known of a receiver: its model separates receivers that a port has in turn.
    private typealias Row = (name: String, model: String?, delay: LearnedDelay)
    private var receivers: [Row] = []
    private var last: Instant?

    /// Creates delays of no receiver.
    package init() {}

    /// Returns whether the same receivers have the same delays.
    package static func == (a: LearnedDelays, b: LearnedDelays) -> Bool {
        a.receivers.elementsEqual(b.receivers) { $0 == $1 }
    }

    /// Learns from a measurement. Returns whether it was used.
    ///
    /// - Parameter clockError: The maximum error of the host's clock; nil: nothing disciplines it.
    package mutating func learn(
        _ sample: TimeSample, of receiver: TimedReceiver, clockError: Instant.Span?, at now: Instant
    ) -> Bool {
        guard let clockError, (.zero...LearnedDelays.maxClockError).contains(clockError) else { return false }
        guard last.map({ now - $0 >= LearnedDelays.minInterval }) ?? true else { return false }
        let name = receiver.name(for: sample.moment)
        let known = row(of: receiver, for: sample.moment)
        var delay = known?.delay ?? LearnedDelay()
        guard delay.add(-sample.offset, clockError: clockError.seconds) else { return false }
        last = now
        receivers.removeAll { $0.name == name }
        receivers = receivers.suffix(LearnedDelays.maxReceivers - 1) + [(name, receiver.model ?? known?.model, delay)]
        return true
    }

    /// What was learned of a receiver, unless it was another model, which not every start tells.
    private func row(of receiver: TimedReceiver, for moment: TimeSample.Moment) -> Row? {
        let row = receivers.first { $0.name == receiver.name(for: moment) }
        if let old = row?.model, let new = receiver.model, old != new { return nil }
        return row
    }

    /// Returns the delay to use: the learned one, else that of the family.
    ///
    /// - Parameter receiver: nil if nothing is known about it.
    package func delay(of receiver: TimedReceiver?, for moment: TimeSample.Moment) -> ByteDelay {
        guard let receiver else { return TimedReceiver.familyDelay(of: "", baud: nil, for: moment) }
        return row(of: receiver, for: moment)?.delay.delay
            ?? TimedReceiver.familyDelay(of: receiver.chip, baud: receiver.baud, for: moment)
    }

    /// The number of measurements with a receiver.
    package func count(of receiver: TimedReceiver, for moment: TimeSample.Moment) -> Int {
        row(of: receiver, for: moment)?.delay.count ?? 0
    }

    /// The delays as text, as they are kept.
    package var text: String {
        let rows = receivers.map { row in
            JSONValue.object([
                "receiver": .string(row.name), "model": row.model.map { .string($0) } ?? .null,
                "delays": row.delay.json,
            ])
        }
        return String(decoding: JSONValue.object(["receivers": .array(rows)]).bytes, as: UTF8.self) + "\n"
    }

    /// Reads what was kept; nil if that is damaged.
    package init?(text bytes: [UInt8]) {
        let bytes = bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes
        guard let rows = (try? JSONValue(parsing: bytes, depthLimit: 8))?["receivers"]?.array,
            rows.count <= LearnedDelays.maxReceivers
        else { return nil }
        for row in rows {
            guard let name = row["receiver"]?.string, let json = row["delays"], let delay = LearnedDelay(json: json)
            else { return nil }
            receivers.append((name, row["model"]?.string, delay))
        }
    }
}

/// Whether measurements are withheld from ntpd, whose clock may follow them afterwards: while their
/// receiver's delay is not known, until nothing was learned for ``limit``.
package struct WithheldMeasurements: Sendable {
    /// The time for the first server after the start, and between two of its updates.
    package static let limit = Instant.Span.seconds(900)
    private var last: Instant

    /// Begins to withhold.
    package init(at now: Instant) { last = now }

    /// Returns whether a measurement is withheld.
    ///
    /// - Parameters:
    ///   - isLearned: Whether it was learned from.
    ///   - delay: The delay to use.
    package mutating func withholds(_ isLearned: Bool, _ delay: ByteDelay, at now: Instant) -> Bool {
        if isLearned { last = now }
        return delay.source == .family && now - last < WithheldMeasurements.limit
    }
}

/// A receiver whose delay is learned or known by its family.
package struct TimedReceiver: Equatable, Sendable {
    private let identity: String
    fileprivate let model: String?
    fileprivate let baud: Int?
    fileprivate let chip: String

    /// Creates a description of a receiver of the daemon.
    package init(_ receiver: Receiver) {
        model = receiver.identity?.module ?? receiver.identity?.chipset
        let parts = [receiver.usb, receiver.serialNumber].compactMap { $0 }
        identity = parts.isEmpty ? receiver.port : parts.joined(separator: " ")
        baud = receiver.baud
        // Without control of its power, no driver knows the chip.
        let vendor = receiver.identity?.vendor?.lowercased() ?? ""
        chip = receiver.driver?.chip ?? (vendor == "u-blox" ? "ublox" : vendor)
    }

    /// The name under which the delay is kept: it differs with the baud rate.
    func name(for moment: TimeSample.Moment) -> String {
        "\(identity) \(baud.map(String.init) ?? "-") \(moment.rawValue)"
    }

    /// The delay of the family, and a range that has those of its receivers.
    ///
    /// Sources: u-blox 0.067 (VK-162) to 0.452 s, MediaTek 0.325 to 0.512 s, in projects that
    /// compare with PPS (beta-tester/RPi-GPS-PPS-StratumOne#7 #10 #20,
    /// domschl/RaspberryNtpServer#10, centerclick/feedback#129); SiRF gpsd's driver_sirf.c. All
    /// others: what these have. The end of the sentences follows within the second.
    fileprivate static func familyDelay(of chip: String, baud: Int?, for moment: TimeSample.Moment) -> ByteDelay {
        let (seconds, uncertainty): (Double, Double) =
            switch chip {
            case _ where moment == .endOfSentences: (0.5, 0.4)
            case _ where chip.hasPrefix("ublox"): (0.26, 0.2)
            case "mediatek": (0.42, 0.1)
            case "sirf": (baud ?? 0 <= 9600 ? 0.69 : 0.48, 0.17)
            default: (0.3, 0.3)
            }
        return ByteDelay(seconds, uncertainty: uncertainty, .family)
    }
}
