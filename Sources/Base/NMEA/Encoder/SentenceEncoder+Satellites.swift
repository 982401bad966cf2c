extension SentenceEncoder {
    /// A satellite navigation system; the raw values are the system ids of NMEA 4.10.
    public enum System: Int, Sendable, CaseIterable {
        case gps = 1
        case glonass, galileo, beidou, qzss, navic
    }

    /// A satellite in view.
    public struct Satellite: Sendable, Equatable {
        /// Its constellation.
        public var system: System
        /// Its number within the constellation, from 1.
        public var number: Int
        /// Signal id of NMEA 4.10, one hexadecimal digit.
        public var signal: Int
        /// Degrees above the horizon; nil if the orbit is unknown.
        public var elevation: Int?
        /// Degrees clockwise from north; nil if the orbit is unknown.
        public var azimuth: Int?
        /// dB-Hz; nil if not tracked.
        public var carrierToNoise: Int?
        /// Whether the fix uses this satellite.
        public var isUsed: Bool

        /// Creates a satellite with unknown direction and signal strength.
        public init(system: System, number: Int, signal: Int = 1) {
            self.system = system
            self.number = number
            self.signal = signal
            isUsed = false
        }
    }

    /// Writes GSA: the satellites used, up to twelve per sentence, and the dilutions of precision.
    ///
    /// Writes at least one sentence per constellation, even if the fix uses none of its satellites.
    ///
    /// - Parameters:
    ///   - satellites: All satellites in view. The encoder selects those used, each once,
    ///     independent of the number of signals.
    ///   - systems: The constellations that the receiver tracks, in output order.
    public mutating func gsa(_ solution: NavigationSolution, satellites: [Satellite], systems: [System]) {
        for system in systems {
            var used: [Int] = []
            for satellite in satellites where satellite.isUsed && satellite.system == system {
                let number = layout.identifier(of: satellite)
                if !used.contains(number) { used.append(number) }
            }
            for first in stride(from: 0, through: max(used.count - 1, 0), by: 12) {
                gsa(solution, numbers: used[first..<min(first + 12, used.count)], system: system)
            }
        }
    }

    private mutating func gsa(_ solution: NavigationSolution, numbers: ArraySlice<Int>, system: System) {
        writer.beginSentence(
            talker: layout.separateGSATalkers ? layout.talker(of: system) : layout.talker, type: "GSA")
        writer.appendField("A")
        writer.appendField(solution.fix == .none ? 1 : solution.altitude == nil ? 2 : 3)
        for number in numbers { writer.appendField(number, width: 2) }
        writer.appendEmptyFields(12 - numbers.count)
        appendDOP(solution.pdop)
        appendDOP(solution.hdop)
        appendDOP(solution.vdop)
        if layout.version.hasSystemIDs { writer.appendHexadecimalField(system.rawValue) }
        writer.endSentence()
    }

    /// Writes GSV: the satellites in view, up to four per sentence, one sequence per constellation
    /// and, from 4.10 on, per signal.
    public mutating func gsv(satellites: [Satellite], systems: [System]) {
        for system in systems {
            let ours = satellites.filter { $0.system == system }
            guard layout.version.hasSystemIDs else {
                gsv(ours, system: system, signal: nil)
                continue
            }
            var signals: [Int] = []
            for satellite in ours where !signals.contains(satellite.signal) { signals.append(satellite.signal) }
            if signals.isEmpty { gsv([], system: system, signal: 0) }
            for signal in signals { gsv(ours.filter { $0.signal == signal }, system: system, signal: signal) }
        }
    }

    private mutating func gsv(_ satellites: [Satellite], system: System, signal: Int?) {
        let messages = max((satellites.count + 3) / 4, 1)
        for message in 0..<messages {
            writer.beginSentence(talker: layout.talker(of: system), type: "GSV")
            writer.appendField(messages)
            writer.appendField(message + 1)
            writer.appendField(satellites.count, width: 2)
            for satellite in satellites[min(message * 4, satellites.count)..<min(message * 4 + 4, satellites.count)] {
                writer.appendField(layout.identifier(of: satellite), width: 2)
                writer.appendField(satellite.elevation, width: 2)
                writer.appendField(satellite.azimuth, width: 3)
                writer.appendField(satellite.carrierToNoise, width: 2)
            }
            if let signal { writer.appendHexadecimalField(signal) }
            writer.endSentence()
        }
    }
}
