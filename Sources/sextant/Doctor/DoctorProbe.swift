import Chronology
import Delivery
import Glibc
import Locator
import Receivers
import Serial
import Varlink
import Wire

/// Looks at the world for doctor: the socket, the service, the ports; listens to a port only when nobody has it.
struct DoctorProbe {
    let daemon: DaemonOptions
    /// The port asked for; nil picks the most promising.
    var device: String?
    /// How long a port is listened to at most.
    var patience: Instant.Span

    func observe() throws(CommandError) -> Observations {
        let (socket, receivers) = askDaemon()
        var observations = Observations(socketPath: daemon.socket, socket: socket, service: SystemService.state, user: SystemService.user)
        let present = DeviceRegister.present()
        observations.unlisted = present.filter { $0.kind == .unlisted }.map(\.path)
        if let served = choose(from: receivers) {
            observations.port = portOfDaemon(served)
        } else if let device = device.map({ DeviceRegister.describe($0) }) ?? choose(from: present) {
            observations.port = try portByItself(device)
        }
        return observations
    }

    private func askDaemon() -> (Observations.Socket, [ReceiverMessage]) {
        do throws(ClientError) {
            let client = try Client.connect(path: daemon.socket)
            let status = try client.call(DaemonMethod.getStatus, as: GetStatusReply.self, timeout: .seconds(5))
            let list = try client.call(DaemonMethod.listReceivers, as: ReceiversReply.self, timeout: .seconds(5))
            return (.answers(version: status.status.version), list.receivers)
        } catch {
            return (DoctorProbe.socket(after: error), [])
        }
    }

    private static func socket(after error: ClientError) -> Observations.Socket {
        guard case .connecting(let path, let code) = error else { return .broken(CommandError(daemon: error).description) }
        switch code {
        case ENOENT: return .missing
        case ECONNREFUSED: return CommandError.isNoSocket(path) ? .broken("\(path) is not a socket") : .refused
        case EACCES, EPERM: return .forbidden
        default: return .broken("\(error)")
        }
    }

    /// The receiver asked for, else the one that does best.
    private func choose(from receivers: [ReceiverMessage]) -> ReceiverMessage? {
        if let device { return receivers.first { $0.port == device || $0.name == device } }
        let order = Array(ReceiverHealth.allCases.reversed())
        return receivers.min { (order.firstIndex(of: $0.state) ?? 0) < (order.firstIndex(of: $1.state) ?? 0) }
    }

    private func choose(from present: [DeviceDescription]) -> DeviceDescription? {
        present.first { $0.kind == .receiver } ?? present.first { $0.kind.isOpenedUnasked }
            ?? present.first { if case .unsupported = $0.kind { true } else { false } }
    }

    private func portOfDaemon(_ receiver: ReceiverMessage) -> Observations.Port {
        let device = DeviceRegister.describe(receiver.port)
        let isThere = access(receiver.port, F_OK) == 0
        var port = Observations.Port(device: device, exists: isThere, isServed: true, access: .allowed)
        if receiver.state == .denied { port.access = .denied(group: SystemService.group(of: receiver.port)) }
        // A program that opened the port without claiming it, as gpsd may, reads along and takes part of what comes: nothing fails, and the
        // rest looks damaged or silent.
        port.holders = PortHolder.holding(receiver.port).filter { $0.command != "sextantd" || receiver.state == .busy }
        port.heard = receiver
        let question = SubscribeParameters(receiver: receiver.name)
        if let client = try? Client.connect(path: daemon.socket),
            let state = try? client.call(DaemonMethod.subscribe, question, as: SubscribeReply.self, timeout: .seconds(5))
        {
            (port.location, port.cause) = (state.location, state.cause)
        }
        return port
    }

    private func portByItself(_ device: DeviceDescription) throws(CommandError) -> Observations.Port {
        let isThere = access(device.path, F_OK) == 0
        var port = Observations.Port(device: device, exists: isThere, isServed: false, access: .allowed)
        guard isThere else { return port }
        if access(device.path, R_OK) != 0 { port.access = .denied(group: SystemService.group(of: device.path)) }
        port.holders = PortHolder.holding(device.path)
        if case .unsupported = device.kind { return port }
        guard port.access == .allowed, port.holders.isEmpty else { return port }
        do throws(SerialError) {
            let listener = try PortListener(device, speed: nil, at: Clock.now)
            try listen(listener, into: &port)
        } catch .busy(_, let holders) {
            port.holders = holders.isEmpty ? [PortHolder(process: 0, command: "an unknown program")] : holders
        } catch {
            throw CommandError(port: error)
        }
        return port
    }

    private func listen(_ listener: PortListener, into port: inout Observations.Port) throws(SerialError) {
        var ear = PortEar(listener, patience: patience)
        ear.listen()
        (port.heard, port.location, port.cause) = (ear.heard, ear.listener.location, ear.listener.update.unavailability?.cause)
        port.listened = ear.listened
    }
}
