import Delivery
import Locator
import Receivers
import Wire

/// What the bytes of the receiver tell, from the wire to the position.
extension Diagnosis {
    /// Share of lines that may be damaged before it counts: a good line damages none.
    private static let tolerableDamage = 0.01
    /// Lines before a share means anything.
    private static let fewestLines = 20
    /// Metres beyond which a position is hardly one.
    private static let poorAccuracy = 100.0
    /// dB-Hz that a receiver needs to read a satellite's orbit off its signal.
    private static let readable = 30

    func speed(_ port: Observations.Port) -> Check {
        let path = port.device.path
        guard let heard = port.heard else { return .skipped(.speed, "the port was not listened to") }
        guard heard.counts.bytes > 0 else {
            let waited = port.listened.map { " in \(TimeText.span($0))" } ?? ""
            let mend = "check the receiver's power and wiring (its TX to our RX); a modem's GNSS has to be switched on"
            return .wrong(
                .speed, "nothing comes from \(path)\(waited)", mend: mend + before(port), command: command(toLookAt: port, "--duration 10"))
        }
        let speed = heard.baud.map { "\($0) baud" } ?? "a port without line speed"
        guard heard.counts.sentences > 0, heard.state != .hunting else {
            let bytes = "\(Fixed.grouped(heard.counts.bytes)) bytes came from \(path), and no GNSS sentence"
            // A speed that is hunted is told only when it is found: this one was named.
            if port.isServed, heard.state != .hunting, let baud = heard.baud {
                let mend = "if it talks at another speed, take the baud of this port out of the configuration: it is found by listening"
                return .wrong(.speed, "\(bytes) at \(baud) baud, which is set for it", mend: mend, command: "grep -rn baud /etc/sextant")
            }
            let mend = "the receiver may speak a binary protocol: set it to NMEA. Keep what it says to look at it"
            let keep = command(toLookAt: port, "--baud 9600 --duration 10 -o unknown.bin")
            return .wrong(.speed, "\(bytes) at any speed tried", mend: mend + before(port), command: keep)
        }
        return .ok(
            .speed,
            [speed, ReceiverWords.rate(heard), "\(Fixed.grouped(heard.counts.bytes)) bytes"].compactMap { $0 }.joined(separator: ", "))
    }

    /// Records what comes from a port. It has one reader: the service that has it is stopped before.
    private func command(toLookAt port: Observations.Port, _ options: String) -> String {
        let isOfService = port.isServed && observations.service == .installed
        return (isOfService ? "sudo systemctl stop sextantd.socket sextantd.service && " : "")
            + "sextant record --device \(port.device.path) \(options)"
    }

    /// The same in words, where the daemon was started by hand and nobody but the person knows how.
    private func before(_ port: Observations.Port) -> String {
        port.isServed && observations.service != .installed ? "; end sextantd before you listen yourself, a port has one reader" : ""
    }

    func sentences(_ heard: ReceiverMessage, _ port: Observations.Port) -> Check {
        if heard.state == .silent {
            let mend = "it was heard before: check plug and power, or whether it sleeps"
            return .wrong(.sentences, "\(port.device.path) has fallen silent", mend: mend, command: "sextant receivers")
        }
        let damaged = ReceiverWords.damaged(heard.counts)
        let lines = heard.counts.sentences + damaged
        let share = lines == 0 ? 0 : Double(damaged) / Double(lines)
        let words = "\(Fixed.grouped(heard.counts.sentences)) sentences, \(Fixed.grouped(damaged)) damaged"
        guard share > Diagnosis.tolerableDamage, lines >= Diagnosis.fewestLines else { return .ok(.sentences, words) }
        let mend = "a long or unshielded cable, a loose ground, or a line too slow for what is sent: look at the counts"
        return .wrong(.sentences, "\(words): \(Fixed.text(share * 100, 1)) %", mend: mend, command: "sextant receivers")
    }

    func antenna(_ heard: ReceiverMessage, _ port: Observations.Port) -> Check {
        if port.cause == .antennaFault {
            let words = "the receiver reports its antenna open or shorted"
            return .wrong(.antenna, words, mend: "check the plug and the cable of the antenna", command: "sextant receivers")
        }
        let says = heard.says.last { $0.contains("ANT") }
        return says.map { .ok(.antenna, "the receiver says \"\(Columns.harmless($0))\"") }
            ?? .skipped(.antenna, "the receiver says nothing of its antenna")
    }

    func fix(_ heard: ReceiverMessage, _ port: Observations.Port) -> Check {
        let objects = SkyObject.merge(heard.satellites)
        let strengths = objects.compactMap(\.carrierToNoise).sorted(by: >)
        let best = strengths.first.map { ", the best at \($0) dB-Hz" } ?? ""
        let sky = "\(strengths.count) satellites heard of \(objects.count) in view\(best)"
        if let location = port.location, port.cause == nil {
            return .ok(.fix, "\(location.mode.words), \(location.quality.words); \(sky)")
        }
        let mend: String
        switch (strengths.count, strengths.count { $0 >= Diagnosis.readable }) {
        case (0, _): mend = "give the antenna a clear view of the sky; if it has one, check its plug"
        case (_, ..<4): mend = "move the antenna to a window or outdoors: four satellites at 30 dB-Hz or more are needed"
        default: mend = "wait: after a cold start the orbits take 30 s to a minute to come down"
        }
        return .wrong(.fix, "no fix; \(sky)", mend: mend, command: "sextant sky --watch")
    }

    func accuracy(_ port: Observations.Port) -> Check {
        guard let location = port.location else { return .skipped(.accuracy, "there is no position") }
        let words = "±\(LengthText.metres(location.horizontalAccuracy)), \(location.accuracySource.words)"
        guard location.horizontalAccuracy > Diagnosis.poorAccuracy else { return .ok(.accuracy, words) }
        return .wrong(.accuracy, words, mend: "few or badly placed satellites: give the antenna more sky", command: "sextant sky --watch")
    }
}
