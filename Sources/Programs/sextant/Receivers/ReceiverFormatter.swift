import SextantAPI

/// Descriptions of a receiver.
enum ReceiverFormatter {
    /// Returns the rate, such as "1 Hz"; nil if it is unknown.
    static func rate(_ receiver: Receiver) -> String? {
        receiver.rate.map { rate in
            let isWhole = (rate - rate.rounded()).magnitude < 0.05
            return DecimalText.text(rate, decimals: isWhole ? 0 : 1) + " Hz"
        }
    }

    /// Returns "primary receiver: ±2.4 m" or "standby receiver: ±2.4 m"; nil for a receiver without
    /// a fix.
    static func role(_ receiver: Receiver) -> String? {
        guard let accuracy = receiver.horizontalAccuracy else { return nil }
        return (receiver.isPrimary ? "primary receiver: " : "standby receiver: ") + "±\(LengthText.metres(accuracy))"
    }

    /// Returns the identity, such as "u-blox · NEO-M8N-0 · UBX-M80xx · firmware SPG 3.01 · protocol
    /// 18.00"; nil if the receiver has not reported it.
    static func identity(_ receiver: Receiver) -> String? {
        guard let identity = receiver.identity else { return nil }
        let parts = [
            identity.vendor, identity.module, identity.chipset, identity.firmware.map { "firmware \($0)" },
            identity.protocolVersion.map { "protocol \($0)" },
        ]
        return parts.compactMap { $0 }.joined(separator: " · ")
    }

    /// Returns the state for display. The daemon derives it from the plan and the received data,
    /// which change before and after the driver has put the receiver to sleep.
    static func state(_ receiver: Receiver) -> ReceiverHealth {
        switch (receiver.state, receiver.driver?.activity) {
        case (.absent, _), (.denied, _), (.busy, _): receiver.state
        case (_, .asleep), (_, .portClosed): .asleep
        default: receiver.state
        }
    }

    /// Returns the driver state, such as "asleep (ubloxStandby) · driver ublox8"; nil if the daemon
    /// has not tried to configure the receiver. It agrees with ``state(_:)``.
    static func driver(_ receiver: Receiver) -> String? {
        guard let driver = receiver.driver else { return nil }
        let parts = [
            activity(of: driver, state: state(receiver)), driver.chip.map { "driver \($0)" },
            driver.isUnresponsive ? "ignores commands" : nil,
        ]
        let text = parts.compactMap { $0 }.joined(separator: " · ")
        return text.isEmpty ? nil : text
    }

    /// Returns the corrections, such as "corrections: caster.example/M · 0.4 s old · 480 B/s"; nil
    /// without.
    static func corrections(_ receiver: Receiver) -> String? {
        guard let corrections = receiver.corrections else { return nil }
        return "corrections: \(corrections.source) · \(DecimalText.text(corrections.age, decimals: 1)) s old · "
            + "\(DecimalText.text(corrections.rate, decimals: 0)) B/s"
    }

    private static func activity(of driver: DriverState, state: ReceiverHealth) -> String? {
        switch (state, driver.activity) {
        // Without an open port the driver does nothing.
        case (.absent, _), (.denied, _), (.busy, _): nil
        case (.asleep, .configuring): "being put to sleep"
        case (.asleep, .unknown), (.asleep, .running): "asleep"
        case (_, .asleep): "asleep" + (driver.sleepMethod.map { " (\($0))" } ?? "")
        case (_, .portClosed): "not needed: its port is closed"
        case (_, .savingPower): "saves power between fixes"
        case (_, .unknown): "not configured yet"
        case (_, .configuring): "being configured"
        case (_, .running): "running as requested"
        }
    }

    /// Returns the number of discarded lines.
    static func damaged(_ counts: ReceiverCounts) -> Int {
        counts.checksumErrors + counts.missingChecksums + counts.overlong + counts.truncated + counts.malformed
    }

    /// Returns the counts, such as "12,345 sentences · 1,234 fixes in 1,300 epochs · 3 damaged".
    static func counts(_ receiver: Receiver) -> String {
        let counts = receiver.counts
        var parts = ["\(DecimalText.grouped(counts.sentences)) sentences"]
        parts.append("\(DecimalText.grouped(counts.fixes)) fixes in \(DecimalText.grouped(counts.epochs)) epochs")
        parts.append("\(DecimalText.grouped(damaged(counts))) damaged")
        if counts.strayBytes > 0 { parts.append("\(DecimalText.grouped(counts.strayBytes)) stray bytes") }
        let contradicted = [
            (counts.outliers, "outlier"), (counts.contradictedSpeeds, "wrong speed"),
            (counts.contradictedCourses, "wrong course"),
        ]
        for (count, name) in contradicted {
            if let count { parts.append(DecimalText.count(count, name)) }
        }
        return parts.joined(separator: " · ")
    }
}

extension ReceiverHealth: DisplayTextConvertible {
    var displayText: String {
        switch self {
        case .absent, .denied, .busy, .silent, .asleep, .unknown: rawValue
        case .detectingBaudRate: "detecting baud rate"
        case .sendingWithoutFix: "no fix"
        case .hasFix: "fix"
        }
    }

    /// The style of the state: green for a fix, yellow for a transitional state, red for a problem.
    var style: Style {
        switch self {
        case .hasFix: .good
        case .asleep, .unknown: .dim
        case .sendingWithoutFix, .detectingBaudRate: .warning
        case .absent, .denied, .busy, .silent: .bad
        }
    }
}
