import Chronology
import Delivery
import Locator
import Logging
import Receivers
import Systemd
import Varlink
import Wire

/// What `sextant power` and `sextant who` ask for.
extension Daemon {
    /// Days that are told unless more are asked for.
    static let usualDays = 7

    func getPower(_ call: Call, _ session: ClientSession) throws(ServiceError) {
        let wish = try call.decode(GetPowerParameters.self)
        let days = wish.days ?? Daemon.usualDays
        guard (1...PowerLedger.capacity).contains(days) else { throw .invalidParameter(parameter: "days") }
        let now = loop.now
        reckon(now, all: true)
        let total = accounting.accounts.total
        var ledger = keptLedger(now)
        ledger.add(accounting.accounts.unsaved)
        let today = HostTime.likely.date.daysSince1970
        let spent = ledger.days.filter { (today - days + 1...today).contains($0.key.daysSince1970) }.sorted { $0.key > $1.key }
        // A day told of may have been another start's, with receivers that this one has not heard.
        let all = spent.reduce(into: total) { $0.add($1.value) }
        let estimates = all.receivers.sorted { $0.key < $1.key }.filter { wish.receiver == nil || wish.receiver == $0.key }
        let message = GetPowerReply(
            start: SpendingMessage(total, of: wish.receiver, day: nil),
            spent: spent.map { SpendingMessage($0.value, of: wish.receiver, day: $0.key) }.filter { $0.milliwatts != nil },
            estimates: estimates.map { EstimateMessage($0.key, $0.value) })
        reply(message, to: session)
    }

    /// What the disk holds. Read once a minute at most: anybody may ask.
    private func keptLedger(_ now: Instant) -> PowerLedger {
        if let kept = accounting.kept { return kept.ledger }
        var ledger = PowerLedger()
        do {
            ledger = try usageBook.ledger()
        } catch {
            log.warning("what receivers have spent on earlier days cannot be read: \(error)")
        }
        accounting.kept = (ledger, now)
        hasSettled = true
        return ledger
    }

    /// Who asks for what, and what the receivers do.
    var consumers: GetConsumersReply {
        let now = loop.now
        reckon(now)
        let needs = Dictionary(locator.needs.map { ($0.id.rawValue, $0) }, uniquingKeysWith: { $1 })
        let conducts = accounting.accounts.conducts
        let awake = ports.ports.filter { port in conducts.contains { $0.receiver == port.name && $0.state.isAwake } }
        let rests = locator.restsForBoundaries
        let watching = accounting.watching.sorted { $0.key < $1.key }.map { owner, since in
            let wish = Wish(purpose: .monitors, program: Program(owner), receiver: nil, stream: nil, at: since.at, date: since.date)
            var message = ConsumerMessage(wish, pid: nil, at: now)
            (message.silent, message.holds) = (rests, !rests && !awake.isEmpty)
            return message
        }
        let sessions = server.holding { $0 != .nothing }.sorted { $0.number < $1.number }
        let doing = conducts.map { conduct in
            let since = accounting.accounts.since(conduct.receiver) ?? now
            return DoingMessage(receiver: conduct.receiver, work: WorkName(conduct.state), seconds: (now - since).seconds)
        }
        return GetConsumersReply(
            consumers: sessions.compactMap { session in
                guard let wish = session.wish else { return nil }
                var message = ConsumerMessage(wish, pid: session.peer.process, at: now)
                guard let need = needs[session.number] else { return message }
                message.interval = need.demand?.interval.seconds
                message.silent = need.isSilent
                guard let demand = need.demand, !need.isSilent || demand.looksAtRest == nil else { return message }
                message.holds = awake.contains { need.concerns(name: $0.name, port: $0.device.path) }
                return message
            } + watching,
            doing: doing,
            rests: settings.power == .auto)
    }
}

extension PowerState {
    /// It works, and somebody listens.
    fileprivate var isAwake: Bool {
        switch self {
        case .acquiring, .tracking, .powerSave: true
        case .off, .standby, .stopped, .closed: false
        }
    }
}

extension WorkName {
    fileprivate init(_ state: PowerState) {
        switch state {
        case .off, .standby, .stopped: self = .standby
        case .acquiring: self = .search
        case .tracking: self = .operation
        case .powerSave: self = .saving
        case .closed: self = .closed
        }
    }
}

extension SpendingMessage {
    fileprivate init(_ period: PowerPeriod, of receiver: String?, day: CivilDate?) {
        let usage = period.usage(of: receiver)
        var seconds: [WorkName: Double] = [:]
        for (state, time) in usage.times { seconds[WorkName(state), default: 0] += time }
        let whole = usage.joules
        let spenders = usage.energy.map { SpenderMessage($0.key, $0.value, of: whole) }.sorted {
            ($0.joules, $1.purpose.rawValue, $1.program ?? "") > ($1.joules, $0.purpose.rawValue, $0.program ?? "")
        }
        self.init(
            day: day.map { String(UTCTime(date: $0, millisecondsOfDay: 0).description.prefix(10)) }, joules: whole, seconds: seconds,
            wakeups: receiver == nil ? Int(exactly: period.wakeups.rounded()) : nil,
            spenders: spenders)
    }
}

extension SpenderMessage {
    fileprivate init(_ consumer: Consumer, _ joules: Double, of whole: Double) {
        switch consumer {
        case .program(let program, let purpose):
            self.init(
                PurposeName(rawValue: purpose.rawValue) ?? .others, program: program.name, unit: program.unit, uid: Int(program.user),
                joules: joules, of: whole)
        case .nobody: self.init(.nobody, joules: joules, of: whole)
        case .others: self.init(.others, joules: joules, of: whole)
        }
    }
}

extension EstimateMessage {
    /// The chip that most of the time was reckoned with.
    fileprivate init(_ receiver: String, _ usage: PowerUsage) {
        let chip = usage.figures.max { $0.value < $1.value }?.key ?? .generic
        self.init(receiver: receiver, chip: chip.rawValue, source: EnergyFigures.source(of: chip))
    }
}

extension ConsumerMessage {
    fileprivate init(_ wish: Wish, pid: Int32?, at now: Instant) {
        self.init(wish.purpose, uid: Int(wish.program.user), since: wish.date.description, seconds: (now - wish.at).seconds)
        (program, unit, self.pid, receiver) = (wish.program.name, wish.program.unit, pid.map(Int.init), wish.receiver)
        guard let options = wish.stream?.options else { return }
        (desiredAccuracy, distanceFilter) = (options.desiredAccuracy, options.distanceFilter)
        (significantChange, passive) = (options.isSignificantChange, options.isPassive)
    }
}
