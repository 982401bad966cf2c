/// The addition or removal of a device.
package enum DeviceEvent: Sendable, Hashable {
    /// The device was plugged in and is ready to be opened.
    case appeared(DeviceDescription)
    /// The device was unplugged.
    case removed(path: String)
}

/// Tracks the present devices by path and reports each device once until it is removed.
///
/// Where no udev daemon runs, the caller enumerates the devices itself and passes them to
/// ``update(with:)``.
package struct DeviceTracker: Sendable {
    private var known: Set<String> = []

    /// Creates a tracker without devices.
    package init() {}

    /// Replaces the set of known devices by the devices that are present now.
    ///
    /// - Returns: The changes: first the removed devices in path order, then the added devices in
    ///   the given order.
    package mutating func update(with present: [DeviceDescription]) -> [DeviceEvent] {
        let removed = known.subtracting(present.map(\.path)).sorted()
        return removed.compactMap { remove($0) } + present.compactMap { add($0) }
    }

    /// - Returns: ``DeviceEvent/appeared(_:)``, or nil for a known device.
    package mutating func add(_ device: DeviceDescription) -> DeviceEvent? {
        known.insert(device.path).inserted ? .appeared(device) : nil
    }

    /// - Returns: ``DeviceEvent/removed(path:)``, or nil for an unknown device.
    package mutating func remove(_ path: String) -> DeviceEvent? {
        known.remove(path) != nil ? .removed(path: path) : nil
    }
}
