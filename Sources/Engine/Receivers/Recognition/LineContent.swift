import Locator

/// What a line without the NMEA of a GNSS receiver sends.
package enum LineContent: Sendable, Hashable {
    /// The binary protocol of a receiver.
    case binary(BinaryProtocol)
    /// The answers of a modem.
    case modem
    /// The console of another computer, or of this one.
    case console
    /// Sentences whose checksums are wrong.
    case damagedSentences
    /// The AIS messages of ships, and no other sentences.
    case shipMessages
    /// Sentences of another device than a GNSS receiver.
    case otherSentences
    /// Text of an unknown device.
    case text
    /// Bytes that are no text and no known protocol.
    case noise

    /// What is there, as the object of "sends".
    package var description: String {
        switch self {
        case .binary(let family): family.rawValue
        case .modem: "the answers of a modem"
        case .console: "the text of a Linux console"
        case .damagedSentences: "NMEA sentences with wrong checksums"
        case .shipMessages: "AIS messages of ships, but no position of this device"
        case .otherSentences: "NMEA sentences, but none of a GNSS receiver"
        case .text: "text, but no NMEA sentences"
        case .noise: "bytes that are neither NMEA nor a known protocol"
        }
    }

    package var remedy: String {
        switch self {
        case .binary(let family): family.remedy
        case .modem:
            "use the NMEA port of the modem, which is another one, and switch its GNSS on with "
                + "sudo systemctl enable --now sextant-modem"
        case .console:
            "switch the console of this port off (raspi-config, Interface, Serial Port; or remove console= from the "
                + "kernel's command line), or connect the receiver to another port"
        case .damagedSentences: "check its cable and ground, and that only one program reads the port"
        case .shipMessages: "connect a GNSS receiver, or enable GGA and RMC in the AIS device if it has them"
        case .otherSentences: "connect a GNSS receiver, or enable GGA and RMC in the device"
        case .text: "connect a GNSS receiver to the port, or set the receiver to NMEA 0183"
        case .noise:
            "check whether its level is inverted (RS-232 on a TTL port), its ground is connected, or its parity is "
                + "odd (8-O-1)"
        }
    }

    /// How well it explains the missing NMEA. What one baud rate shows replaces what another one
    /// has shown if it explains more.
    var rank: Int {
        switch self {
        case .binary: 7
        case .modem: 6
        case .console: 5
        case .damagedSentences: 4
        case .shipMessages: 3
        case .otherSentences: 2
        case .text: 1
        case .noise: 0
        }
    }
}

/// What a line sends, at the baud rate at which that was seen.
package struct LineFinding: Sendable, Equatable {
    package var content: LineContent
    /// The bits per second; nil for a line without a baud rate.
    package var baudRate: Int?

    package init(_ content: LineContent, at baudRate: Int?) { (self.content, self.baudRate) = (content, baudRate) }

    /// The finding, as the object of "sends".
    package var description: String {
        guard let baudRate, content != .noise else { return content.description }
        return "\(content.description) at \(baudRate) baud"
    }
}

// What users read of it.
extension PortStatus {
    /// The status of an open port that sends a binary protocol, for a program that does not switch
    /// receivers.
    package static func unreadable(_ path: String, _ family: BinaryProtocol, at baudRate: Int?) -> PortStatus {
        let finding = LineFinding(.binary(family), at: baudRate)
        let isSwitched = RescueSequence.supports(family, baudRate: baudRate)
        let remedy = isSwitched ? "start sextantd, which switches it to NMEA, or \(family.remedy)" : family.remedy
        return .unreadable("\(path) sends \(finding.description) and no NMEA: \(remedy)", .binaryProtocol)
    }

    /// The status while a baud rate is tried, after others without NMEA.
    static func detectingBaudRate(_ path: String, _ rate: Int, _ finding: LineFinding?) -> PortStatus {
        guard let finding, finding.content != .noise else {
            return .detectingBaudRate("\(path) sends no NMEA at the baud rates tried so far; now trying \(rate) baud")
        }
        return .detectingBaudRate(
            "\(path) sends \(finding.description); now trying \(rate) baud: \(finding.content.remedy)")
    }

    /// The status of a converter that is closed because it sent no NMEA.
    static func closedConverter(_ path: String, _ finding: LineFinding?) -> PortStatus {
        let end = "it stays closed until it is plugged in again"
        guard let finding else { return .notGNSS("\(path) sends no GNSS NMEA; \(end)") }
        let text = "\(path) sends no GNSS NMEA, but \(finding.description); \(end): \(finding.content.remedy)"
        if case .binary = finding.content { return .notGNSS(text, .binaryProtocol) }
        return .notGNSS(text)
    }
}
