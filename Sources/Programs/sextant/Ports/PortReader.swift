import Chronology
import Locator
import Positioning
import Receivers
import SerialPorts
import SextantAPI

/// Reads a receiver's port without the daemon, in the same way: the same baud rate detection and
/// the same core.
struct PortReader {
    enum ReadResult {
        /// Bytes at a confirmed or requested baud rate, including those received since the last
        /// change of rate.
        case bytes([UInt8])
        /// Nothing usable yet.
        case nothing
        case lost(PortLoss)
    }

    private static let receiver = ReceiverID(0)
    private static let stream = RequestID(0)
    /// The maximum number of bytes kept while the baud rate is uncertain: some seconds of the
    /// fastest line.
    private static let maxBufferedBytes = 1 << 18

    let device: DeviceDescription
    private let port: SerialPort
    /// The baud rate detection; nil if the rate is given or does not apply.
    private var baudDetector: BaudRateDetector?
    /// What arrives while there is no NMEA.
    private var recognizer: LineRecognizer
    private var locator = Locator()
    private var buffered: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: 16_384)
    /// The last update of the stream.
    private(set) var update = Update()

    /// Opens and claims the port.
    ///
    /// - Parameter baudRate: The baud rate in bits per second; nil detects it.
    /// - Throws: A ``SerialError`` if the port cannot be opened.
    init(_ device: DeviceDescription, baudRate: Int?, at now: Instant) throws(SerialError) {
        self.device = device
        port = try SerialPort(path: device.path, baudRate: baudRate)
        baudDetector = baudRate == nil && port.hasBaudRate ? BaudRateDetector(present: port.baudRate) : nil
        recognizer = LineRecognizer(baudRate: baudRate)
        if let baudDetector, baudDetector.baudRate != port.baudRate { try port.setBaudRate(baudDetector.baudRate) }
        restart(at: now)
    }

    /// The file descriptor; readable when bytes have arrived.
    var descriptor: Int32 { port.descriptor }
    /// The current baud rate in bits per second; nil for a port without baud rate.
    var baud: Int? { port.hasBaudRate ? baudDetector?.baudRate ?? port.baudRate : nil }
    /// Whether the baud rate is confirmed, given, or not applicable.
    var hasBaudRate: Bool { baudDetector?.isLocked ?? true }
    var location: Location? { update.location.flatMap(Location.init) }
    /// When ``tick(at:)`` is due.
    var deadline: Instant? { earliest(baudDetector?.deadline, locator.deadline()) }

    /// Returns the receiver in the form of `io.sextant.Receiver`.
    func message(at now: Instant) -> Receiver? {
        guard let report = locator.reports(at: now).first else { return nil }
        var message = Receiver(report)
        message.product = device.model
        message.usb = device.usb?.numbers
        message.serialNumber = device.usb?.serial
        message.baud = baud
        return message
    }

    /// Reads the available bytes.
    mutating func read(at now: Instant) -> ReadResult {
        switch port.read(into: &buffer) {
        case .wouldBlock: return .nothing
        case .lost(let loss): return .lost(loss)
        case .bytes(let count): return process(Array(buffer.prefix(count)), at: now)
        }
    }

    /// Processes the reached deadline.
    mutating func tick(at now: Instant) {
        locator.tick(at: now)
        collectUpdates()
        perform(baudDetector?.tick(at: now), at: now)
    }

    private mutating func process(_ bytes: [UInt8], at now: Instant) -> ReadResult {
        let result = locator.receive(bytes.span.bytes, from: PortReader.receiver, at: now)
        if let last = result.updates.last { update = last.update }
        collectUpdates()
        buffered += bytes
        if buffered.count > PortReader.maxBufferedBytes {
            buffered.removeFirst(buffered.count - PortReader.maxBufferedBytes)
        }
        let before = recognizer.frames
        if result.summary.sentences == 0 { recognizer.push(bytes.span.bytes, at: now) }
        let action = baudDetector?.received(
            bytes: bytes.count, goodSentences: result.summary.sentences, frames: recognizer.frames - before,
            isRecognized: recognizer.family != nil, at: now)
        perform(action, at: now)
        if let family = recognizer.family, result.summary.sentences == 0, baudDetector?.isLocked != true {
            set(.unreadable(device.path, family, at: baud), at: now)
        }
        guard hasBaudRate else { return .nothing }
        defer { buffered.removeAll(keepingCapacity: true) }
        return buffered.isEmpty ? .nothing : .bytes(buffered)
    }

    private mutating func perform(_ action: BaudRateDetector.Action?, at now: Instant) {
        switch action {
        case nil: return
        case .locked: set(.open, at: now)
        case .setBaud(let baudRate):
            var next: Int? = baudRate
            while let baudRate = next, (try? port.setBaudRate(baudRate)) == nil { next = nextRateAfterRefusal() }
            // Data received at the wrong baud rate is discarded.
            locator = Locator()
            buffered.removeAll(keepingCapacity: true)
            restart(at: now)
        }
    }

    private mutating func nextRateAfterRefusal() -> Int? {
        if case .setBaud(let rate)? = baudDetector?.baudRateRefused() { rate } else { nil }
    }

    private mutating func restart(at now: Instant) {
        recognizer = recognizer.restarted(baudRate: baud)
        let status =
            hasBaudRate
            ? PortStatus.open
            : .detectingBaudRate(
                "detecting the baud rate of \(device.path): no valid GNSS data at \(baud ?? 0) baud yet")
        locator.attach(PortReader.receiver, name: device.name, port: device.path, status: status, at: now)
        // Updates continue while the device is stationary: the user wants to see the receiver work.
        let request = StreamRequest(
            configuration: .automotiveNavigation, options: StreamOptions(pausesWhenStationary: false))
        update = locator.subscribe(request, id: PortReader.stream, at: now)
        collectUpdates()
    }

    private mutating func set(_ status: PortStatus, at now: Instant) {
        locator.set(status, of: PortReader.receiver, at: now)
        collectUpdates()
    }

    private mutating func collectUpdates() {
        for case .request(.publish(let update, _)) in locator.takeEffects() { self.update = update }
    }
}
