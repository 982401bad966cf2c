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
    /// GNSS sentences arrive, without a fix.
    case talking
    /// GNSS sentences arrive, with a fix.
    case fixing
}

extension ReceiverTrack {
    /// Where it stands, why it gives no position if so, and when that may change by the mere passing of time.
    func judge(at now: Instant) -> (health: ReceiverHealth, unavailability: Unavailability?, changes: Instant?) {
        switch status {
        case .absent: return (.absent, status.unavailability, nil)
        case .denied: return (.denied, status.unavailability, nil)
        case .busy: return (.busy, status.unavailability, nil)
        case .hunting(let words):
            guard let heard = lastBytes, now - heard < ReceiverTrack.silence else { return silent(at: now, .hunting) }
            return (.hunting, Unavailability(.notUnderstood, words), heard + ReceiverTrack.silence)
        case .open: return judgeOpen(at: now)
        }
    }

    private func judgeOpen(at now: Instant) -> (ReceiverHealth, Unavailability?, Instant?) {
        guard let heard = lastBytes, now - heard < ReceiverTrack.silence else { return silent(at: now, .silent) }
        let silentAt = heard + ReceiverTrack.silence
        if let lastFix = pipeline.lastFix, now - lastFix.at < ReceiverTrack.fixPatience {
            return (.fixing, nil, min(silentAt, lastFix.at + ReceiverTrack.fixPatience))
        }
        if pipeline.antenna == .open || pipeline.antenna == .short {
            let fault = pipeline.antenna == .open ? "is not connected" : "is shorted"
            return (.talking, Unavailability(.antennaFault, "\(name) reports that its antenna \(fault): check the plug and the cable"), silentAt)
        }
        guard pipeline.epochs > 0 else {
            return (.talking, Unavailability(.starting, "\(name) has been heard; its first epoch is not complete"), silentAt)
        }
        let tracked = pipeline.skyView(at: now).satellites.count { $0.carrierToNoise != nil }
        // No number: every change of the words is told to every stream.
        let sky = tracked == 0 ? "no satellite" : tracked < 4 ? "too few satellites" : "satellites and needs a little longer, or better ones"
        let words = "\(name) talks and has no fix: it hears \(sky); give its antenna a clear view of the sky"
        return (.talking, Unavailability(.noFix, words), silentAt)
    }

    /// Nothing arrives: since the port was opened, or since the last byte.
    private func silent(at now: Instant, _ health: ReceiverHealth) -> (ReceiverHealth, Unavailability?, Instant?) {
        let quietSince = lastBytes ?? statusSince
        guard now - quietSince >= ReceiverTrack.silence else {
            return (health, Unavailability(.starting, "\(port) is open; nothing has arrived yet"), quietSince + ReceiverTrack.silence)
        }
        let words = "\(port) is open and nothing arrives: check the receiver's power and wiring, or whether it sleeps"
        return (.silent, Unavailability(.receiverSilent, words), nil)
    }
}
