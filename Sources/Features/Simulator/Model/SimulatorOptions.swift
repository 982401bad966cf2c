import Chronology
import Geodesy
import Locator
import NMEA

package struct SimulatorOptions: Sendable {
    /// The source of the receiver's movement or data.
    package enum Source: Sendable {
        /// The built-in circuit, repeated.
        case circuit
        /// A fixed place; altitude in metres above mean sea level.
        case stationary(Coordinate, altitude: Double)
        /// A route, followed once.
        case route(Route)
        /// The contents of a file: a GPX track or route if they begin with `<`, otherwise a
        /// capture. The path names the file in messages.
        case file(path: String, contents: [UInt8])
    }

    /// An error in the options or in a file that they name.
    package enum Error: Swift.Error, Equatable, CustomStringConvertible {
        case gpx(path: String, error: GPXReader.Error)
        case route(path: String, error: Route.Error)
        case noCapture(path: String)
        case baud(Int)
        case rate(Double)
        case dropoutInCapture
        case noDuration

        /// Whether the error is in the file rather than in an option.
        package var isFileError: Bool {
            switch self {
            case .gpx, .route, .noCapture: true
            case .baud, .rate, .dropoutInCapture, .noDuration: false
            }
        }

        /// The error message.
        package var description: String {
            switch self {
            case .gpx(let path, let error): "\(path), \(error)"
            case .route(let path, let error): "\(path): \(error)"
            case .noCapture(let path):
                "\(path) is neither a capture nor a GPX file: it has no valid NMEA sentence, and no line "
                    + "\"# Chipset:\" or \"# Date:\" at its start"
            case .baud(let baud):
                "\(baud) is not a supported baud rate; use one of "
                    + SimulatorOptions.baudRates.map(String.init).joined(separator: " ")
            case .rate(let rate):
                "the rate \(rate) is out of range; use 0.001 to 50 fixes per second, or for a capture 0.001 to 1000 "
                    + "times the recorded speed"
            case .dropoutInCapture: "a dropout cannot be simulated in a capture; use it with a simulated drive"
            case .noDuration: "the simulation has no end; specify a duration"
            }
        }
    }

    /// The source of the receiver's movement or data.
    package var source = Source.circuit
    /// The receiver model; nil for `ublox8` or, when a capture is played, for a line at 115,200
    /// baud.
    package var receiver: ReceiverKind?
    /// The sentences and their order; nil for those of the model.
    package var sentences: SentencePlan?
    /// Fixes per second; for a capture, the playback speed relative to the recording.
    package var rate: Double?
    /// The baud rate; nil for that of the model.
    package var baud: Int?
    /// Standard deviation of the position error along each horizontal axis, metres.
    package var noise = 1.5
    /// Random seed.
    package var seed: UInt64 = 1
    package var faults = FaultSchedule()
    /// When to end; nil to run indefinitely or until the end of the capture.
    package var duration: Instant.Span?
    /// Whether a capture or GPX file restarts at its end.
    package var loops = false
    /// UTC at the start; nil for the host's clock.
    package var startTime: UTCTime?
    /// Whether the receiver starts without time and ephemerides.
    package var coldStart = false
    /// The number of missed GPS week rollovers; each sets the dates 1024 weeks back.
    package var missedRollovers = 0
    /// Speed in metres per second along a GPX route without times.
    package var speed = 14.0
    /// How the receiver handles commands; a capture ignores them.
    package var commandBehavior = CommandBehavior.normal
    /// Whether the receiver has a native USB port instead of a serial line. Bytes from the host do
    /// not wake a sleeping u-blox receiver there.
    package var isNativeUSB = false
    /// The binary protocol that the receiver sends until it is switched to NMEA; nil for NMEA.
    package var binary: BinaryOutput?
    /// Whether the receiver announces to its readers with a text sentence that it is simulated. A
    /// receiver on a port always does.
    package var announcesSimulation = false

    /// The supported baud rates, those with a termios constant.
    package static let baudRates = [
        1200, 2400, 4800, 9600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800, 500_000, 576_000, 921_600,
        1_000_000, 2_000_000,
    ]

    /// Creates options for a u-blox 8 on the built-in circuit.
    package init() {}
}

/// A receiver built from options.
package struct SimulatedReceiver {
    /// The receiver itself.
    package var receiver: VirtualReceiver
    package var baud: Int
    /// UTC at power-on.
    var startTime: UTCTime
    /// Time until the route or capture has been played once; nil if it has no end.
    var naturalDuration: Instant.Span?
    /// The name of the chip, for the header of a capture.
    var chipset: String
    /// The place or route, for the header of a capture.
    var location: String
}

extension SimulatorOptions {
    /// Returns the receiver that these options describe, for callers that control its time:
    /// `rehearse` and tests.
    ///
    /// - Throws: ``Error``.
    package func receiver(origin: Instant, utc: UTCTime = SimulatedCapture.defaultStart) throws -> VirtualReceiver {
        try build(origin: origin, utc: utc, keepingTimes: true).receiver
    }

    /// Builds the receiver that these options describe.
    ///
    /// - Parameters:
    ///   - origin: When the receiver is powered on.
    ///   - utc: UTC at `origin`. The options take precedence, as do the times of a GPX file with
    ///     `keepingTimes`.
    ///   - keepingTimes: Whether the receiver starts at the first time of a GPX file.
    /// - Throws: ``Error``.
    package func build(origin: Instant, utc: UTCTime, keepingTimes: Bool = false) throws -> SimulatedReceiver {
        switch source {
        case .circuit:
            return try drive(
                .circuit, looping: true, name: "built-in circuit, Greenwich", startTime: startTime ?? utc,
                origin: origin)
        case .stationary(let place, let altitude):
            let name = "\(place.latitude), \(place.longitude)"
            return try drive(
                .stationary(place, altitude: altitude), looping: false, name: name, startTime: startTime ?? utc,
                origin: origin)
        case .route(let route):
            return try drive(
                route, looping: false, name: "along a track", startTime: startTime ?? route.startTime ?? utc,
                origin: origin)
        case .file(let path, let bytes):
            let isXML = bytes.first { $0 > 32 && $0 < 0x80 } == UInt8(ascii: "<")
            return isXML
                ? try drive(alongGPX: bytes, path: path, utc: utc, keepingTimes: keepingTimes, origin: origin)
                : try play(capture: bytes, path: path, utc: utc, origin: origin)
        }
    }

    private func drive(
        alongGPX bytes: [UInt8], path: String, utc: UTCTime, keepingTimes: Bool, origin: Instant
    ) throws -> SimulatedReceiver {
        let points: [Route.Point]
        let route: Route
        do { points = try GPXReader.points(of: bytes) } catch { throw Error.gpx(path: path, error: error) }
        do { route = try Route(points: points, speed: speed) } catch { throw Error.route(path: path, error: error) }
        let recordedStart = keepingTimes ? route.startTime : nil
        return try drive(
            route, looping: loops, name: "along \(path)", startTime: startTime ?? recordedStart ?? utc, origin: origin)
    }

    private func drive(
        _ route: Route, looping: Bool, name: String, startTime start: UTCTime, origin: Instant
    ) throws -> SimulatedReceiver {
        var profile = ReceiverProfile(for: receiver ?? binary?.receiver ?? .ublox8)
        if let sentences { profile.plan = sentences }
        var scenario = NavigationEngine.Scenario(startTime: start)
        scenario.route = route
        scenario.loops = looping
        scenario.rate = rate ?? 1
        guard (0.001...50).contains(scenario.rate) else { throw Error.rate(scenario.rate) }
        scenario.coldStart = coldStart
        scenario.noise = noise
        scenario.seed = seed
        scenario.dateOffset = -7168 * missedRollovers
        scenario.outages = faults.faults.filter { $0.kind == .dropout || $0.kind == .unplug }
        let engine = NavigationEngine(profile: profile, scenario: scenario, origin: origin)
        let source = CommandableReceiver(
            engine, profile: profile, behavior: commandBehavior, isNativeUSB: isNativeUSB, isCold: coldStart,
            seed: seed,
            origin: origin)
        let baud = baud ?? profile.baud
        let output: any BurstSource =
            binary.map { BinaryReceiver(source, $0, chip: profile.kind.chip, baud: baud) } ?? source
        return SimulatedReceiver(
            receiver: try receiver(from: output, baud: baud, origin: origin), baud: baud, startTime: start,
            naturalDuration: route.duration > .zero ? route.duration : nil, chipset: profile.chipset, location: name)
    }

    private func play(
        capture bytes: [UInt8], path: String, utc: UTCTime, origin: Instant
    ) throws -> SimulatedReceiver {
        guard faults.faults.allSatisfy({ $0.kind != .dropout }) else { throw Error.dropoutInCapture }
        guard (0.001...1000).contains(rate ?? 1) else { throw Error.rate(rate ?? 1) }
        let timeline = CaptureTimeline(bytes)
        var framer = Framer()
        framer.process(bytes.span.bytes) { _ in }
        // A recording of a receiver at the wrong baud rate has only the header.
        let header = CaptureHeader(bytes)
        guard framer.counts.sentences > 0 || header["Chipset"] != nil || header["Date"] != nil else {
            throw Error.noCapture(path: path)
        }
        let player = CapturePlayer(bytes, speed: rate ?? 1, loops: loops, origin: origin)
        let baud = baud ?? receiver.map { ReceiverProfile(for: $0).baud } ?? 115_200
        return SimulatedReceiver(
            receiver: try receiver(from: player, baud: baud, origin: origin), baud: baud, startTime: startTime ?? utc,
            naturalDuration: .seconds(timeline.duration.seconds / (rate ?? 1)), chipset: "same as in \(path)",
            location: path)
    }

    private func receiver(from source: any BurstSource, baud: Int, origin: Instant) throws -> VirtualReceiver {
        guard SimulatorOptions.baudRates.contains(baud) else { throw Error.baud(baud) }
        return VirtualReceiver(
            source: source, baud: baud, faults: faults, seed: seed, origin: origin,
            announcesSimulation: announcesSimulation)
    }
}
