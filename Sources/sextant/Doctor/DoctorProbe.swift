import Chronology
import Delivery
import Devices
import Glibc
import Locator
import Receivers
import Serial
import Varlink
import Wire

/// Collects the observations for `sextant doctor`: the socket, the service and the ports. It reads
/// a port only if no program has it open.
struct DoctorProbe {
    let daemon: DaemonOptions
    /// The requested port; nil selects the most likely one.
    var device: String?
    /// The maximum time to read a port.
    var timeout: Instant.Span

    func observe() throws(CommandError) -> Observations {
        let (socket, receivers) = queryDaemon()
        var observations = Observations(
            socketPath: daemon.socket, socket: socket, service: SystemService.state, user: SystemService.user)
        let present = DeviceEnumerator.present()
        observations.unlisted = present.filter { $0.kind == .unlisted }.map(\.path)
        if let served = selectReceiver(from: receivers) {
            observations.port = observeDaemonPort(served)
        } else if let device = device.map({ DeviceEnumerator.describe($0) }) ?? selectReceiver(from: present) {
            observations.port = try observeFreePort(device)
        }
        return observations
    }

    private func queryDaemon() -> (Observations.Socket, [ReceiverMessage]) {
        do throws(ClientError) {
            let client = try Client.connect(path: daemon.socket)
            let status = try client.call(ManagerMethods.getStatus, timeout: .seconds(5))
            let list = try client.call(ReceiverMethods.list, timeout: .seconds(5))
            return (.replied(version: status.status.version), list.receivers)
        } catch {
            return (DoctorProbe.socket(after: error), [])
        }
    }

    private static func socket(after error: ClientError) -> Observations.Socket {
        switch error {
        case .connecting(let path, let code): return socket(afterConnecting: path, failedWith: code)
        case .timedOut: return .failed("sextantd does not reply")
        case .disconnected: return .failed("sextantd closed the connection")
        default: return .failed(CommandError(daemon: error).description)
        }
    }

    private static func socket(afterConnecting path: String, failedWith code: Int32) -> Observations.Socket {
        switch code {
        case ENOENT: return .missing
        case ECONNREFUSED: return CommandError.isOtherThanSocket(path) ? .failed("\(path) is not a socket") : .refused
        case EACCES, EPERM: return .permissionDenied
        default: return .failed("cannot connect to \(path): \(String(cString: strerror(code)))")
        }
    }

    /// Returns the requested receiver, else the one in the best state.
    private func selectReceiver(from receivers: [ReceiverMessage]) -> ReceiverMessage? {
        if let device { return receivers.first { $0.port == device || $0.name == device } }
        let order = Array(ReceiverHealth.allCases.reversed())
        return receivers.min { (order.firstIndex(of: $0.state) ?? 0) < (order.firstIndex(of: $1.state) ?? 0) }
    }

    private func selectReceiver(from present: [DeviceDescription]) -> DeviceDescription? {
        present.first { $0.kind == .receiver } ?? present.first { $0.kind.opensAutomatically }
            ?? present.first { if case .unsupported = $0.kind { true } else { false } }
    }

    private func observeDaemonPort(_ receiver: ReceiverMessage) -> Observations.Port {
        let device = DeviceEnumerator.describe(receiver.port)
        let exists = access(receiver.port, F_OK) == 0
        var port = Observations.Port(device: device, exists: exists, isOpenInDaemon: true, access: .allowed)
        if receiver.state == .denied { port.access = .denied(group: SystemService.group(of: receiver.port)) }
        // A program that opened the port without claiming it, as gpsd may, reads a part of the
        // data. No call fails, but the rest looks damaged or silent.
        port.holders = PortHolder.holders(of: receiver.port).filter {
            $0.command != "sextantd" || receiver.state == .busy
        }
        port.receiver = receiver
        let parameters = SubscribeParameters(receiver: receiver.name)
        if let client = try? Client.connect(path: daemon.socket),
            let state = try? client.call(
                LocationMethods.subscribe, with: parameters, timeout: .seconds(5))
        {
            (port.location, port.cause) = (state.location, state.cause)
        }
        return port
    }

    private func observeFreePort(_ device: DeviceDescription) throws(CommandError) -> Observations.Port {
        let exists = access(device.path, F_OK) == 0
        var port = Observations.Port(device: device, exists: exists, isOpenInDaemon: false, access: .allowed)
        guard exists else { return port }
        if access(device.path, R_OK) != 0 { port.access = .denied(group: SystemService.group(of: device.path)) }
        port.holders = PortHolder.holders(of: device.path)
        if case .unsupported = device.kind { return port }
        guard port.access == .allowed, port.holders.isEmpty else { return port }
        do throws(SerialError) {
            let reader = try PortReader(device, speed: nil, at: HostClock.now)
            try read(with: reader, into: &port)
        } catch .busy(_, let holders) {
            port.holders = holders.isEmpty ? [PortHolder(process: 0, command: "an unknown program")] : holders
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
