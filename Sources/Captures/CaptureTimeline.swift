import Chronology
import NMEA

/// Gives the lines of a capture the instants at which they would have arrived, by the times that its sentences state.
///
/// Lines of one epoch arrive together. A new time of day moves the clock on by the step it makes; a step back, or one of over an hour, is
/// taken for a restart and counts as one second, as does an untimed epoch that repeats.
struct CaptureTimeline {
    private static let longestStep = 3_600_000

    private(set) var now = Instant.zero
    private var probe = SentenceStream()
    private var time: TimeOfDay?
    private var untimed: Set<Address> = []

    /// Looks at a line before it is fed to the core; returns when it arrives.
    mutating func arrival(of line: RawSpan) -> Instant {
        var heard: [(Address, TimeOfDay?)] = []
        probe.push(line) { address, sentence in
            switch sentence {
            case .gga(let gga): heard.append((address, gga.time))
            case .rmc(let rmc): heard.append((address, rmc.time))
            case .gll(let gll): heard.append((address, gll.time))
            case .gns(let gns): heard.append((address, gns.time))
            case .pubx00(let pubx): heard.append((address, pubx.time))
            case .proprietary(let own) where own.isSolution: heard.append((address, own.time))
            default: break
            }
        }
        for (address, time) in heard { step(address, time) }
        return now
    }

    private mutating func step(_ address: Address, _ stated: TimeOfDay?) {
        guard let stated else {
            if !untimed.insert(address).inserted {
                now = now + .seconds(1)
                untimed = [address]
            }
            return
        }
        untimed.removeAll()
        defer { time = stated }
        guard let time, time != stated else { return }
        var delta = stated.milliseconds - time.milliseconds
        if delta < -Int(UTCTime.day) / 2 { delta += Int(UTCTime.day) }
        let isStep = delta > 0 && delta <= CaptureTimeline.longestStep
        now = now + .milliseconds(isStep ? Int64(delta) : 1000)
    }
}
