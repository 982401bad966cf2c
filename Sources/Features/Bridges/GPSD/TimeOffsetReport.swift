import Chronology
import Positioning
import SextantAPI
import Varlink

/// gpsd's report of the difference between the receiver's time and the host's clock
/// (gpsd_json(5), TOFF). Only clients with `pps` get it, once per epoch.
///
/// The clock is read at the end of the epoch, some tenths of a second after the time of the epoch.
/// The precision covers that.
struct TimeOffsetReport {
    /// The power of two of the precision in seconds, as gpsd states it for sentences.
    private static let precision = -2
    /// The age in seconds up to which a location is that of the present epoch.
    private static let maxAge = 0.1

    private let device: String?
    private let real: UTCTime
    private let clock: UTCTime

    /// Creates the report; nil for a location whose time is not that of a receiver now.
    ///
    /// - Parameter clock: The host's clock when the location arrived.
    init?(_ update: SubscribeReply, clock: UTCTime, device: String?) {
        guard let location = update.location, update.age ?? 0 <= TimeOffsetReport.maxAge, location.simulated != true,
            location.accuracySource != .reduced, location.quality != .estimated,
            let real = location.timestamp, real.milliseconds >= 0,
            clock.milliseconds >= 0
        else { return nil }
        (self.real, self.clock) = (real, clock)
        self.device = device
    }

    func write(to object: inout ObjectWriter) {
        object.append("TOFF", forKey: "class")
        object.append(device, forKey: "device")
        object.append(Int(clamping: real.milliseconds / 1000), forKey: "real_sec")
        object.append(Int(clamping: real.milliseconds % 1000 * 1_000_000), forKey: "real_nsec")
        object.append(Int(clamping: clock.milliseconds / 1000), forKey: "clock_sec")
        object.append(Int(clamping: clock.milliseconds % 1000 * 1_000_000), forKey: "clock_nsec")
        object.append(TimeOffsetReport.precision, forKey: "precision")
    }
}
