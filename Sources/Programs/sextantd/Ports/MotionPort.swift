import Chronology
import Glibc
import SerialPorts
import ServiceRuntime
import SystemCalls

/// A motion device of the configuration. It is watched while the device rests, so that it causes no
/// wakeup while driving.
final class MotionPort {
    /// How long a device is not watched after a report, so that a source without end costs three
    /// wakeups a minute. It is shorter than the time by which a report may precede a departure.
    private static let pause = Instant.Span.seconds(20)

    let setting: MotionSetting
    /// Why the device cannot be read; nil if it can.
    private(set) var problem: SystemError?
    /// What tells the device from others; nil until it was opened.
    private(set) var identity: String?
    private let loop: EventLoop
    private let open: (MotionDevice.Kind) throws(SystemError) -> MotionDevice
    /// Called with each report, and with nil when ``problem`` or ``identity`` has changed.
    private let onChange: (Instant?) -> Void
    private var device: MotionDevice?
    private var source: IOSource?
    /// The rest for which the device is watched.
    private var restingSince: Instant?
    private var watchesAgainAt = Instant.zero

    /// - Parameters:
    ///   - open: Opens the device; tests open another.
    ///   - onChange: Called with the time of each report, and with nil after a change of
    ///     ``problem`` or ``identity``.
    init(
        _ setting: MotionSetting, loop: EventLoop,
        open: @escaping (MotionDevice.Kind) throws(SystemError) -> MotionDevice = MotionDevice.open,
        onChange: @escaping (Instant?) -> Void
    ) {
        self.setting = setting
        self.loop = loop
        self.open = open
        self.onChange = onChange
    }

    /// Whether the device may be read once udev has announced it or changed its mode.
    var awaitsArrival: Bool { problem.map { [ENOENT, ENODEV, ENXIO, EACCES, EPERM].contains($0.code) } ?? false }

    /// When ``update(restingSince:at:)`` is due; nil if only a report or a change of the rest is.
    var deadline: Instant? { restingSince != nil && device != nil && source == nil ? watchesAgainAt : nil }

    /// Begins or ends to watch the device.
    ///
    /// - Parameter restingSince: When the present rest began; nil while reports are not wanted.
    func update(restingSince: Instant?, at now: Instant) {
        if restingSince != self.restingSince {
            self.restingSince = restingSince
            source = nil
            // The buffer of a socket would fill during the drive; that of a new one is empty.
            if case .can = setting.device { device = nil }
            guard restingSince != nil else { return }
            watchesAgainAt = now
            discardEarlierReports()
        }
        guard restingSince != nil, let device, source == nil, watchesAgainAt <= now else { return }
        do throws(SystemError) {
            source = try loop.watch(device.descriptor, for: .readable) { [unowned self] _ in receive() }
        } catch { close(because: error) }
    }

    /// Opens the device if it is not open. It may have come since the last attempt.
    func openIfAbsent() {
        guard device == nil else { return }
        do throws(SystemError) {
            let opened = try open(setting.device)
            device = opened
            // Only a frame shows that an interface is up again.
            guard problem.map({ $0.code != ENETDOWN }) ?? (identity != opened.identity) else { return }
            (problem, identity) = (nil, opened.identity)
            onChange(nil)
        } catch { close(because: error) }
    }

    /// The device reported while it was not watched: that was the drive.
    private func discardEarlierReports() {
        openIfAbsent()
        do throws(SystemError) { _ = try device?.receive() } catch { close(because: error) }
    }

    private func receive() {
        source = nil
        watchesAgainAt = loop.now + MotionPort.pause
        do throws(SystemError) {
            guard try device?.receive() == true else { return }
            if problem != nil {
                problem = nil
                onChange(nil)
            }
            onChange(loop.now)
        } catch { close(because: error) }
    }

    private func close(because error: SystemError) {
        source = nil
        // The socket of an interface that is down stays bound.
        if error.code == ENETDOWN { watchesAgainAt = loop.now + MotionPort.pause } else { device = nil }
        guard error != problem else { return }
        problem = error
        onChange(nil)
    }
}
