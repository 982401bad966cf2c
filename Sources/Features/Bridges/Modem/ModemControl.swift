import Chronology
import SextantAPI

/// Switches the GNSS of a modem on while it is needed, and off after, through ModemManager.
///
/// A modem whose NMEA port other programs may read (`gps-unmanaged`) is preferred: the daemon reads
/// that port, and the GNSS runs while the daemon has it open. The driver closes it when no program
/// needs the receiver. Of another modem, the sentences that ModemManager has read are taken
/// (`gps-nmea`), as a receiver of this program.
///
/// `Setup` replaces the whole set of sources, so it gets the present set with the own bit changed.
/// A value type: its inputs are events with their instants, its outputs are ``Action``s.
package struct ModemControl: Sendable {
    /// What the owner does.
    package enum Action: Equatable, Sendable {
        /// Read all modems, then call ``update(modems:at:)``.
        case readModems
        /// Set the sources of a modem, then call ``setUpEnded(_:at:)``.
        case setUp(path: String, ModemSources, signals: Bool)
        /// Read the sentences of a modem, then call ``receive(_:from:)``.
        case readSentences(path: String)
        /// Read the programs with requests, then call ``update(consumers:at:)`` or
        /// ``consumersRefused(_:)``.
        case readConsumers
        /// Provide a receiver with this product.
        case provide(product: String)
        /// Provide it no more.
        case withdraw
        /// Pass sentences on.
        case send([UInt8])
        /// Log what happens now.
        case state(String)
        /// Log a problem.
        case problem(String)
    }

    /// How the sentences of a modem reach the daemon.
    private enum Way: Equatable, Sendable {
        /// The daemon reads the port.
        case port(String)
        /// This program reads them from ModemManager.
        case sentences

        var source: ModemSources { if case .port = self { .unmanaged } else { .nmea } }
    }

    private enum Setup: Equatable, Sendable {
        case none, called
        /// The reply has arrived, and the modems are being read again.
        case replied
    }

    /// The delays after a failure of `Setup`; the last one also limits those after
    /// another program has switched it off.
    private static let delays = (first: Instant.Span.seconds(5), max: Instant.Span.seconds(300))
    /// The shortest time between two calls of `Setup`: another program may clear the bit at once.
    private static let minInterval = Instant.Span.seconds(2)
    /// GNSS that has stayed on for so long is not switched off by another program again and again.
    private static let stableTime = Instant.Span.seconds(600)
    /// How long the GNSS stays on while the daemon is away, which restarts in less.
    private static let absenceLimit = Instant.Span.seconds(30)
    private static let sentenceInterval = Instant.Span.seconds(1)
    /// How often the daemon is asked for programs with requests: it does not tell by itself.
    private static let consumerInterval = Instant.Span.seconds(5)
    /// The number of readings without a consumer after which the GNSS is not needed.
    private static let maxIdleReadings = 4

    /// The name of the receiver that this program provides.
    private let name: String
    private var modem: Modem?
    private var way: Way?
    /// The source that this program has switched on, until ModemManager shows that it is off.
    private var own: ModemSources = []
    private var setup = Setup.none
    private var nextSetup = Instant.zero
    /// When the last call of `Setup` switched the GNSS on; nil if it switched it off or failed.
    private var switchedOn: Instant?
    /// The earliest time to switch it on: later and later while another program switches it off.
    private var nextSwitchOn = Instant.zero
    private var switchOnDelay = ExponentialBackoff()
    private var backoff = ExponentialBackoff()
    /// When `Setup` is tried again; nil without a failure.
    private var retry: Instant?

    private var receivers: Receivers?
    /// Since when the daemon is away.
    private var absentSince: Instant?
    private var idleReadings = 0
    private var epochs = ModemEpochs()
    private var nextSentences: Instant?
    /// The modem whose sentences are being read.
    private var readModem: String?
    private var nextConsumers: Instant?
    private var lastState = ""
    private var actions: [Action] = []

    /// Creates a control without a modem.
    ///
    /// - Parameter name: The name of the receiver that is provided for a modem without a port.
    package init(name: String) { self.name = name }

    /// Returns and removes what is to be done.
    package mutating func takeActions() -> [Action] {
        defer { actions.removeAll() }
        return actions
    }

    /// When ``tick(at:)`` must be called.
    package var deadline: Instant? {
        var deadline = earliest(retry, absentSince.map { $0 + ModemControl.absenceLimit })
        deadline = earliest(deadline, earliest(nextSentences, nextConsumers))
        return wantsSetup ? earliest(deadline, setupDue) : deadline
    }

    /// The call of `Setup` that switches the GNSS off, if this program has switched it on or does
    /// so now.
    package var lastSetup: (path: String, sources: ModemSources, signals: Bool)? {
        guard let modem, let location = modem.location, !own.isEmpty,
            setup != .none || !location.enabled.isDisjoint(with: own)
        else { return nil }
        return (modem.path, location.enabled.subtracting(own), location.signals)
    }
}

// MARK: Events
extension ModemControl {
    /// Records the modems; nil while ModemManager does not run.
    package mutating func update(modems: [Modem]?, at now: Instant) {
        if setup == .replied { setup = .none }
        let new = ModemControl.best(of: modems ?? [], present: modem)
        if new?.path != modem?.path {
            release()
            backoff.reset()
        } else if new?.state != modem?.state {
            retry = nil
        }
        modem = new
        if let new, let location = new.location {
            choose(new, location, at: now)
        } else {
            explainAbsence(modems)
        }
        advance(to: now)
    }

    /// Records the receivers of the daemon; nil while it is away.
    package mutating func update(receivers: Receivers?, at now: Instant) {
        absentSince = receivers == nil ? absentSince ?? now : nil
        if let receivers {
            self.receivers = receivers
            explainPort()
        }
        advance(to: now)
    }

    /// Records the end of a call of `Setup`, with the name and the text of an error.
    package mutating func setUpEnded(_ error: (name: String, text: String)?, at now: Instant) {
        guard setup == .called else { return }
        setup = .replied
        actions.append(.readModems)
        guard let modem, let error else { return backoff.reset() }
        // The call may have had an effect in spite of the error: the modems will show it.
        switchedOn = nil
        retry = now + backoff.next(from: ModemControl.delays.first, max: ModemControl.delays.max)
        report(ModemControl.problem(error, of: modem))
    }

    /// Records that the daemon does not tell which programs have requests, and why.
    package mutating func consumersRefused(_ reason: String) {
        report(
            "whether a program needs the position is not known, so the GNSS stays as it is: \(reason); "
                + "this program may know it after: sudo sextant grant sextant-modem --always")
    }

    /// Records the programs with requests. One that is silent because the device rests still needs
    /// the GNSS: only its positions show the departure.
    package mutating func update(consumers: [Consumer], at now: Instant) {
        let isUsed = consumers.contains { consumer in
            !consumer.passive && consumer.purpose != .receivers
                && (consumer.receiver == nil || consumer.receiver == name || consumer.receiver == "feed:\(name)")
        }
        idleReadings = isUsed ? 0 : min(idleReadings + 1, ModemControl.maxIdleReadings)
        advance(to: now)
    }

    /// Takes what ModemManager knows of the sentences of a modem; nil if it does not tell.
    package mutating func receive(_ text: String?, from path: String) {
        if readModem == path { readModem = nil }
        guard let text, path == modem?.path, way == .sentences else { return }
        let sentences = epochs.take(text)
        if !sentences.isEmpty { actions.append(.send(sentences)) }
    }

    package mutating func tick(at now: Instant) {
        if let absentSince, now - absentSince >= ModemControl.absenceLimit {
            (self.absentSince, receivers) = (nil, nil)
        }
        if let retry, now >= retry { self.retry = nil }
        if let due = nextSentences, now >= due, let modem {
            nextSentences = now + ModemControl.sentenceInterval
            if readModem != modem.path {
                readModem = modem.path
                actions.append(.readSentences(path: modem.path))
            }
        }
        if let due = nextConsumers, now >= due {
            nextConsumers = now + ModemControl.consumerInterval
            actions.append(.readConsumers)
        }
        advance(to: now)
    }
}

// MARK: The modem
extension ModemControl {
    /// The modem to use: the present one as long as it has GNSS, else one whose port the daemon can
    /// read, else one whose sentences ModemManager reads.
    private static func best(of modems: [Modem], present: Modem?) -> Modem? {
        func rank(_ modem: Modem) -> Int {
            guard let capabilities = modem.location?.capabilities else { return 0 }
            if capabilities.contains(.unmanaged), modem.port != nil { return 2 }
            return capabilities.contains(.nmea) ? 1 : 0
        }
        let usable = modems.filter { rank($0) > 0 }
        return usable.first { $0.path == present?.path } ?? usable.first { rank($0) == 2 } ?? usable.first
    }

    /// Chooses how the sentences reach the daemon. ModemManager has `gps-unmanaged` only without
    /// the two sources that it reads itself, so those of another program come first.
    private mutating func choose(_ modem: Modem, _ location: ModemLocation, at now: Instant) {
        if setup == .none { own.formIntersection(location.enabled) }
        let others = location.enabled.subtracting(own)
        let port = location.capabilities.contains(.unmanaged) ? modem.port : nil
        var new = Way.sentences
        if let port, others.isDisjoint(with: [.raw, .nmea]), own != .nmea { new = .port(port) }
        guard new != way else { return }
        (way, switchedOn) = (new, nil)
        switch new {
        case .port(let port):
            if nextConsumers != nil { actions.append(.withdraw) }
            (nextConsumers, nextSentences) = (nil, nil)
            note("\(modem.name): sextantd reads its GNSS at \(port) (gps-unmanaged)")
            explainPort()
        case .sentences:
            idleReadings = 0
            epochs = ModemEpochs()
            nextConsumers = now + ModemControl.consumerInterval
            actions.append(.provide(product: modem.name))
            note("\(modem.name): its GNSS is read from ModemManager (gps-nmea), as the receiver \(name)")
        }
    }

    private mutating func release() {
        if way == .sentences { actions.append(.withdraw) }
        (way, own) = (nil, [])
        (setup, switchedOn) = (.none, nil)
        (nextConsumers, nextSentences) = (nil, nil)
        retry = nil
    }

    /// Says why no modem is used.
    private mutating func explainAbsence(_ modems: [Modem]?) {
        guard let modems else { return note("ModemManager does not run: sudo systemctl enable --now ModemManager") }
        if let obstacle = modems.lazy.compactMap(\.obstacle).first { return report(obstacle) }
        note(
            modems.isEmpty
                ? "ModemManager has no modem: mmcli -L lists them"
                : "no modem has GNSS that ModemManager can switch on: mmcli -m any --location-status")
    }

    /// Logs a state once.
    private mutating func note(_ text: String) {
        guard text != lastState else { return }
        lastState = text
        actions.append(.state(text))
    }

    /// Logs a problem. The state before is logged again when it returns.
    private mutating func report(_ text: String) {
        lastState = ""
        actions.append(.problem(text))
    }

    private static func problem(_ error: (name: String, text: String), of modem: Modem) -> String {
        let last = error.name.split(separator: ".").last ?? ""
        switch last {
        case "WrongState":
            return modem.obstacle ?? "\(modem.name): \(error.text); run mmcli -m any --enable"
        case "Unauthorized", "AccessDenied":
            return "\(modem.name): \(error.text): the user of this program needs the polkit action "
                + "org.freedesktop.ModemManager1.Device.Control; see sextant-bridge(8)"
        default: return "\(modem.name): ModemManager does not switch its GNSS: \(error.text)"
        }
    }
}

// MARK: The demand
extension ModemControl {
    /// Whether any program needs the GNSS.
    private var isNeeded: Bool {
        guard let way, let receivers else { return false }
        switch way {
        case .port(let port):
            if let receiver = receivers.receivers.first(where: { $0.port == port }) {
                let isReadable = ![.absent, .denied, .busy].contains(receiver.state)
                return isReadable && receiver.driver?.activity != .portClosed && receiver.driver?.activity != .asleep
            }
            // A port without a receiver is read until it has shown one.
            return receivers.unconfirmedPorts?.contains { $0.port == port && ModemControl.isOpen($0) } ?? false
        case .sentences: return idleReadings < ModemControl.maxIdleReadings
        }
    }

    private static func isOpen(_ port: UnconfirmedPort) -> Bool {
        port.state == .detectingBaudRate || port.state == .sendingWithoutFix
    }

    /// Says why the daemon does not read the port of the modem.
    private mutating func explainPort() {
        guard case .port(let port)? = way, let receivers else { return }
        if receivers.receivers.contains(where: { $0.port == port }) { return }
        if let closed = receivers.unconfirmedPorts?.first(where: { $0.port == port }) {
            if !ModemControl.isOpen(closed) { report(closed.detail) }
            return
        }
        report(
            "sextantd does not read \(port): name it in /etc/sextant/conf.d/modem.toml: [[receiver]] "
                + "device = \"\(port)\"")
    }

    private var wantsSetup: Bool {
        guard let way, let location = modem?.location, setup == .none, retry == nil else { return false }
        let isOn = location.enabled.contains(way.source)
        return isNeeded ? !isOn : isOn && own == way.source
    }

    private var setupDue: Instant { isNeeded ? max(nextSetup, nextSwitchOn) : nextSetup }

    private mutating func advance(to now: Instant) {
        if wantsSetup, now >= setupDue, let way, let modem, let location = modem.location {
            var sources = location.enabled.subtracting(way.source)
            if isNeeded {
                if let switchedOn { recordSwitchOff(of: modem, after: now - switchedOn, at: now) }
                own = way.source
                sources.formUnion(own)
            }
            switchedOn = isNeeded ? now : nil
            setup = .called
            nextSetup = now + ModemControl.minInterval
            actions.append(.setUp(path: modem.path, sources, signals: location.signals))
        }
        updateReading(at: now)
    }

    /// Records that another program has switched the GNSS off, and logs the first time of a series.
    private mutating func recordSwitchOff(of modem: Modem, after time: Instant.Span, at now: Instant) {
        if time >= ModemControl.stableTime { switchOnDelay.reset() }
        let delay = switchOnDelay.next(from: ModemControl.minInterval, max: ModemControl.delays.max)
        nextSwitchOn = now + delay
        guard delay == ModemControl.minInterval else { return }
        report(
            "another program has switched the GNSS of \(modem.name) off: it is switched on again, each time later, "
                + "at most after \(Int(ModemControl.delays.max.seconds)) s")
    }

    private mutating func updateReading(at now: Instant) {
        guard way == .sentences else { return }
        let isOn = isNeeded && modem?.location?.enabled.contains(.nmea) == true
        nextSentences = isOn ? nextSentences ?? now : nil
    }
}
