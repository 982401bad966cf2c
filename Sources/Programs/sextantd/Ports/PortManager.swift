import Chronology
import Locator
import Logging
import Positioning
import Receivers
import SerialPorts
import ServiceRuntime
import SystemCalls

/// All ports of the daemon: configured ones and those discovered by udev or by scanning the system.
final class PortManager {
    /// The interval of system scans if udev is not running.
    static let polling = Instant.Span.seconds(5)
    /// After this time saved states that could not be read are read again.
    static let rereading = Instant.Span.seconds(60)

    private(set) var ports: [Port] = []
    /// Removed ports whose receivers' settings are being restored, each with its deadline.
    private var closing: [(port: Port, until: Instant)] = []
    /// Whether discovery starts after those ports are closed. Before, it would find their devices
    /// in use.
    private var discoversLater = false
    private let loop: EventLoop
    private let log: Logger
    private unowned let receivers: ReceiverService
    private var nextID = 0
    private var baudRates: BaudRateCache
    private let stateDirectory: String
    private let baudRateFile: BaudRateCacheFile
    private var receiverStates = ReceiverStateStore()
    /// Why the saved states could not be read, and when they are read again; nil once they were.
    private var unreadStates: (reason: SystemError, next: Instant)?
    private let receiverStateFile: ReceiverStateFile
    private var power = Settings.Power.auto
    private var rescues = true
    private var givenAssistance = Settings.Assistance()
    private var monitor: UdevMonitor?
    private var source: IOSource?
    private var deviceTracker = DeviceTracker()
    private var nextScan: Instant?
    /// Whether the last attempt to save states has failed: the file may have them or the earlier
    /// ones.
    private var hasFailedToSave = false
    /// The receivers whose device was lost and has not returned yet.
    private var lostReceivers: Set<ReceiverID> = []

    init(loop: EventLoop, log: Logger, stateDirectory: String, receivers: ReceiverService) {
        self.loop = loop
        self.log = log
        self.receivers = receivers
        self.stateDirectory = stateDirectory
        baudRateFile = BaudRateCacheFile(path: "\(stateDirectory)/speeds")
        receiverStateFile = ReceiverStateFile(path: "\(stateDirectory)/receivers")
        let savedBaudRates = baudRateFile.load()
        baudRates = savedBaudRates.cache
        if let notice = savedBaudRates.notice { log.warning("\(notice)") }
        loadStates(at: loop.now)
    }

    /// Reads the saved states. A receiver that an earlier run put to sleep is known only there: its
    /// port, which is open already if they are read late, is opened again.
    private func loadStates(at now: Instant) {
        do throws(SystemError) {
            let saved = try receiverStateFile.load()
            (receiverStates, unreadStates) = (saved.states, nil)
            if let notice = saved.notice { log.warning("\(notice)") }
            for port in ports where savedState(of: port) != nil { port.reopen(at: now) }
        } catch {
            if unreadStates == nil {
                log.warning(
                    "cannot read the saved state of receivers: \(error); none sleeps until it is read or removed")
            }
            unreadStates = (error, now + PortManager.rereading)
        }
    }

    subscript(id: ReceiverID) -> Port? { ports.first { $0.id == id } }

    var deadline: Instant? {
        let soonest = ports.reduce(earliest(nextScan, unreadStates?.next)) { earliest($0, $1.session.deadline) }
        return closing.reduce(soonest) { earliest($0, earliest($1.until, $1.port.session.deadline)) }
    }

    func tick(at now: Instant) {
        for port in ports { port.tick(at: now) }
        closeFinishedPorts(at: now)
        if let unreadStates, unreadStates.next <= now { loadStates(at: now) }
        if let nextScan, nextScan <= now {
            self.nextScan = now + PortManager.polling
            scan(at: now)
        }
    }

    /// Applies settings: adds and removes configured ports, and starts or stops discovery. Other
    /// ports continue undisturbed.
    func apply(_ settings: Settings, at now: Instant) {
        power = settings.power
        rescues = settings.rescues
        givenAssistance = settings.assistance
        let unwanted = ports.filter { !($0.named.map(settings.ports.contains) ?? settings.discover) }
        for port in unwanted {
            // If another entry names the same device, its port continues from the saved state.
            let isStillNamed = settings.ports.contains {
                port.leads(to: $0.device) || DeviceEnumerator.isSameDevice($0.device, as: port.device.path)
            }
            remove(port, restoresSettings: !isStillNamed, at: now)
        }
        for named in settings.ports where !ports.contains(where: { $0.named == named }) {
            // A configured port replaces the discovered port of the same device.
            for duplicate in ports where duplicate.leads(to: named.device) { remove(duplicate, at: now) }
            begin(DeviceEnumerator.describe(named.device), named: named, at: now)
        }
        // A device that is no longer configured may be discovered instead, so discovery restarts
        // and reports all devices again.
        if !settings.discover || !unwanted.isEmpty { stopDiscovery() }
        discoversLater = settings.discover && !closing.isEmpty
        if settings.discover, !discoversLater { startDiscovery(at: now) }
    }

    private func begin(_ device: DeviceDescription, named: Settings.NamedPort?, at now: Instant) {
        defer { nextID += 1 }
        let port = Port(
            id: ReceiverID(nextID), name: unusedName(for: named?.name ?? device.name), device: device, named: named,
            loop: loop, power: power, rescues: rescues, assistance: givenAssistance, delegate: self)
        ports.append(port)
        if port.session.isConfirmed { handle(.confirmed(port.session.status), of: port, at: now) }
        port.open(at: now)
    }

    /// Returns an unused name, because clients select receivers by name. Of two ports that end in
    /// "gps", the second becomes "gps-2", as does the first after a receiver that a program
    /// provides.
    private func unusedName(for name: String) -> String {
        func isTaken(_ name: String) -> Bool {
            ports.contains { $0.name == name } || receivers.context.locator.receivers.hasReceiver(named: name)
        }
        guard isTaken(name) else { return name }
        var number = 2
        while isTaken("\(name)-\(number)") { number += 1 }
        return "\(name)-\(number)"
    }

    /// Removes a port.
    ///
    /// - Parameter restoresSettings: Whether the receiver's settings are restored first, as at
    ///   shutdown.
    private func remove(_ port: Port, restoresSettings: Bool = false, at now: Instant) {
        ports.removeAll { $0 === port }
        lostReceivers.remove(port.id)
        receivers.portRemoved(port, at: now)
        guard restoresSettings else { return port.close(at: now) }
        port.finish(at: now)
        if port.isFinished { port.close(at: now) } else { closing.append((port, now + Shutdown.timeout)) }
    }

    /// Advances the ports whose settings are being restored and closes those that are finished.
    private func closeFinishedPorts(at now: Instant) {
        guard !closing.isEmpty else { return }
        for (port, _) in closing { port.tick(at: now) }
        for (port, until) in closing where port.isFinished || until <= now { port.close(at: now) }
        closing.removeAll { $0.port.isFinished || $0.until <= now }
        guard closing.isEmpty, discoversLater else { return }
        discoversLater = false
        startDiscovery(at: now)
    }
}

// MARK: Ports
extension PortManager: PortDelegate {
    func receive(_ bytes: RawSpan, from port: Port, at now: Instant, onFrame: ((RawSpan) -> Void)?) -> ReadSummary {
        receivers.receive(bytes, from: port, at: now, onFrame: onFrame)
    }

    func identity(of port: Port) -> ReceiverIdentity { receivers.identity(of: port) }

    var assistance: StartAssistance? { receivers.assistance?.assistance(at: loop.now) }

    func satelliteData(for port: Port, at now: Instant) -> SatelliteData? {
        receivers.assistance?.satelliteData(for: port.device.identity, at: now)
    }

    func savedBaudRate(of port: Port) -> Int? { baudRates[port.device.identity] }

    func savedState(of port: Port) -> ReceiverStateRecord? { receiverStates[port.device.identity] }

    func holder(of port: Port) -> String? {
        let open = ports + closing.map(\.port)
        return open.first {
            $0 !== port && $0.isOpen && DeviceEnumerator.isSameDevice($0.device.path, as: port.device.path)
        }?
        .name
    }

    /// Saves what a session has learned, and passes the event on.
    func handle(_ event: SessionEvent, of port: Port, at now: Instant) {
        switch event {
        case .baudRateDetected(let rate): save(rate, of: port)
        case .savedStateChanged(let record): save(record, of: port, at: now)
        case .unconfirmedStatusChanged(let status): logUnconfirmed(status, of: port)
        case .statusChanged(let status): logReturn(status, of: port)
        case .rescued(let family):
            log.notice(
                "\(port.device.path) sent \(family.rawValue) and was switched to NMEA in its RAM",
                metadata: ["receiver": "\(port.name)"])
        case .databaseDumped(let bytes, let firmware):
            receivers.assistance?.keep(bytes, of: port.device.identity, firmware: firmware, at: now)
        case .started(let start): receivers.assistance?.record(start, of: port.name, at: now)
        case .confirmed, .driverReportChanged, .powerStateChanged: break
        }
        receivers.handle(event, of: port, at: now)
    }

    /// Logs that a lost receiver has returned. Its loss is logged where clients learn of it.
    private func logReturn(_ status: PortStatus, of port: Port) {
        switch status {
        case .absent(_, lost: true): lostReceivers.insert(port.id)
        case .open, .detectingBaudRate:
            guard lostReceivers.remove(port.id) != nil else { return }
            log.notice("\(port.device.path) is connected again", metadata: ["receiver": "\(port.name)"])
        case .absent, .denied, .busy, .notGNSS, .unreadable: break
        }
    }

    private func logUnconfirmed(_ status: PortStatus, of port: Port) {
        switch status {
        case .denied(let message), .busy(let message):
            log.notice("\(message)", metadata: ["receiver": "\(port.name)"])
        case .unreadable(let message, _), .notGNSS(let message, .binaryProtocol):
            log.notice("\(message)", metadata: ["receiver": "\(port.name)"])
        case .absent(let message, _), .notGNSS(let message, _):
            log.info("\(message)", metadata: ["receiver": "\(port.name)"])
        case .open, .detectingBaudRate: break
        }
    }

    private func save(_ baudRate: Int, of port: Port) {
        guard baudRates.store(baudRate, for: port.device.identity) else { return }
        do {
            try Directory.make(stateDirectory)
            try baudRateFile.save(baudRates)
        } catch {
            log.warning("cannot save the baud rate of \(port.device.path): \(error)")
        }
    }

    /// Saves the receiver's state before the command is written. After a crash, the next start must
    /// know which receiver was put to sleep: without that, the receiver is not controlled.
    private func save(_ record: ReceiverStateRecord?, of port: Port, at now: Instant) {
        var states = receiverStates
        guard states.store(record, for: port.device.identity) || hasFailedToSave else { return }
        do {
            // Saving would replace what could not be read.
            if let unreadStates { throw unreadStates.reason }
            try Directory.make(stateDirectory)
            try receiverStateFile.save(states)
            receiverStates = states
            hasFailedToSave = false
        } catch {
            let isUncertain = hasFailedToSave
            if !isUncertain { log.warning("cannot save the state of the receiver at \(port.device.path): \(error)") }
            hasFailedToSave = true
            let saved = savedState(of: port)
            guard let record, isUncertain || saved?.restores(record) != true else { return }
            port.savingFailed(keeping: saved, at: now)
        }
    }
}

// MARK: Shutdown
extension PortManager {
    /// Restores the settings of every receiver. Continue to call ``tick(at:)`` until
    /// ``areFinished``.
    func finish(at now: Instant) {
        for port in ports { port.finish(at: now) }
    }

    /// Whether all settings are restored.
    var areFinished: Bool { ports.allSatisfy(\.isFinished) && closing.allSatisfy { $0.port.isFinished } }
}

// MARK: Discovery
extension PortManager {
    private func startDiscovery(at now: Instant) {
        guard monitor == nil && nextScan == nil else { return }
        do {
            let monitor = try UdevMonitor()
            self.monitor = monitor
            source = try loop.watch(monitor.descriptor, for: .readable) { [unowned self] _ in
                for event in monitor.receive() { handle(event, at: loop.now) }
            }
            for event in monitor.rescan() { handle(event, at: now) }
        } catch {
            monitor = nil
            log.notice("\(error); scanning for receivers every \(Int(PortManager.polling.seconds)) s instead")
            nextScan = now
        }
    }

    /// Scans for devices that appeared, vanished or were replaced since the last scan, if udev is
    /// not running.
    private func scan(at now: Instant) {
        let present = DeviceEnumerator.present()
        for event in deviceTracker.update(with: present) { handle(event, at: now) }
        for port in ports where port.session.isAwaited && present.contains(where: { $0.path == port.device.path }) {
            port.open(at: now)
        }
    }

    private func stopDiscovery() {
        source?.remove()
        source = nil
        monitor = nil
        nextScan = nil
        deviceTracker = DeviceTracker()
    }

    private func handle(_ event: DeviceEvent, at now: Instant) {
        switch event {
        case .appeared(let device): appeared(device, at: now)
        case .removed(let path): deviceWasRemoved(at: path, at: now)
        }
    }

    private func appeared(_ device: DeviceDescription, at now: Instant) {
        // A receiver may return under another name, and another device under the same name.
        for old in ports where old.named == nil && !old.isOpen {
            if (old.device.identity == device.identity) != (old.device.path == device.path) { remove(old, at: now) }
        }
        if let known = ports.first(where: {
            $0.device.path == device.path || DeviceEnumerator.isSameDevice(device.path, as: $0.device.path)
        }) {
            if !known.isOpen { known.open(at: now) }
        } else if device.kind.opensAutomatically {
            log.info("found \(device.name)\(device.model.map { ": \($0)" } ?? "")")
            begin(device, named: nil, at: now)
        } else if case .unsupported(let reason) = device.kind {
            log.notice("\(device.name) is not used: \(reason)")
        }
    }

    /// Handles a removed device. A confirmed receiver stays listed as absent; an unconfirmed
    /// converter is removed.
    private func deviceWasRemoved(at path: String, at now: Instant) {
        for port in ports where port.device.path == path {
            if port.named == nil && !port.session.isConfirmed {
                remove(port, at: now)
            } else {
                port.deviceWasRemoved(at: now)
            }
        }
    }
}

extension Port {
    /// Returns whether a path is this port's, or leads to the device of a discovered port.
    fileprivate func leads(to path: String) -> Bool {
        device.path == path || named == nil && DeviceEnumerator.isSameDevice(path, as: device.path)
    }
}
