extension SentenceEncoder {
    /// Writes GSA: the satellites used, up to twelve per sentence, and the dilutions of precision.
    ///
    /// Writes at least one sentence per constellation, even if the fix uses none of its satellites.
    ///
    /// - Parameters:
    ///   - satellites: All satellites in view. The encoder selects those used, each once,
    ///     independent of the number of signals.
    ///   - systems: The constellations that the receiver tracks, in output order.
    public mutating func gsa(_ s: Solution, satellites: [Satellite], systems: [System]) {
        for system in systems {
            var used: [Int] = []
            for satellite in satellites where satellite.isUsed && satellite.system == system {
                let number = layout.identifier(of: satellite)
                if !used.contains(number) { used.append(number) }
            }
            for first in stride(from: 0, through: max(used.count - 1, 0), by: 12) {
                gsa(s, numbers: used[first..<min(first + 12, used.count)], system: system)
            }
        }
    }

    private mutating func gsa(_ s: Solution, numbers: ArraySlice<Int>, system: System) {
        beginSentence(layout.separateGSATalkers ? layout.talker(of: system) : layout.talker, "GSA")
        appendField("A")
        appendField(s.fix == .none ? 1 : s.altitude == nil ? 2 : 3)
        for number in numbers { appendField(number, width: 2) }
        appendEmptyFields(12 - numbers.count)
        dopField(s.pdop)
        dopField(s.hdop)
        dopField(s.vdop)
        if layout.version.hasSystemIDs { hexadecimalField(system.rawValue) }
        endSentence()
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
            beginSentence(layout.talker(of: system), "GSV")
            appendField(messages)
            appendField(message + 1)
            appendField(satellites.count, width: 2)
            for satellite in satellites[min(message * 4, satellites.count)..<min(message * 4 + 4, satellites.count)] {
                appendField(layout.identifier(of: satellite), width: 2)
                appendField(satellite.elevation, width: 2)
                appendField(satellite.azimuth, width: 3)
                appendField(satellite.carrierToNoise, width: 2)
            }
            if let signal { hexadecimalField(signal) }
            endSentence()
        }
    }
}
