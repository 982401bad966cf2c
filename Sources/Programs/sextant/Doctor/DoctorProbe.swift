import Chronology
import Glibc
import Locator
import Receivers
import SerialPorts
import SextantAPI
import SystemCalls
import Varlink
import VarlinkClient

/// Collects the observations for `sextant doctor`: the socket, the service, its configuration and
/// the ports. It reads a port only if no program has it open.
struct DoctorProbe {
    let daemon: DaemonOptions
    /// The requested port; nil selects the most likely one.
    var device: String?
    /// The maximum time to read a port, or to watch a state that should be short.
    var timeout: Instant.Span

    /// The pause between two queries of the daemon while a state is watched.
    private static let pause = Instant.Span.milliseconds(500)

    func observe() throws(CommandError) -> Observations {
        let report = DaemonReport(of: daemon)
        var observations = Observations(
            socketPath: daemon.socket, socket: report.socket, service: SystemService.state, user: SystemService.user)
        observations.uptime = report.status?.uptime
        observations.state = report.status?.state
        observations.stateDirectory = report.status?.stateDirectory
        observations.discovers = report.status?.discovers
        observations.station = report.status?.station
        if let status = report.status, status.state?.problem?.cause == .busy, let directory = status.stateDirectory {
            observations.databaseHolders = PortHolder.holders(ofFile: directory + "/sextant.db").filter {
                $0.process != status.pid
            }
        }
        observations.isPositionNeeded = report.isPositionNeeded
        observations.permission = report.permission
        observations.watchLimit = timeout.seconds
        observations.configuration =
            report.configurationProblem.map { .invalid($0) }
            ?? ConfigurationCheck(files: report.status?.configuration ?? [], user: observations.user).run()
        guard !observations.isDaemonHung else { return observations }
        let present = DeviceEnumerator.present()
        observations.converterOfBraille = PortTaker.converterOfBraille
        observations.unlisted = present.filter { $0.kind == .unlisted }.map(\.path)
        if let served = selectReceiver(from: report) {
            observations.port = observeDaemonPort(served)
            observations.baudPlace = baudPlace(of: served, in: report.status?.configuration ?? [])
            try watch(&observations)
        } else if let device = device.map({ DeviceEnumerator.describe($0) }) ?? selectDevice(from: present) {
            let unconfirmed = report.unconfirmedPorts.first {
                $0.port == device.path || $0.name == device.name
                    || DeviceEnumerator.isSameDevice($0.port, as: device.path)
            }
            observations.port = try observeFreePort(device, unconfirmed: unconfirmed, observations)
        }
        return observations
    }

    /// Returns the requested receiver, else the one in the best state. A receiver that sleeps is in
    /// a better state than one without a fix, unless a position is needed.
    private func selectReceiver(from report: DaemonReport) -> Receiver? {
        if let device {
            return report.receivers.first {
                $0.port == device || $0.name == device || DeviceEnumerator.isSameDevice($0.port, as: device)
            }
        }
        var order = Array(ReceiverHealth.allCases.reversed())
        if report.isPositionNeeded == false, let index = order.firstIndex(of: .asleep) {
            order.remove(at: index)
            order.insert(.asleep, at: 1)
        }
        return report.receivers.min {
            (order.firstIndex(of: $0.state) ?? 0) < (order.firstIndex(of: $1.state) ?? 0)
        }
    }

    private func selectDevice(from present: [DeviceDescription]) -> DeviceDescription? {
        present.first { $0.kind == .receiver } ?? present.first { $0.kind.opensAutomatically }
            ?? present.first { if case .unsupported = $0.kind { true } else { false } }
    }
}

// Ports of the daemon.
extension DoctorProbe {
    /// Returns where the configuration sets the baud rate of a receiver, as far as this user may
    /// read it.
    private func baudPlace(of receiver: Receiver, in files: [String]) -> (file: String, line: Int)? {
        for file in files {
            let line = BaudSetting.line(in: TextFile.text(of: file)) {
                $0 == receiver.port || DeviceEnumerator.isSameDevice($0, as: receiver.port)
            }
            if let line { return (file, line) }
        }
        return nil
    }

    private func observeDaemonPort(_ receiver: Receiver) -> Observations.Port {
        let file = DeviceFile(path: receiver.port)
        var port = Observations.Port(
            device: DeviceEnumerator.describe(receiver.port), exists: file.exists, isOpenInDaemon: true,
            access: .allowed)
        port.isSerialPort = file.isSerialPort
        port.secondsPresent = file.secondsPresent
        port.isKernelConsole = PortTaker.isKernelConsole(receiver.port)
        if receiver.state == .denied { port.access = .denied(group: SystemService.group(of: receiver.port)) }
        // A program that opened the port without claiming it, as gpsd may, reads a part of the
        // data. No call fails, but the rest looks damaged or silent.
        port.holders = PortHolder.holders(of: receiver.port).filter {
            $0.command != "sextantd" || receiver.state == .busy
        }
        port.receiver = receiver
        // Passive: the doctor must not wake a receiver.
        let parameters = SubscribeParameters(receiver: receiver.name, passive: true)
        try? daemon.tryToDeclareSession()
        if let client = try? BlockingClient.connect(path: daemon.socket),
            let state = try? client.call(
                LocationMethods.subscribe, with: parameters, timeout: .seconds(5))
        {
            (port.location, port.cause) = (state.location, state.cause)
        }
        return port
    }

    /// Watches a port until its state is one that lasts and its lines can be judged, or until the
    /// time limit.
    private func watch(_ observations: inout Observations) throws(CommandError) {
        let start = HostClock.now
        let first = observations.port?.receiver
        var isShown = false
        while let port = observations.port, let first {
            let phase = ReceiverPhase(of: port, in: observations)
            guard phase.isStarting || ReceivedLines.needsRecent(port, phase: phase) else { break }
            let elapsed = HostClock.now - start
            observations.port?.watchedSeconds = elapsed.seconds
            guard elapsed < timeout else { break }
            isShown = isShown || StandardError.isTerminal
            if isShown { StandardError.overwriteLine("watching \(first.name), \(TimeText.span(elapsed.seconds)) ...") }
            _ = try Poller.readable([], until: HostClock.now + min(DoctorProbe.pause, timeout - elapsed))
            let report = DaemonReport(of: daemon)
            guard let receiver = report.receivers.first(where: { $0.name == first.name }) else { break }
            observations.isPositionNeeded = report.isPositionNeeded
            var next = observeDaemonPort(receiver)
            next.watchedSeconds = (HostClock.now - start).seconds
            next.recentLines = ReceivedLines(from: first.counts, to: receiver.counts)
            observations.port = next
        }
        if isShown { StandardError.overwriteLine("") }
    }
}

// Ports that the daemon does not report.
extension DoctorProbe {
    private func observeFreePort(
        _ device: DeviceDescription, unconfirmed: UnconfirmedPort?, _ observations: Observations
    ) throws(CommandError) -> Observations.Port {
        let file = DeviceFile(path: device.path)
        var port = Observations.Port(device: device, exists: file.exists, isOpenInDaemon: false, access: .allowed)
        port.isSerialPort = file.isSerialPort
        port.secondsPresent = file.secondsPresent
        port.isKernelConsole = PortTaker.isKernelConsole(device.path)
        guard port.exists, port.isSerialPort else { return port }
        if let unconfirmed {
            port.unconfirmed = unconfirmed
            if unconfirmed.state == .denied { port.access = .denied(group: SystemService.group(of: device.path)) }
            port.holders = PortHolder.holders(of: device.path).filter { $0.command != "sextantd" }
            return port
        }
        if access(device.path, R_OK) != 0 { port.access = .denied(group: SystemService.group(of: device.path)) }
        port.holders = PortHolder.holders(of: device.path)
        if case .unsupported = device.kind { return port }
        // The daemon may be about to open it.
        guard !observations.isBeingDetected(port) else { return port }
        guard port.access == .allowed, port.holders.isEmpty else { return port }
        do throws(SerialError) {
            let reader = try PortReader(device, baudRate: nil, at: HostClock.now)
            try read(with: reader, into: &port)
        } catch .busy(_, let holders) {
            port.holders = holders
            port.isHeldInvisibly = holders.isEmpty
        } catch {
            throw CommandError(port: error)
        }
        return port
    }

    private func read(with reader: PortReader, into port: inout Observations.Port) throws(SerialError) {
        var probe = PortProbe(reader, timeout: timeout)
        probe.run()
        port.receiver = probe.receiver
        port.location = probe.reader.location
        port.cause = probe.reader.update.unavailability?.cause
        port.readSeconds = probe.elapsedSeconds
    }
}

/// Where a configuration file sets the baud rate of a port.
enum BaudSetting {
    /// Returns the line of the setting, from 1; nil if the text has none for the port.
    ///
    /// - Parameters:
    ///   - text: The text of a valid configuration file.
    ///   - isPort: Whether a value of `device` is the port.
    static func line(in text: String, where isPort: (String) -> Bool) -> Int? {
        var line: Int?
        var isSection = false
        var isOfPort = false
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, raw) in lines.enumerated() {
            let content = raw.drop { $0 == " " || $0 == "\t" }
            if content.hasPrefix("[") {
                if isOfPort, let line { return line }
                line = nil
                isOfPort = false
                isSection = content.hasPrefix("[[receiver]]")
            }
            guard isSection, let equals = content.firstIndex(of: "=") else { continue }
            let key = content[..<equals].filter { $0 != " " && $0 != "\t" }
            if key == "baud" { line = index + 1 }
            let quoted = content[equals...].split(separator: "\"", omittingEmptySubsequences: false)
            if key == "device", quoted.count > 1, isPort(String(quoted[1])) { isOfPort = true }
        }
        return isOfPort ? line : nil
    }
}

extension Observations {
    /// Where the baud rate is set, as the end of a sentence, and the command to change it.
    var baudSetting: (text: String, command: String) {
        guard let place = baudPlace else { return ("", "grep -rn baud /etc/sextant") }
        return (" (\(place.file):\(place.line))", PermissionText.editCommand((place.file, place.line)))
    }
}

/// Reads a port until enough is known about its receiver or the time limit is reached.
struct PortProbe {
    private(set) var reader: PortReader
    private let start = HostClock.now
    private let timeout: Instant.Span
    private(set) var receiver: Receiver?
    /// The bytes received at all baud rates; the reader discards those at wrong rates.
    private var bytes = 0

    /// The number of epochs that shows whether there is a fix and which satellites are in view.
    private static let requiredEpochs = 5

    init(_ reader: PortReader, timeout: Instant.Span) {
        self.reader = reader
        self.timeout = timeout
    }

    /// How long the port has been read, in seconds.
    var elapsedSeconds: Double { (HostClock.now - start).seconds }

    mutating func run() {
        let end = start + timeout
        while true {
            let now = HostClock.now
            if let due = reader.deadline, now >= due { reader.tick(at: now) }
            updateReport(at: now)
            if now >= end || isComplete { return }
            show()
            let deadline = earliest(min(end, now + .seconds(1)), reader.deadline)
            guard let ready = try? Poller.readable([reader.descriptor], until: deadline) else { return }
            if !ready.isEmpty, case .lost = reader.read(at: HostClock.now) { return }
        }
    }

    private var isComplete: Bool { reader.hasBaudRate && (receiver?.counts.epochs ?? 0) >= PortProbe.requiredEpochs }

    private mutating func updateReport(at now: Instant) {
        let previousBytes = bytes
        receiver = reader.message(at: now)
        bytes = max(previousBytes, receiver?.counts.bytes ?? 0)
        receiver?.counts.bytes = bytes
        if isComplete || now >= start + timeout, StandardError.isTerminal { StandardError.overwriteLine("") }
    }

    private func show() {
        guard StandardError.isTerminal else { return }
        let baud = reader.baud.map { " at \($0) baud" } ?? ""
        StandardError.overwriteLine("reading \(reader.device.path)\(baud), \(TimeText.span(elapsedSeconds)) ...")
    }
}
