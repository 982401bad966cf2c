import CUdev
import Glibc
import Receivers

/// Reports when serial devices are added or removed (libudev's monitor).
///
/// Call ``rescan()`` first for the present devices, then ``receive()`` whenever ``descriptor`` is
/// readable.
package final class UdevMonitor {
    /// The reason why no device events are available, so that the caller has to poll.
    package enum Unavailable: Error, Sendable, Hashable, CustomStringConvertible {
        /// No udev daemon runs on this system, as in most containers.
        case noDaemon
        /// The kernel's socket for device events could not be opened.
        case noSocket(code: Int32)

        package var description: String {
            switch self {
            case .noDaemon: "no udev daemon is running"
            case .noSocket(let code):
                "cannot receive device events (\(String(cString: strerror(code))))"
            }
        }
    }

    /// The descriptor for the event loop; readable when an event is pending.
    package let descriptor: Int32

    private let monitor: OpaquePointer
    private let initializedOnly: Bool
    private var tracker = DeviceTracker()

    /// Starts to receive events, so that none is lost before ``rescan()``.
    ///
    /// - Throws: ``Unavailable``.
    ///
    /// - Parameter subsystems: Those of the devices; by default of serial devices.
    package convenience init(subsystems: [String] = DeviceEnumerator.subsystems) throws(Unavailable) {
        // libudev itself checks this file to find the daemon. Without the file, it would create a
        // monitor that never reports an event.
        guard access("/run/udev/control", F_OK) == 0 else { throw .noDaemon }
        try self.init(initializedOnly: true, subsystems: subsystems)
    }

    /// - Parameter initializedOnly: Whether to omit devices that udev has not finished processing;
    ///   their event follows.
    init(initializedOnly: Bool, subsystems: [String] = DeviceEnumerator.subsystems) throws(Unavailable) {
        guard let udev = udev_new() else { throw .noSocket(code: errno) }
        defer { udev_unref(udev) }
        guard let monitor = udev_monitor_new_from_netlink(udev, "udev") else { throw .noSocket(code: errno) }
        for subsystem in subsystems {
            udev_monitor_filter_add_match_subsystem_devtype(monitor, subsystem, nil)
        }
        let result = udev_monitor_enable_receiving(monitor)
        guard result >= 0 else {
            udev_monitor_unref(monitor)
            throw .noSocket(code: -result)
        }
        self.monitor = monitor
        self.initializedOnly = initializedOnly
        descriptor = udev_monitor_get_fd(monitor)
    }

    deinit { udev_monitor_unref(monitor) }

    /// Returns the difference between the reported and the present devices: on the first call,
    /// every present device.
    package func rescan() -> [DeviceEvent] {
        tracker.update(with: DeviceEnumerator.present(initializedOnly: initializedOnly))
    }

    /// Returns the events since the last call; does not wait.
    package func receive() -> [DeviceEvent] {
        var events: [DeviceEvent] = []
        while true {
            errno = 0
            if let device = UdevDevice(owning: udev_monitor_receive_device(monitor)) {
                if let event = event(device) { events.append(event) }
            } else if errno == ENOBUFS {
                events += rescan()  // the kernel dropped events because they were not read in time
            } else if errno != EINTR {
                return events
            }
        }
    }

    /// Discards the events since the last call, of which only the arrival matters.
    package func discard() {
        while UdevDevice(owning: udev_monitor_receive_device(monitor)) != nil {}
    }

    private func event(_ device: UdevDevice) -> DeviceEvent? {
        guard let description = DeviceDescription(device), !description.isConsole else { return nil }
        return device.action == "remove" ? tracker.remove(description.path) : tracker.add(description)
    }
}
