import Locator
import NMEA
import Receivers
import SextantAPI

/// Checks of the receiver's data, from the serial line to the position.
extension Diagnosis {
    /// The horizontal accuracy in metres above which a position is reported as poor.
    private static let poorAccuracy = 100.0
    /// The signal strength in dB-Hz that a receiver needs to decode a satellite's ephemeris.
    private static let minSignalToDecode = 30
    /// The time to the first fix after a cold start, in seconds. Data sheets give 26 to 48 s with a
    /// clear view of the sky.
    private static let coldStart = 90.0

    func baud(_ port: Observations.Port) -> Check {
        let path = port.device.path
        guard let receiver = port.receiver else { return .skipped(.baud, reason: "the port was not read") }
        if let reason = phase.reason, receiver.counts.sentences == 0 { return .skipped(.baud, reason: reason) }
        if let check = port.explainedCheck { return check }
        guard receiver.counts.bytes > 0 else {
            let waited = port.readSeconds.map { " in \(TimeText.span($0))" } ?? ""
            let remedy =
                "check the receiver's power and wiring (TX to RX); the GNSS of a modem must be switched on (sudo "
                + "systemctl enable --now sextant-modem); another program may have left the receiver silent (sextant "
                + "doctor --probe asks it)"
            return .wrong(
                .baud, finding: "no data received from \(path)\(waited)", remedy: remedy + stopDaemonAdvice(for: port),
                command: recordCommand(for: port, options: "--duration 10"))
        }
        guard receiver.counts.sentences > 0, phase != .running || receiver.state != .detectingBaudRate else {
            let bytes =
                "\(DecimalText.grouped(receiver.counts.bytes)) bytes received from \(path), but no GNSS sentence"
            // While the baud rate is being detected none is reported, so this one is configured.
            if port.isOpenInDaemon, receiver.state != .detectingBaudRate, let baud = receiver.baud {
                let remedy =
                    "if the receiver uses another baud rate, remove this port's baud setting: the daemon then "
                    + "detects the rate"
                let setting = observations.baudSetting
                return .wrong(
                    .baud, finding: "\(bytes) at \(baud) baud, the configured rate\(setting.text)", remedy: remedy,
                    command: setting.command)
            }
            let remedy = "the receiver may use a binary protocol: switch it to NMEA. Record its output to examine it"
            let keep = recordCommand(for: port, options: "--baud 9600 --duration 10 -o unknown.bin")
            return .wrong(
                .baud, finding: "\(bytes) at any baud rate tried", remedy: remedy + stopDaemonAdvice(for: port),
                command: keep)
        }
        // The port of a receiver that is not running may be closed, and then has no baud rate.
        let baud = receiver.baud.map { "\($0) baud" } ?? (phase == .running ? "a port without baud rate" : nil)
        return .ok(
            .baud,
            finding: [baud, ReceiverFormatter.rate(receiver), "\(DecimalText.grouped(receiver.counts.bytes)) bytes"]
                .compactMap { $0 }
                .joined(separator: ", "))
    }

    /// Returns the command that records the data of a port. Only one program can read a port, so
    /// the command first stops the service.
    private func recordCommand(for port: Observations.Port, options: String) -> String {
        let isOfService = port.isOpenInDaemon && observations.service == .installed
        return (isOfService ? "sudo systemctl stop sextantd.socket sextantd.service && " : "")
            + "sextant record --device \(ShellText.quoted(port.device.path)) \(options)"
    }

    /// Returns the same advice as text, for a daemon that was started by hand: only the user knows
    /// how to stop it.
    private func stopDaemonAdvice(for port: Observations.Port) -> String {
        port.isOpenInDaemon && observations.service != .installed
            ? "; stop sextantd before you read the port yourself: only one program can read it" : ""
    }

    func sentences(of receiver: Receiver, on port: Observations.Port) -> Check {
        if let reason = phase.reason, receiver.counts.sentences == 0 { return .skipped(.sentences, reason: reason) }
        if receiver.state == .silent, phase == .running {
            let remedy = "the receiver sent data before: check its plug and power, and whether it is asleep"
            return .wrong(
                .sentences, finding: "\(port.device.path) receives no more data", remedy: remedy,
                command: "sextant receivers")
        }
        let all = ReceivedLines(receiver.counts)
        let finding =
            "\(DecimalText.grouped(receiver.counts.sentences)) sentences, \(DecimalText.grouped(all.damaged)) damaged"
        let lines = port.recentLines ?? all
        guard phase == .running, lines.isFaulty else { return .ok(.sentences, finding: finding) }
        let recent = port.recentLines == nil ? "" : " now"
        return .wrong(
            .sentences, finding: "\(finding): \(DecimalText.text(lines.damagedShare * 100, decimals: 1)) %\(recent)",
            remedy: "\(ReceivedLines.remedy(for: receiver.counts)); compare the counts", command: "sextant receivers")
    }

    func antenna(of receiver: Receiver, on port: Observations.Port) -> Check {
        if port.cause == .antennaFault {
            let finding = "the receiver reports that its antenna is open or shorted"
            return .wrong(
                .antenna, finding: finding, remedy: "check the antenna's connector and cable",
                command: "sextant receivers")
        }
        let report = receiver.says.last { $0.contains(part: "ANT") }
        return report.map { .ok(.antenna, finding: "the receiver reports \"\($0)\"") }
            ?? .skipped(.antenna, reason: "the receiver does not report its antenna state")
    }

    func fix(of receiver: Receiver, on port: Observations.Port) -> Check {
        let satellites = Satellite.merge(receiver.satellites)
        let strengths = satellites.compactMap(\.carrierToNoise).sorted(by: >)
        let best = strengths.first.map { ", strongest signal \($0) dB-Hz" } ?? ""
        let simulated = receiver.simulated == true ? "; the receiver is simulated, so its positions are not real" : ""
        let used = satellites.count(where: \.used)
        let sky = "\(used) of \(satellites.count) satellites used, \(strengths.count) tracked\(best)\(simulated)"
        if let location = port.location, port.cause == nil {
            if let datum = location.datum {
                return .wrong(
                    .fix, finding: ReceiverReport.warning(ofDatum: datum),
                    remedy: "set it in the receiver's menu or with its maker's tool", command: "sextant receivers")
            }
            return .ok(.fix, finding: "\(location.mode.displayText), \(location.quality.displayText); \(sky)")
        }
        if let reason = reasonToExpectNoFix(on: port) { return .skipped(.fix, reason: reason) }
        if port.cause == .notUnderstood, let check = Check(withoutPosition: receiver) { return check }
        let remedy: String
        switch (strengths.count, strengths.count { $0 >= Diagnosis.minSignalToDecode }) {
        case (0, _): remedy = "give the antenna a clear view of the sky; if it has one, check its connector"
        case (_, ..<4):
            remedy = "move the antenna to a window or outdoors: a fix needs four satellites at 30 dB-Hz or more"
        default: remedy = "wait: after a cold start the receiver needs 30 s to a minute to download the ephemerides"
        }
        return .wrong(.fix, finding: "no fix; \(sky)", remedy: remedy, command: "sextant sky --watch")
    }

    /// Returns why a missing fix is no problem; nil if it is one.
    private func reasonToExpectNoFix(on port: Observations.Port) -> String? {
        guard port.isOpenInDaemon else { return nil }
        if let reason = phase.reason { return reason }
        if port.cause == nil { return "sextantd gives no reason why there is no position; check again" }
        let seconds = observations.searchTime(of: port)
        guard port.cause == .noFix, seconds < Diagnosis.coldStart else { return nil }
        return "no fix in the first \(TimeText.span(seconds)); a cold start can take a minute"
    }

    func accuracy(_ port: Observations.Port) -> Check {
        // An old position can come together with the cause why there is none now.
        guard let location = port.location, port.cause == nil else {
            return .skipped(.accuracy, reason: "there is no position")
        }
        let finding = "±\(LengthText.metres(location.horizontalAccuracy)), \(location.accuracySource.displayText)"
        guard location.horizontalAccuracy > Diagnosis.poorAccuracy else { return .ok(.accuracy, finding: finding) }
        // The first fixes of a receiver have few satellites.
        if port.isOpenInDaemon, observations.searchTime(of: port) < Diagnosis.coldStart {
            return .ok(.accuracy, finding: "\(finding); the receiver has just started")
        }
        return .wrong(
            .accuracy, finding: finding,
            remedy: "few satellites or poor geometry: give the antenna a wider view of the sky",
            command: "sextant sky --watch")
    }
}
