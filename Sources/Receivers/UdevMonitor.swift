import CUdev
import Glibc

/// Tells of serial devices that come and go (libudev's monitor).
///
/// Begin with ``catchUp()``, which tells of the devices there are, then call ``receive()`` whenever ``descriptor`` is readable.
public final class UdevMonitor {
    /// Why there is nothing to wait for, and the caller has to look for itself now and then.
    public enum Unavailable: Error, Sendable, Hashable, CustomStringConvertible {
        /// No udev daemon runs on this system, as in most containers.
        case noDaemon
        /// The kernel's socket for device events could not be had.
        case noSocket(code: Int32)

        /// The reason in words.
        public var description: String {
            switch self {
            case .noDaemon: "no udev runs here"
            case .noSocket(let code):
                "device events cannot be heard (\(String(cString: strerror(code))))"
            }
        }
    }

    /// Readable when something happened; for the event loop.
    public let descriptor: Int32

    private let monitor: OpaquePointer
    private let initializedOnly: Bool
    private var roll = DeviceRoll()

    /// Listens from now on, so that nothing is lost between this and ``catchUp()``.
    ///
    /// - Throws: ``Unavailable``.
    public convenience init() throws(Unavailable) {
        // libudev itself takes this file for the sign of life; without it the monitor would be made and stay silent for ever.
        guard access("/run/udev/control", F_OK) == 0 else { throw .noDaemon }
        try self.init(initializedOnly: true)
    }

    /// - Parameter initializedOnly: pass over devices udev is not done with; their event is still to come.
    init(initializedOnly: Bool) throws(Unavailable) {
        guard let udev = udev_new() else { throw .noSocket(code: errno) }
        defer { udev_unref(udev) }
        guard let monitor = udev_monitor_new_from_netlink(udev, "udev") else { throw .noSocket(code: errno) }
        for subsystem in DeviceRegister.subsystems {
            udev_monitor_filter_add_match_subsystem_devtype(monitor, subsystem, nil)
        }
        let result = udev_monitor_enable_receiving(monitor)
        guard result >= 0 else {
            udev_monitor_unref(monitor)
            throw .noSocket(code: 0 &- result)
        }
        self.monitor = monitor
        self.initializedOnly = initializedOnly
        descriptor = udev_monitor_get_fd(monitor)
    }

    deinit { udev_monitor_unref(monitor) }

    /// The difference between what was told and what is there: at first, every device present.
    public func catchUp() -> [DeviceEvent] {
        roll.update(with: DeviceRegister.present(initializedOnly: initializedOnly))
    }

    /// What happened since the last call; does not wait.
    public func receive() -> [DeviceEvent] {
        var events: [DeviceEvent] = []
        while true {
            errno = 0
            if let device = UdevDevice(owning: udev_monitor_receive_device(monitor)) {
                if let event = event(device) { events.append(event) }
            } else if errno == ENOBUFS {
                events += catchUp()  // events were lost because nobody read them in time
            } else if errno != EINTR {
                return events
            }
        }
    }

    private func event(_ device: UdevDevice) -> DeviceEvent? {
        guard let description = DeviceDescription(device), !DeviceRegister.isConsole(description) else { return nil }
        return device.action == "remove" ? roll.remove(description.path) : roll.add(description)
    }
}
