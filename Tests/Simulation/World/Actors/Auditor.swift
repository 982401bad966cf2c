import Chronology
import SextantAPI
import Varlink

/// The administrator who looks at everything at the quiet end of a run, and now and then before.
final class Auditor: Actor {
    let name = "auditor"
    private let peer = Machine.Peer(process: 4000, user: 0)
    private var connection: Connection?
    private var time: Instant? = .zero
    private var isLast = false
    private var judgements = 0
    private var answers = 0
    /// The heap of the daemon before its last restart.
    private var earlierHeap: Int?
    /// Twice what a daemon without clients may grow by: buffers keep their sizes, and caches fill.
    private static let heapTolerance = 131_072
    /// The receivers that had a fix or slept in the last minutes.
    private var working: Set<String> = []

    var deadline: Instant? { time }

    func act(in world: World) {
        connection?.close(in: world)
        connection = nil
        judgeLastPlace(in: world)
        // Both times: before the last restart, and at the end.
        let lasts = [world.endTime - .seconds(425), world.endTime - .seconds(15)]
        let last = lasts[min(judgements, 1)]
        isLast = world.now >= last
        if isLast { judgements += 1 }
        // Near the end often: a receiver that searches at intervals is between two searches mostly.
        let next = min(max(world.now + .seconds(15), last - .seconds(120)), world.now + .seconds(1300))
        time = judgements > 1 ? nil : isLast ? world.now + .seconds(60) : min(last, next)
        connection = Connection(name, as: peer, in: world)
        guard let connection else { return }
        connection.call(ManagerMethods.getStatus, NoParameters(), in: world) { [unowned self] answer in
            guard case .reply(let reply, _) = answer else { return }
            answers += 1
            if isLast { judge(reply.status, in: world) }
        }
        connection.call(ReceiverMethods.list, NoParameters(), in: world) { [unowned self] answer in
            guard case .reply(let reply, _) = answer else { return }
            answers += 1
            judge(reply.receivers, in: world)
        }
        connection.call(MonitorMethods.listMonitors, NoParameters(), in: world) { [unowned self] answer in
            guard case .reply(let reply, _) = answer else { return }
            answers += 1
            if isLast { judge(reply.monitors, in: world) }
        }
        connection.call(ManagerMethods.getConsumers, NoParameters(), in: world) { [unowned self] answer in
            guard case .reply(let reply, _) = answer else { return }
            answers += 1
            guard isLast else { return }
            judge(reply.consumers, in: world)
            judgeInUseFile(in: world)
        }
        connection.call(PermissionMethods.getUsage, GetUsageParameters(), in: world) { [unowned self] answer in
            guard case .reply(let reply, _) = answer else { return }
            answers += 1
            world.trace.add(world.now, name, "the heap has \(world.machine.heap) bytes")
            world.machine.measuresHeap = false
            guard isLast else { return }
            judge(reply.records, in: world)
            judgeHeap(in: world)
        }
        connection.call(PermissionMethods.list, NoParameters(), in: world) { [unowned self] answer in
            guard case .reply(let reply, _) = answer else { return }
            answers += 1
            if isLast { StoreJudge.judge(reply.grants, in: world) }
        }
        answers = 0
        world.machine.measuresHeap = true
    }

    /// Each open request has one open record of use.
    private func judge(_ uses: [Use], in world: World) {
        // Older records are on further pages.
        guard uses.count < 100 else { return }
        for case let stream as StreamProgram in world.actors {
            let program = "\(stream.peer.user):\(stream.peer.unit)"
            let count = uses.count { $0.program == program && $0.kind == .stream && $0.state == .open }
            world.require(
                count == (stream.isSubscribed ? 1 : 0), 30,
                "\(stream.name): subscribed \(stream.isSubscribed), and \(count) records of it are open")
        }
    }

    /// The file has a line of each program that gets the location.
    private func judgeInUseFile(in world: World) {
        let bytes = FileTree.bytes(of: "\(world.machine.root)/run/sextant/in-use") ?? []
        var listed = Set(bytes.split(separator: 10).map { String(decoding: $0.prefix { $0 != 32 }, as: UTF8.self) })
        if world.breaks(31) { listed = [] }
        for case let stream as StreamProgram in world.actors {
            let isListed = listed.contains("\(stream.peer.user):\(stream.peer.unit)")
            world.require(
                isListed == stream.isSubscribed, 31,
                "\(stream.name): subscribed \(stream.isSubscribed), in the file \(isListed)")
        }
    }

    /// No place is on disk while the configuration forbids it.
    private func judgeLastPlace(in world: World) {
        let isForbidden = world.breaks(69) || world.manager.forbidsAssistance(at: world.now, for: 60)
        guard world.diskWorks, isForbidden || world.locationIsOff(for: 60) else { return }
        let bytes = FileTree.bytes(of: "\(world.machine.root)/var/lib/sextant/assistance/starts") ?? []
        world.require(
            !String(decoding: bytes, as: UTF8.self).contains(part: "\nplace "), isForbidden ? 69 : 71,
            "the last place is on disk")
    }

    /// A daemon that has run for long needs no more memory than one that was started a moment ago.
    /// Both have the same clients.
    private func judgeHeap(in world: World) {
        let heap = Int(world.machine.heap)
        defer { earlierHeap = heap + (world.breaks(43) ? 2 * Auditor.heapTolerance : 0) }
        guard let earlierHeap else { return }
        // The daemon keeps the description of each interface that was called. A new one has only
        // those of the programs that have not ended.
        let tolerance = Auditor.heapTolerance * (world.plan.has(.probers) ? 2 : 1)
        world.require(
            earlierHeap - heap < tolerance, 43,
            "\(earlierHeap) bytes before the last restart, and \(heap) after it")
    }

    private func judge(_ consumers: [Consumer], in world: World) {
        let processes = Set(consumers.dropFirst(world.breaks(35) ? consumers.count : 0).compactMap(\.pid))
        for case let stream as StreamProgram in world.actors {
            let isCounted = processes.contains(Int(stream.peer.process))
            world.require(
                isCounted == stream.isSubscribed, 35,
                "\(stream.name): subscribed \(stream.isSubscribed), among the demand \(isCounted)")
        }
    }

    private func judge(_ status: Status, in world: World) {
        world.require(
            status.state?.problem == nil, 54, "the state has a problem: \(status.state?.problem?.reason ?? "")")
        world.require(status.state?.permissionsUnreadable != true, 54, "the permissions cannot be read")
        world.require(
            Int(world.machine.descriptors) < (world.breaks(42) ? 0 : 60) + status.connections, 42,
            "\(world.machine.descriptors) descriptors for \(status.connections) connections")
    }

    private func judge(_ receivers: [Receiver], in world: World) {
        if world.faultsHaveEnded {
            // A fixed place is checked every six hours: a receiver that found nothing sleeps until
            // then.
            let maySleep = world.plan.has(.station)
            working.formUnion(
                receivers.filter {
                    $0.state == .hasFix || $0.state == .asleep || maySleep && $0.driver?.activity == .asleep
                }.map(\.name))
        }
        guard isLast else { return }
        defer { working = [] }
        let expected = world.receiverCount
        world.require(receivers.count == expected, 50, "\(receivers.count) receivers instead of \(expected)")
        for receiver in receivers {
            world.require(
                working.contains(receiver.name) || world.withoutView.contains("/dev/\(receiver.name)"), 50,
                "\(receiver.name) is \(receiver.state): \(receiver.detail ?? "")")
        }
    }

    private func judge(_ monitors: [MonitorState], in world: World) {
        for monitor in monitors {
            world.require(!monitor.persistenceUnavailable, 54, "\(monitor.name): events cannot be saved")
            world.require(
                monitor.unmonitored == 0, 52, "\(monitor.name): \(monitor.unmonitored) conditions unmonitored")
        }
    }

    func receive(in world: World) {
        guard let connection, connection.hasInput(in: world) else { return }
        connection.pump(in: world)
    }

    func daemonEnded(in world: World) { connection?.close(in: world) }

    func finish(in world: World) {
        world.require(answers == 6, 11, "of the last 6 calls of \(name), \(answers) were answered")
    }
}
