extension SentenceEncoder {
    /// GSA: the satellites in use, twelve to a sentence, and the dilutions of precision.
    ///
    /// A receiver of several constellations sends one per constellation, also where none of its satellites is used.
    ///
    /// - Parameters:
    ///   - satellites: Every satellite in view; those in use are picked out, each once whatever its signals.
    ///   - systems: The constellations this receiver listens to, in the order it names them.
    public mutating func gsa(_ s: Solution, satellites: [Satellite], systems: [System]) {
        for system in systems {
            var used: [Int] = []
            for satellite in satellites where satellite.used && satellite.system == system {
                let number = layout.identifier(of: satellite)
                if !used.contains(number) { used.append(number) }
            }
            for first in stride(from: 0, through: max(used.count - 1, 0), by: 12) {
                gsa(s, numbers: used[first..<min(first + 12, used.count)], system: system)
            }
        }
    }

    private mutating func gsa(_ s: Solution, numbers: ArraySlice<Int>, system: System) {
        begin(layout.separateGSATalkers ? layout.talker(of: system) : layout.talker, "GSA")
        field("A")
        field(s.fix == .none ? 1 : s.altitude == nil ? 2 : 3)
        for number in numbers { field(number, width: 2) }
        empty(12 - numbers.count)
        dopField(s.pdop)
        dopField(s.hdop)
        dopField(s.vdop)
        if layout.version.hasSystemIDs { hexadecimalField(system.rawValue) }
        end()
    }

    /// GSV: the satellites in view, four to a sentence, one round per constellation and (from 4.10 on) signal.
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
            begin(layout.talker(of: system), "GSV")
            field(messages)
            field(message + 1)
            field(satellites.count, width: 2)
            for satellite in satellites[min(message * 4, satellites.count)..<min(message * 4 + 4, satellites.count)] {
                field(layout.identifier(of: satellite), width: 2)
                field(satellite.elevation, width: 2)
                field(satellite.azimuth, width: 3)
                field(satellite.carrierToNoise, width: 2)
            }
            if let signal { hexadecimalField(signal) }
            end()
        }
    }
}
