import Chronology
import Delivery
import Locator
import Receivers
import Serial
import Wire

/// A receiver's port listened to without the daemon, but as it does: the same hunt for the speed, and the same core behind it.
struct PortListener {
    /// What a read brought.
    enum Heard {
        /// Bytes at a speed at which the receiver is understood, or that was asked for; those since the last change of speed included.
        case bytes([UInt8])
        /// Nothing of use yet.
        case nothing
        /// The port is of no more use.
        case lost(PortLoss)
    }

    private static let receiver = ReceiverID(0)
    private static let stream = StreamID(0)
    /// Bytes kept while the speed is not certain: some seconds of the fastest line.
    private static let mostHeld = 1 << 18

    let device: DeviceDescription
    private let port: SerialPort
    /// Nil where the speed is given, or does not matter.
    private var hunt: BaudHunt?
    private var locator = Locator()
    private var held: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: 16_384)
    /// What a subscriber would know.
    private(set) var update = Update()

    /// Opens and claims the port; see ``PortFailure`` for what can go wrong.
    ///
    /// - Parameter speed: bits per second; nil finds it.
    init(_ device: DeviceDescription, speed: Int?, at now: Instant) throws(SerialError) {
        self.device = device
        port = try SerialPort(path: device.path, speed: speed)
        hunt = speed == nil && port.speedMatters ? BaudHunt(present: port.speed) : nil
        if let hunt, hunt.speed != port.speed { try port.setSpeed(hunt.speed) }
        begin(at: now)
    }

    /// Readable when bytes have come.
    var descriptor: Int32 { port.descriptor }
    /// Bits per second now; nil where there is no line.
    var baud: Int? { port.speedMatters ? hunt?.speed ?? port.speed : nil }
    /// Whether what comes is understood, as far as that can be told.
    var isUnderstood: Bool { hunt?.isLocked ?? true }
    /// The newest position.
    var location: LocationMessage? { update.location.flatMap(LocationMessage.init) }
    /// When ``tick(at:)`` is due.
    var deadline: Instant? { earliest(hunt?.deadline, locator.deadline()) }

    /// The receiver as `io.sextant.Receiver` tells of one.
    func message(at now: Instant) -> ReceiverMessage? {
        guard let report = locator.reports(at: now).first else { return nil }
        var message = ReceiverMessage(report)
        message.product = device.model
        message.usb = device.usb?.numbers
        message.serialNumber = device.usb?.serial
        message.baud = baud
        return message
    }

    /// Reads what is there.
    mutating func read(at now: Instant) -> Heard {
        switch port.read(into: &buffer) {
        case .wouldBlock: return .nothing
        case .gone(let loss): return .lost(loss)
        case .bytes(let count): return take(Array(buffer.prefix(count)), at: now)
        }
    }

    /// The deadline has come.
    mutating func tick(at now: Instant) {
        var effects: [Effect] = []
        locator.tick(at: now, into: &effects)
        note(effects)
        follow(hunt?.tick(at: now), at: now)
    }

    private mutating func take(_ bytes: [UInt8], at now: Instant) -> Heard {
        var effects: [Effect] = []
        let good = locator.receive(bytes.span.bytes, from: PortListener.receiver, at: now, into: &effects).sentences
        note(effects)
        held += bytes
        if held.count > PortListener.mostHeld { held.removeFirst(held.count - PortListener.mostHeld) }
        follow(hunt?.received(bytes: bytes.count, goodSentences: good, at: now), at: now)
        guard isUnderstood else { return .nothing }
        defer { held.removeAll(keepingCapacity: true) }
        return held.isEmpty ? .nothing : .bytes(held)
    }

    private mutating func follow(_ action: BaudHunt.Action?, at now: Instant) {
        switch action {
        case nil: return
        case .locked: set(.open, at: now)
        case .setBaud(let speed):
            var next: Int? = speed
            while let speed = next, (try? port.setSpeed(speed)) == nil { next = refused() }
            // What was heard at the wrong speed counts for nothing.
            locator = Locator()
            held.removeAll(keepingCapacity: true)
            begin(at: now)
        }
    }

    private mutating func refused() -> Int? {
        if case .setBaud(let other)? = hunt?.speedRefused() { other } else { nil }
    }

    private mutating func begin(at now: Instant) {
        var effects: [Effect] = []
        let status = isUnderstood ? PortStatus.open : .hunting("\(device.path) is heard at \(baud ?? 0) baud and not understood so far")
        locator.attach(PortListener.receiver, name: device.name, port: device.path, status: status, at: now, into: &effects)
        // Whoever listens to a port wants to see it work, at rest too.
        let request = StreamRequest(configuration: .automotiveNavigation, options: StreamOptions(pausesWhenStationary: false))
        locator.subscribe(PortListener.stream, request, at: now, into: &effects)
        note(effects)
    }

    private mutating func set(_ status: PortStatus, at now: Instant) {
        var effects: [Effect] = []
        locator.set(status, of: PortListener.receiver, at: now, into: &effects)
        note(effects)
    }

    private mutating func note(_ effects: [Effect]) {
        for case .publish(let update, _) in effects { self.update = update }
    }
}
