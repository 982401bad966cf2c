import Locator
import SextantAPI
import Varlink

/// gpsd's report of a receiver (gpsd_json(5), DEVICE).
struct DeviceReport: Equatable {
    /// The path of the port.
    let path: String
    /// Bits per second.
    private let baud: Int
    /// Seconds between epochs.
    private let cycle: Double
    /// The receiver by its own sentences.
    private let subtype: String?
    /// The time at which the bridge saw the open port first; nil while it is not open.
    let activated: String?

    /// The speed that is reported for ports without one, or before it is known: clients divide by
    /// it or refuse a device without it.
    private static let assumedBaud = 9600

    /// Creates the report of a receiver; `time` is that of the bridge.
    init(_ receiver: Receiver, after earlier: DeviceReport?, at time: String) {
        path = receiver.port
        baud = receiver.baud ?? DeviceReport.assumedBaud
        cycle = receiver.rate.flatMap { $0 > 0 ? 1 / $0 : nil } ?? 1
        let identity = receiver.identity
        let parts = [identity?.vendor, identity?.module ?? identity?.chipset, identity?.firmware].compactMap { $0 }
        subtype = parts.isEmpty ? nil : parts.joined(separator: " ")
        let isOpen =
            switch receiver.state {
            case .absent, .denied, .busy, .unknown: false
            case .detectingBaudRate, .silent, .asleep, .sendingWithoutFix, .hasFix: true
            }
        activated = isOpen ? earlier?.activated ?? time : nil
    }

    /// Creates the report of a receiver that is no longer there.
    init(removed earlier: DeviceReport) {
        path = earlier.path
        baud = earlier.baud
        cycle = earlier.cycle
        subtype = earlier.subtype
        activated = nil
    }

    func write(to object: inout ObjectWriter) {
        object.append("DEVICE", forKey: "class")
        object.append(path, forKey: "path")
        object.append("NMEA0183", forKey: "driver")
        object.append(subtype.map { String($0.prefix(63)) }, forKey: "subtype")
        if let activated {
            object.append(activated, forKey: "activated")
        } else {
            object.append(0, forKey: "activated")
        }
        object.append(1, forKey: "flags")
        object.append(0, forKey: "native")
        object.append(baud, forKey: "bps")
        object.append("N", forKey: "parity")
        object.append(1, forKey: "stopbits")
        object.append(cycle, forKey: "cycle", places: 2)
    }
}
