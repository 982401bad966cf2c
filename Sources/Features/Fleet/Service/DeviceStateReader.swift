import Chronology

/// Reads the members of messages that describe the device, besides its position.
final class DeviceStateReader {
    private let battery = BatteryReader()
    private let network = NetworkReader()
    private let time: () -> UTCTime?
    private let mode: DeviceState.MonitoringMode

    /// - Parameters:
    ///   - mode: When the device reports positions.
    ///   - time: Returns UTC; nil if it is not known.
    init(mode: DeviceState.MonitoringMode, time: @escaping () -> UTCTime?) {
        self.mode = mode
        self.time = time
    }

    /// Returns the state of a device that has entered these fences.
    func state(in fences: [FenceName], at now: Instant) -> DeviceState {
        DeviceState(
            time: time(), battery: battery.battery(at: now), network: network.kind(at: now), fences: fences, mode: mode)
    }
}
