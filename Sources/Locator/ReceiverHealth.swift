import Chronology
import Delivery
import NMEA
import Positioning

/// Where a receiver stands; raw values are the wire's names.
public enum ReceiverHealth: String, Sendable, Codable, CaseIterable {
    /// The port does not exist.
    case absent
    /// The daemon may not open the port.
    case denied
    /// Another program holds the port.
    case busy
    /// The port's speed is being found.
    case hunting
    /// Nothing has arrived for a while.
    case silent
    /// It was let rest, since nobody needs it, and is woken for whoever does.
    case resting
    /// GNSS sentences arrive, without a fix.
    case talking
    /// GNSS sentences arrive, with a fix.
    case fixing
}

extension ReceiverTrack {
    /// Whether a client that says this means it.
    func answers(to word: String) -> Bool { word == name || word == port }

    /// Where it stands, and why it gives no position if so.
    func judge(at now: Instant) -> (health: ReceiverHealth, unavailability: Unavailability?) {
        switch status {
        case .absent: (.absent, status.unavailability)
        case .denied: (.denied, status.unavailability)
        case .busy: (.busy, status.unavailability)
        case .hunting(let words):
            excused(isHeard(at: now) ? (.hunting, Unavailability(.notUnderstood, words)) : silent(at: now, .hunting), at: now)
        case .open where power.planner.isBlind && !isFixing(at: now): (.talking, withoutSky)
        case .open: excused(isHeard(at: now) ? judgeTalk(at: now) : silent(at: now, .silent), at: now)
        }
    }

    /// It is searched for now and then: the words are the same while it sleeps and while it is awake, or each would be told.
    private var withoutSky: Unavailability {
        let words =
            "\(name) has had no fix for minutes and, to save power, looks for one now and then; give its antenna a clear view of the sky"
        return Unavailability(.noFix, words)
    }

    /// A receiver that was told to rest is not to blame for its silence: who has been told a position hears nothing of it. One that has never
    /// been heard was told nothing. Nor is the port to blame that was closed for the rest, and is hunted again for its first sentence.
    private func excused(
        _ judged: (health: ReceiverHealth, unavailability: Unavailability?), at now: Instant
    ) -> (ReceiverHealth, Unavailability?) {
        guard let cause = judged.unavailability?.cause, cause.isNoNewsAtRest || judged.health == .hunting else { return judged }
        guard counts.sentences > 0, power.excuses(at: now) else { return judged }
        let health = power.isAsleep ? .resting : judged.health
        guard lastPosition == nil else { return (health, nil) }
        let words = power.isAsleep ? "\(name) is let rest to save power; it is woken for a position" : "\(name) has been woken"
        return (health, Unavailability(.starting, words))
    }

    /// When time alone will change what ``judge(at:)`` says: the fix grows old, or the silence long.
    func nextChange(at now: Instant) -> Instant? {
        guard status.unavailability == nil else { return nil }
        // While it sleeps time changes nothing, and its word to wake comes before any deadline here.
        if power.isAsleep, counts.sentences > 0 { return nil }
        let wakes = power.wakesUntil.flatMap { $0 > now ? $0 : nil }
        let silentAt = (lastBytes ?? statusSince) + silence
        guard silentAt > now else { return wakes }
        if let puzzling = puzzlingAt, puzzling > now { return earliest(min(silentAt, puzzling), wakes) }
        guard let fixed = pipeline.lastFixAt, fixed + fixPatience > now else { return earliest(silentAt, wakes) }
        return earliest(min(silentAt, fixed + fixPatience), wakes)
    }

    /// Whether its last fix is still its present one.
    func isFixing(at now: Instant) -> Bool {
        guard status == .open, isHeard(at: now), let fixed = pipeline.lastFixAt else { return false }
        return now - fixed < fixPatience
    }

    private var silence: Instant.Span { ReceiverTrack.silence + power.readLag }
    private var fixPatience: Instant.Span { ReceiverTrack.fixPatience + power.readLag }

    /// When bytes that make no epoch stop being a beginning; nil once there was an epoch.
    private var puzzlingAt: Instant? {
        guard pipeline.lastEpoch == nil, let firstBytes else { return nil }
        return firstBytes + ReceiverTrack.patience + power.readLag
    }

    private func isHeard(at now: Instant) -> Bool {
        lastBytes.map { now - $0 < silence } ?? false
    }

    private func judgeTalk(at now: Instant) -> (ReceiverHealth, Unavailability?) {
        if isFixing(at: now) { return (.fixing, nil) }
        if let antenna = pipeline.antenna, antenna != .good {
            let fault = antenna == .open ? "is not connected" : "is shorted"
            return (.talking, Unavailability(.antennaFault, "\(name) reports that its antenna \(fault): check the plug and the cable"))
        }
        if pipeline.lastEpoch == nil {
            guard let puzzling = puzzlingAt, puzzling <= now else {
                return (.talking, Unavailability(.starting, "\(name) has been heard; its first epoch is not complete"))
            }
            let words = "\(port) sends bytes but no NMEA position: set its speed, or switch GGA and RMC on and binary output off"
            return (.talking, Unavailability(.notUnderstood, words))
        }
        if pipeline.clockStandsStill {
            let words = "\(name) repeats an old position: its clock stands still, as when the satellites are lost; check its antenna"
            return (.talking, Unavailability(.noFix, words))
        }
        let tracked = pipeline.skyView(at: now).satellites.count { $0.carrierToNoise != nil }
        // No number: every change of the words is told to every stream.
        let sky = tracked == 0 ? "no satellite" : tracked < 4 ? "too few satellites" : "satellites, not yet well enough"
        let words = "\(name) talks and has no fix: it hears \(sky); give its antenna a clear view of the sky"
        return (.talking, Unavailability(.noFix, words))
    }

    /// Nothing arrives: since the port was opened, or since the last byte.
    private func silent(at now: Instant, _ health: ReceiverHealth) -> (ReceiverHealth, Unavailability?) {
        guard now - (lastBytes ?? statusSince) >= silence else {
            return (health, Unavailability(.starting, "\(port) is open; nothing has arrived yet"))
        }
        let words = "\(port) is open and nothing arrives: check the receiver's power and wiring, or whether it sleeps"
        return (.silent, Unavailability(.receiverSilent, words))
    }
}
