import Chronology
import SextantAPI
import Varlink

/// Data of the daemon and the reports for clients.
extension GPSDServer {
    /// Processes an update of the daemon's stream of locations.
    package mutating func receive(_ update: SubscribeReply, at now: Instant) {
        let device = state.device
        state.main.receive(update, at: now)
        if state.device != device { state.select(by: clientDemand, at: now) }
        polls.reset()
        answerWaiting(at: now)
        report(nil, at: now)
        reportTime(of: update, device: nil, at: now)
    }

    /// Processes an update of the stream of locations of one receiver.
    package mutating func receive(_ update: SubscribeReply, ofDevice path: String, at now: Instant) {
        guard state.others[path] != nil else { return }
        state.others[path]?.receive(update, at: now)
        polls.reset()
        answerWaiting(at: now)
        report(path, at: now)
        reportTime(of: update, device: path, at: now)
    }

    /// Processes the answer to ``Effect/requestLocation(device:)``; nil if the daemon gave none.
    package mutating func receive(newest: Location?, ofDevice path: String?, at now: Instant) {
        state.update(path) { $0.receive(newest: newest, at: now) }
        polls.reset()
        answerWaiting(at: now)
    }

    /// Reports the host's clock to the clients that ask for it, after the position.
    private mutating func reportTime(of update: SubscribeReply, device: String?, at now: Instant) {
        guard clientDemand.timed > 0 else { return }
        let ids = clients.watching(device, in: state) { $0.pps }
        guard !ids.isEmpty, let clock,
            let report = TimeOffsetReport(
                update, clock: clock.time.advanced(by: now - clock.at), device: device ?? state.device)
        else { return }
        effects.append(.send(ids, Answers.line { report.write(to: &$0) }))
    }

    /// Processes the receivers' states.
    package mutating func receive(_ reply: Receivers, time: UTCTime, at now: Instant) {
        let changed = state.receive(reply, at: time.description)
        clock = (time, now)
        polls.reset()
        state.select(by: clientDemand, at: now)
        if !changed.isEmpty {
            attitudes = AttitudeDemand()
            let ids = clients.filter { $0.value.policy.enable && $0.value.policy.json }.map(\.key)
            for device in changed where !ids.isEmpty { effects.append(.send(ids, Answers.device(device))) }
        }
        answerWaiting(at: now)
        // An epoch without a position causes no update.
        if state.main.hasUpdate, state.main.location == nil { report(nil, at: now) }
        for (path, other) in state.others where other.hasUpdate && other.location == nil { report(path, at: now) }
    }

    /// Processes a direction of the device. It is reported with the next position, so that TPV
    /// stays the first object.
    package mutating func receive(_ reply: HeadingUpdate, at now: Instant) {
        if let heading = reply.heading { attitudes.receive(heading, at: now) }
        state.receive(reply)
    }

    /// Whether to ask the daemon for the direction of the device, as far as a client watches.
    package func wantsAttitude(at now: Instant) -> Bool { attitudes.isWanted(at: now) }

    /// Whether a client needs the sentences of the receivers.
    package var wantsSentences: Bool { clientDemand.raw > 0 }

    /// Passes sentences of a receiver to the clients that watch them.
    package mutating func receive(_ reply: SentencesReply) {
        refusesSentences = false
        let port = state.port(ofReceiver: reply.receiver)
        let ids = clients.filter { _, client in
            client.policy.isStreaming && client.policy.raw > 0 && (client.policy.device.map { $0 == port } ?? true)
        }
        if !ids.isEmpty { effects.append(.send(Array(ids.keys), Answers.lines(reply.sentences))) }
    }

    /// Records that the daemon refuses the sentences of receivers. Clients then get those that are
    /// written from the location.
    package mutating func refuseSentences() { refusesSentences = true }

    /// Records that the owner has ended the stream of locations, because ``demand(at:)`` requires
    /// none.
    package mutating func endUpdates() { state.endUpdates() }

    /// Records that the owner has ended the stream of receivers.
    package mutating func endReceivers() { state.endReceivers() }

    /// Records that the connection to the daemon failed or is lost.
    package mutating func loseDaemon(at now: Instant) {
        attitudes = AttitudeDemand()
        state.lose(at: now)
        polls.reset()
        answerWaiting(at: now)
    }

    /// Records that the stream of locations of one receiver failed, as when the daemon refuses the
    /// choice of a receiver.
    package mutating func loseDevice(_ path: String, at now: Instant) {
        state.update(path) { $0.lose(at: now) }
        polls.reset()
        answerWaiting(at: now)
    }

    // MARK: Reports

    /// A client that begins to watch gets the present state without waiting for an epoch.
    mutating func beginStream(to id: ClientID, of device: String?, at now: Instant) {
        let path = state.isMain(device) ? nil : device
        if clients.watching(path, in: state).count == 1 { state.update(path) { $0.lastReport = now } }
        guard let location = state.location(at: path) else { return }
        guard location.hasUpdate else {
            // The first report of the stream has the satellites, also those that are known already.
            state.update(path) { $0.isSkyNew = true }
            return
        }
        send(path, to: [id], includesSky: true)
    }

    /// Reports the present state of the device, or of another receiver, to all clients that watch
    /// it.
    mutating func report(_ path: String?, at now: Instant) {
        let ids = clients.watching(path, in: state)
        guard !ids.isEmpty, let isSkyNew = state.location(at: path)?.isSkyNew else {
            state.update(path) { $0.lastReport = nil }
            return
        }
        send(path, to: ids, includesSky: isSkyNew)
        state.update(path) { ($0.lastReport, $0.isSkyNew) = (now, false) }
        if path == nil { state.attitudeWasReported() }
    }

    /// Sends the present state, encoded once for all clients with the same policy.
    private mutating func send(_ path: String?, to ids: [ClientID], includesSky: Bool) {
        var reports = StreamReports(includesSky: includesSky)
        let view = state.view(of: path)
        for form in StreamReports.Form.all {
            let matching = clients.among(ids, with: form, writesRaw: refusesSentences)
            if !matching.isEmpty {
                effects.append(.send(matching, reports.bytes(form, of: view, sentences: &sentences)))
            }
        }
    }
}

/// gpsd's report of the difference between the receiver's time and the host's clock
/// (gpsd_json(5), TOFF). Only clients with `pps` get it, once per epoch.
///
/// The clock is read at the end of the epoch, some tenths of a second after the time of the epoch.
/// The precision covers that.
struct TimeOffsetReport {
    /// The power of two of the precision in seconds, as gpsd states it for sentences.
    private static let precision = -2
    /// The age in seconds up to which a location is that of the present epoch.
    private static let maxAge = 0.1

    private let device: String?
    private let real: UTCTime
    private let clock: UTCTime

    /// Creates the report; nil for a location whose time is not that of a receiver now.
    ///
    /// - Parameter clock: The host's clock when the location arrived.
    init?(_ update: SubscribeReply, clock: UTCTime, device: String?) {
        guard let location = update.location, update.age ?? 0 <= TimeOffsetReport.maxAge, location.simulated != true,
            location.accuracySource != .reduced, location.quality != .estimated, location.quality != .manual,
            let real = location.timestamp, real.milliseconds >= 0,
            clock.milliseconds >= 0
        else { return nil }
        (self.real, self.clock) = (real, clock)
        self.device = device
    }

    func write(to object: inout ObjectWriter) {
        object.append("TOFF", forKey: "class")
        object.append(device, forKey: "device")
        object.append(Int(clamping: real.milliseconds / 1000), forKey: "real_sec")
        object.append(Int(clamping: real.milliseconds % 1000 * 1_000_000), forKey: "real_nsec")
        object.append(Int(clamping: clock.milliseconds / 1000), forKey: "clock_sec")
        object.append(Int(clamping: clock.milliseconds % 1000 * 1_000_000), forKey: "clock_nsec")
        object.append(TimeOffsetReport.precision, forKey: "precision")
    }
}
