/// What happened to a device.
public enum DeviceEvent: Sendable, Hashable {
    /// It was plugged in, and is ready to be opened.
    case appeared(DeviceDescription)
    /// It was unplugged.
    case vanished(path: String)
}

/// The devices that have been told of, by path: each is told once until it vanishes, whoever tells of it.
///
/// Where no udev runs, the caller looks for itself and gives what it found to ``update(with:)``.
public struct DeviceRoll: Sendable {
    private var known: Set<String> = []

    /// No device told of so far.
    public init() {}

    /// Takes the devices that are there now for all there are.
    ///
    /// - Returns: what changed; first what vanished, in the order of the paths, then what appeared, in the order given.
    public mutating func update(with present: [DeviceDescription]) -> [DeviceEvent] {
        let gone = known.subtracting(present.map(\.path)).sorted()
        return gone.compactMap { remove($0) } + present.compactMap { add($0) }
    }

    /// - Returns: ``DeviceEvent/appeared(_:)``, or `nil` for a device told of before.
    mutating func add(_ device: DeviceDescription) -> DeviceEvent? {
        known.insert(device.path).inserted ? .appeared(device) : nil
    }

    /// - Returns: ``DeviceEvent/vanished(path:)``, or `nil` for a device never told of.
    mutating func remove(_ path: String) -> DeviceEvent? {
        known.remove(path) != nil ? .vanished(path: path) : nil
    }
}
