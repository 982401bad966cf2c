import Chronology
import Geodesy

/// Everything that can be asked of the simulator.
public struct SimulatorOptions: Sendable {
    /// What the receiver lives through.
    public enum Programme: Sendable {
        /// The built-in drive, round and round.
        case circuit
        /// Standing at a place; altitude in metres above the sea.
        case stationary(Coordinate, altitude: Double)
        /// Along a way, once.
        case route(Route)
        /// A file: a GPX track or route if it begins with `<`, else a capture.
        case file(String)
    }

    /// Why the options make no sense together.
    public enum Flaw: Error, Equatable, CustomStringConvertible {
        case gpx(path: String, flaw: GPXReader.Flaw)
        case route(path: String, flaw: Route.Flaw)
        case emptyCapture(path: String)
        case baud(Int)
        case rate(Double)
        case dropoutInCapture
        case endless

        /// It is the file that is wrong, not an option.
        public var isOfFile: Bool {
            switch self {
            case .gpx, .route, .emptyCapture: true
            case .baud, .rate, .dropoutInCapture, .endless: false
            }
        }

        /// A sentence for a person.
        public var description: String {
            switch self {
            case .gpx(let path, let flaw): "\(path), \(flaw)"
            case .route(let path, let flaw): "\(path): \(flaw)"
            case .emptyCapture(let path): "\(path) holds nothing to play"
            case .baud(let baud):
                "\(baud) is not the speed of a serial line; there are \(LineSpeed.all.map(String.init).joined(separator: " "))"
            case .rate(let rate):
                "a rate of \(rate) is not possible: fixes a second go from 0.001 to 50, a capture from 0.001 to 1000 times its speed"
            case .dropoutInCapture: "a capture has no satellites to lose: dropout needs a simulated drive"
            case .endless: "nothing says how long this lasts: give a duration"
            }
        }
    }

    /// What it lives through.
    public var programme = Programme.circuit
    /// The make; nil for `ublox8`, or, when a capture is played, for a line of 115,200 bits per second.
    public var receiver: ReceiverKind?
    /// Sentences and order in place of the make's own.
    public var sentences: SentencePlan?
    /// Fixes a second; for a capture, how many times faster than recorded.
    public var rate: Double?
    /// Bits per second in place of the make's own.
    public var baud: Int?
    /// Bits per second the pseudo-terminal is set to at first; that of the receiver if nil.
    public var lineSpeed: Int?
    /// Standard deviation along each horizontal axis, metres.
    public var noise = 1.5
    /// Chance.
    public var seed: UInt64 = 1
    /// What goes wrong.
    public var faults = FaultSchedule()
    /// When to end; nil for never, or with the capture.
    public var duration: Instant.Span?
    /// Begins a capture or GPX file again at its end.
    public var loops = false
    /// UTC at the start; nil for the host's clock.
    public var startTime: UTCTime?
    /// Has neither time nor orbits at first.
    public var coldStart = false
    /// Rollovers of the GPS week missed: each sets the dates 1024 weeks back.
    public var missedRollovers = 0
    /// Metres per second along a GPX route without times.
    public var speed = 14.0
    /// What it does with commands; a capture that is played hears none.
    public var manner = CommandManner.obey
    /// It sits on a USB port of its own in place of a serial line: sleeps that a line would end are other ones there.
    public var isNativeUSB = false
    /// Where to put a symbolic link to the pseudo-terminal.
    public var link: String?

    /// A u-blox 8 on the built-in drive.
    public init() {}
}

/// A receiver made ready.
struct BuiltReceiver {
    var receiver: VirtualReceiver
    var baud: Int
    var startTime: UTCTime
    /// How long until the programme has been gone through once; nil when it has no end.
    var naturalDuration: Instant.Span?
    var chipset: String
    var location: String
}

extension SimulatorOptions {
    /// The receiver that these options describe, for whoever lets its time pass himself: `rehearse`, and tests.
    ///
    /// - Throws: ``Flaw``, or ``SystemFailure`` when they name a file that cannot be read.
    public func receiver(origin: Instant, utc: UTCTime = SimulatedCapture.defaultStart) throws -> VirtualReceiver {
        try build(origin: origin, utc: utc, keepingTimes: true).receiver
    }

    /// Makes the receiver that these options describe, reading the file they name.
    ///
    /// - Parameters:
    ///   - origin: When it is switched on.
    ///   - utc: What its clock shows then, unless the options or, with `keepingTimes`, the times in a GPX file say otherwise.
    func build(origin: Instant, utc: UTCTime, keepingTimes: Bool = false) throws -> BuiltReceiver {
        switch programme {
        case .circuit:
            return try drive(.circuit, looping: true, name: "built-in circuit, Greenwich", at: startTime ?? utc, origin)
        case .stationary(let place, let altitude):
            let name = "\(place.latitude), \(place.longitude)"
            return try drive(.stationary(place, altitude: altitude), looping: false, name: name, at: startTime ?? utc, origin)
        case .route(let route):
            return try drive(route, looping: false, name: "along a way", at: startTime ?? route.startTime ?? utc, origin)
        case .file(let path):
            let bytes = try readFile(path)
            let isXML = bytes.first { $0 > 32 && $0 < 0x80 } == UInt8(ascii: "<")
            return isXML ? try gpx(path, bytes, utc, keepingTimes, origin) : try capture(path, bytes, utc, origin)
        }
    }

    private func gpx(_ path: String, _ bytes: [UInt8], _ utc: UTCTime, _ keepingTimes: Bool, _ origin: Instant) throws -> BuiltReceiver {
        let points: [Route.Point]
        let route: Route
        do { points = try GPXReader.points(of: bytes) } catch { throw Flaw.gpx(path: path, flaw: error) }
        do { route = try Route(points: points, speed: speed) } catch { throw Flaw.route(path: path, flaw: error) }
        let own = keepingTimes ? route.startTime : nil
        return try drive(route, looping: loops, name: "along \(path)", at: startTime ?? own ?? utc, origin)
    }

    private func drive(_ route: Route, looping: Bool, name: String, at start: UTCTime, _ origin: Instant) throws -> BuiltReceiver {
        var profile = ReceiverProfile.of(receiver ?? .ublox8)
        if let sentences { profile.plan = sentences }
        var scenario = NavigationEngine.Scenario(startTime: start)
        (scenario.route, scenario.loops, scenario.rate) = (route, looping, rate ?? 1)
        guard (0.001...50).contains(scenario.rate) else { throw Flaw.rate(scenario.rate) }
        (scenario.coldStart, scenario.noise, scenario.seed) = (coldStart, noise, seed)
        scenario.dateOffset = -7168 * missedRollovers
        scenario.outages = faults.faults.filter { $0.kind == .dropout || $0.kind == .unplug }
        let engine = NavigationEngine(profile: profile, scenario: scenario, origin: origin)
        let source = ObedientReceiver(
            engine, profile: profile, manner: manner, isNativeUSB: isNativeUSB, isCold: coldStart, seed: seed, origin: origin)
        return try built(
            source, baud: baud ?? profile.baud, start, route.duration > .zero ? route.duration : nil, (profile.chipset, name), origin)
    }

    private func capture(_ path: String, _ bytes: [UInt8], _ utc: UTCTime, _ origin: Instant) throws -> BuiltReceiver {
        guard faults.faults.allSatisfy({ $0.kind != .dropout }) else { throw Flaw.dropoutInCapture }
        guard (0.001...1000).contains(rate ?? 1) else { throw Flaw.rate(rate ?? 1) }
        let timeline = CaptureTimeline(bytes)
        guard !timeline.cues.isEmpty else { throw Flaw.emptyCapture(path: path) }
        let player = CapturePlayer(bytes, speed: rate ?? 1, loops: loops, origin: origin)
        let baud = baud ?? receiver.map { ReceiverProfile.of($0).baud } ?? 115_200
        return try built(
            player, baud: baud, startTime ?? utc, .seconds(timeline.duration.seconds / (rate ?? 1)), ("that of \(path)", path), origin)
    }

    private func built(
        _ source: any BurstSource, baud: Int, _ start: UTCTime, _ duration: Instant.Span?, _ names: (chipset: String, location: String),
        _ origin: Instant
    ) throws -> BuiltReceiver {
        guard LineSpeed.name(of: baud) != nil else { throw Flaw.baud(baud) }
        let receiver = VirtualReceiver(source: source, baud: baud, faults: faults, seed: seed, origin: origin)
        return BuiltReceiver(
            receiver: receiver, baud: baud, startTime: start, naturalDuration: duration, chipset: names.chipset, location: names.location)
    }
}
