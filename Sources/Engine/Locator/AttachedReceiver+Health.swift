import Chronology
import NMEA
import Positioning

@_exported import enum SextantAPI.ReceiverHealth

extension AttachedReceiver {
    /// Returns whether the receiver may provide the location for a selection.
    func matches(_ selection: ReceiverSelection) -> Bool { selection.includes(name: name, port: port) }

    /// Returns the state of the receiver and, if it has no position, the cause.
    func health(at now: Instant) -> (health: ReceiverHealth, unavailability: Unavailability?) {
        switch status {
        case .absent, .notGNSS: (.absent, status.unavailability)
        case .denied: (.denied, status.unavailability)
        case .busy: (.busy, status.unavailability)
        case .detectingBaudRate(let detail, let isFirstRate):
            allowingForSleep(
                hasRecentBytes(at: now)
                    ? (.detectingBaudRate, Unavailability(isFirstRate ? .starting : .notUnderstood, detail: detail))
                    : silent(at: now, .detectingBaudRate), at: now)
        case .unreadable:
            allowingForSleep(
                hasRecentBytes(at: now)
                    ? (.sendingWithoutFix, status.unavailability) : silent(at: now, .silent), at: now)
        case .open where power.planner.isSkyBlocked && !isFixing(at: now): (.sendingWithoutFix, searchingPeriodically)
        case .open:
            allowingForSleep(
                hasRecentBytes(at: now) ? healthOfReceivedData(at: now) : silent(at: now, .silent), at: now)
        }
    }

    /// The cause while the receiver searches periodically without success. The text is the same
    /// asleep and awake, because each change is published.
    private var searchingPeriodically: Unavailability {
        let detail =
            "\(name) has had no fix for minutes and searches only periodically to save power; "
            + "give its antenna a clear view of the sky"
        return Unavailability(.noFix, detail: detail)
    }

    /// Replaces a missing-data cause if the receiver is asleep or waking. Its silence is then
    /// expected, and clients that already have a position receive no update about it.
    ///
    /// A receiver that never sent a sentence was not put to sleep. If the port was closed for the
    /// sleep, the new baud rate detection is not a fault either.
    private func allowingForSleep(
        _ current: (health: ReceiverHealth, unavailability: Unavailability?), at now: Instant
    ) -> (ReceiverHealth, Unavailability?) {
        guard let cause = current.unavailability?.cause,
            cause.isExpectedWhileAsleep || current.health == .detectingBaudRate
        else {
            return current
        }
        guard counts.sentences > 0, power.allowsSilence(at: now) else { return current }
        let health = power.isSleepPlanned ? .asleep : current.health
        return (health, lastPosition == nil ? unavailabilityBySleep : nil)
    }

    /// The cause while the receiver sleeps, is being woken, or has no fix yet.
    var unavailabilityBySleep: Unavailability {
        let detail =
            power.isSleepPlanned
            ? "is asleep to save power; it is woken when a position is needed"
            : isBeingWoken ? "is being woken" : "is awake and has no fix yet"
        return Unavailability(.starting, detail: "\(name) \(detail)")
    }

    /// Whether the receiver has sent nothing since it was woken.
    var isBeingWoken: Bool {
        guard let woken = power.wokenAt else { return false }
        return lastBytes.map { $0 <= woken } ?? true
    }

    /// Returns when the passing of time alone changes the result of ``health(at:)``: the fix
    /// becomes stale, or the silence too long.
    func nextHealthChange(at now: Instant) -> Instant? {
        guard isPortOpen else { return nil }
        // Time changes nothing while the receiver sleeps, and the plan that wakes it precedes any
        // deadline here.
        if power.isSleepPlanned, counts.sentences > 0 { return nil }
        let wakes = power.wakeDeadline.flatMap { $0 > now ? $0 : nil }
        let silentAt = (lastBytes ?? statusSince) + silenceTimeout
        guard silentAt > now else { return wakes }
        if let limit = unknownProtocolTime, limit > now { return earliest(min(silentAt, limit), wakes) }
        guard let lastFix = pipeline.lastFixAt, lastFix + fixTimeout > now else { return earliest(silentAt, wakes) }
        return earliest(min(silentAt, lastFix + fixTimeout), wakes)
    }

    func isFixing(at now: Instant) -> Bool {
        guard status == .open, hasRecentBytes(at: now), let lastFix = pipeline.lastFixAt else { return false }
        return now - lastFix < fixTimeout
    }

    private var silenceTimeout: Instant.Span {
        max(AttachedReceiver.silenceTimeout, toleratedGap) + power.maxReadDelay
    }
    private var fixTimeout: Instant.Span { max(AttachedReceiver.fixTimeout, toleratedGap) + power.maxReadDelay }

    /// One and a half periods of the receiver and a second, up to 91 s; zero before its period is
    /// known.
    private var toleratedGap: Instant.Span {
        pipeline.period.map { .milliseconds(Int64($0) * 3 / 2 + 1000) } ?? .zero
    }

    /// When bytes without an epoch count as not understood; nil after the first epoch.
    private var unknownProtocolTime: Instant? {
        guard pipeline.lastEpoch == nil, let firstBytes else { return nil }
        return firstBytes + AttachedReceiver.firstEpochTimeout + power.maxReadDelay
    }

    private func hasRecentBytes(at now: Instant) -> Bool {
        lastBytes.map { now - $0 < silenceTimeout } ?? false
    }

    private func healthOfReceivedData(at now: Instant) -> (ReceiverHealth, Unavailability?) {
        if isFixing(at: now) { return (.hasFix, nil) }
        if let antenna = pipeline.antenna, antenna != .good {
            let fault = antenna == .open ? "is not connected" : "is shorted"
            return (
                .sendingWithoutFix,
                Unavailability(
                    .antennaFault,
                    detail: "\(name) reports that its antenna \(fault): check the connector and the cable")
            )
        }
        if pipeline.lastEpoch == nil {
            guard let limit = unknownProtocolTime, limit <= now else {
                return (
                    .sendingWithoutFix,
                    Unavailability(.starting, detail: "\(name) sends data; its first epoch is not complete yet")
                )
            }
            return (.sendingWithoutFix, Unavailability(.notUnderstood, detail: reasonForNoEpoch))
        }
        if pipeline.isClockFrozen {
            let detail =
                "\(name) repeats an old position and its clock is frozen, "
                + "as after loss of the satellite signals; check its antenna"
            return (.sendingWithoutFix, Unavailability(.noFix, detail: detail))
        }
        let tracked = pipeline.skyView(at: now).satellites.count { $0.carrierToNoise != nil }
        // The text contains no satellite count, because each change of the text is published to
        // every stream.
        let sky =
            tracked == 0
            ? "no satellite" : tracked < 4 ? "too few satellites" : "satellites, but their signals are too weak"
        let detail =
            "\(name) sends data and has no fix: it receives \(sky); give its antenna a clear view of the sky"
        return (.sendingWithoutFix, Unavailability(.noFix, detail: detail))
    }

    /// What arrives instead of a position, and what to do about it.
    private var reasonForNoEpoch: String {
        let counts = counts
        let damaged = counts.checksumErrors + counts.truncated + counts.overlong + counts.malformed
        if counts.missingChecksums > max(counts.sentences, damaged) {
            return "\(port) sends lines without the checksum that is expected of them: "
                + "check whether its cable or a multiplexer loses characters"
        }
        if damaged > counts.sentences {
            return "\(port) sends damaged NMEA sentences: check its cable, and its baud rate if one is configured"
        }
        if pipeline.hasAIS {
            return "\(port) sends AIS messages of ships, but no position of this device: "
                + "connect a GNSS receiver, or enable GGA and RMC in the AIS device if it has them"
        }
        if counts.sentences > 0 {
            return "\(port) sends NMEA sentences, but none with a position: enable GGA and RMC in the receiver"
        }
        return "\(port) sends data but no NMEA sentence: "
            + "set its baud rate, or enable GGA and RMC and disable binary output"
    }

    /// Returns the state without data since the port was opened or since the last byte.
    private func silent(at now: Instant, _ health: ReceiverHealth) -> (ReceiverHealth, Unavailability?) {
        guard now - (lastBytes ?? statusSince) >= silenceTimeout else {
            return (health, Unavailability(.starting, detail: "\(port) is open; nothing has arrived yet"))
        }
        let detail =
            "\(port) is open but its receiver sends no data: check its power and wiring, or whether it is asleep"
        return (.silent, Unavailability(.receiverSilent, detail: detail))
    }
}
