import Chronology
import NMEA
import SextantAPI
import Varlink

/// The client of an NTRIP caster as a value: locations of the daemon and bytes of the caster go in,
/// frames of corrections come out.
///
/// The owner takes ``takeActions()`` after each event and calls ``tick(at:)`` at ``deadline``. The
/// session follows what casters expect: no connection without a valid position, the position again
/// every 10 s, and longer and longer pauses after failures. Casters ban clients that do otherwise.
package struct NTRIPSession: Sendable {
    /// What the owner must do.
    package enum Action: Equatable, Sendable {
        /// Open a connection to the caster.
        case connect
        /// Send these bytes on it.
        case send([UInt8])
        /// Close it.
        case close
        /// Write these frames to the receiver.
        case write([RTCMFrame])
        /// Log this problem.
        case report(String)
    }

    private enum State: Sendable {
        /// There is no connection, at least until this time.
        case idle(until: Instant)
        /// The connection is being opened, or the answer to the request is awaited.
        case waiting(until: Instant, NTRIPResponse)
        /// The caster sends data.
        case receiving(NTRIPResponse, since: Instant, lastFrame: Instant)
    }

    /// The age up to which a position is valid for a connection, and for the caster.
    private static let maxAge = Instant.Span.seconds(30)
    /// How long a connection stays open without a position: the receiver sleeps, or has no fix.
    private static let maxIdle = Instant.Span.seconds(300)
    /// How often the position is sent. Virtual reference stations ask for 5 to 60 s.
    private static let positionInterval = Instant.Span.seconds(10)
    private static let answerLimit = Instant.Span.seconds(20)
    /// How long an accepted request may bring no frame.
    private static let silenceLimit = Instant.Span.seconds(60)
    /// How long data must have come for the next failure to count as the first one.
    private static let steadyTime = Instant.Span.seconds(60)
    /// The pauses after failures that may pass by themselves, and after refusals, which rarely do.
    private static let failureDelays = (first: Instant.Span.seconds(5), max: Instant.Span.seconds(300))
    private static let refusalDelays = (first: Instant.Span.seconds(600), max: Instant.Span.seconds(3600))
    /// The pause after a connection that was not needed any more.
    private static let restDelay = Instant.Span.seconds(60)
    /// The maximum number of bytes outside frames since the last one: another format, or noise that
    /// costs time. Casters send some hundred bytes per second.
    private static let maxStrayBytes = 65_536

    private let request: NTRIPRequest
    /// The version of the next request. Version 1 is tried once after a request in version 2 that
    /// may have failed because of its version. The attempt after that begins with version 2 again.
    private var version = NTRIPRequest.Version.two
    /// Whether the present connection has got a request.
    private var isRequested = false
    private var state = State.idle(until: .zero)
    private var framer = RTCMFramer()
    /// The number of bytes outside frames when the last frame came.
    private var strayBytes = 0
    private var failures = ExponentialBackoff()
    private var refusals = ExponentialBackoff()
    /// The last valid position as a GGA sentence with its line end, and when it arrived.
    private var position: (sentence: [UInt8], at: Instant)?
    private var nextPosition: Instant?
    private var writer = LocationSentences([.gga])
    private var actions: [Action] = []

    /// Creates a session without a connection.
    package init(_ request: NTRIPRequest) { self.request = request }

    /// Returns the actions since the last call.
    package mutating func takeActions() -> [Action] {
        defer { actions.removeAll() }
        return actions
    }

    /// When to call ``tick(at:)``.
    package var deadline: Instant? {
        switch state {
        // Without a position nothing happens before the next one.
        case .idle(let until): position == nil ? nil : until
        case .waiting(let until, _): until
        case .receiving(_, _, let lastFrame):
            earliest(
                nextPosition,
                earliest(lastFrame + NTRIPSession.silenceLimit, position.map { $0.at + NTRIPSession.maxIdle }))
        }
    }

    /// Processes a location of the daemon. One that is not measured is ignored.
    package mutating func receive(_ location: Location, at now: Instant) {
        guard NTRIPSession.isValid(location) else { return }
        position = (writer.bytes(location, receiver: nil), now)
        if case .idle = state { tick(at: now) }
    }

    /// Records that the program may not know the exact location any more. The caster gets no
    /// position from now on, and the connection, which needs one, ends.
    package mutating func permissionEnded(at now: Instant) {
        position = nil
        if isConnected { close(nil, until: now + NTRIPSession.restDelay) }
    }

    /// Whether a caster may get a location: it is a present measurement of a receiver.
    private static func isValid(_ location: Location) -> Bool {
        guard location.simulated != true, location.accuracySource != .reduced, location.timestamp != nil else {
            return false
        }
        switch location.quality {
        case .autonomous, .differential, .precise, .rtkFixed, .rtkFloat: return true
        case .none, .manual, .estimated, .simulated, .unknown: return false
        }
    }

    /// Records that the connection is open.
    package mutating func connected(at now: Instant) {
        guard case .waiting = state else { return }
        isRequested = true
        let sentence = position.map { String(decoding: $0.sentence.prefix { $0 != 13 }, as: UTF8.self) }
        actions.append(.send(request.bytes(version, position: sentence)))
    }

    /// Processes bytes of the caster.
    package mutating func receive(_ bytes: some Sequence<UInt8>, at now: Instant) {
        do throws(NTRIPResponse.Refusal) {
            switch state {
            case .idle: break
            case .waiting(let until, var response):
                let data = try response.push(bytes)
                guard response.isAccepted else {
                    state = .waiting(until: until, response)
                    return
                }
                state = .receiving(response, since: now, lastFrame: now)
                (framer, strayBytes) = (RTCMFramer(), 0)
                nextPosition = now
                write(data, at: now)
                endIfComplete(at: now)
                tick(at: now)
            case .receiving(var response, let since, let lastFrame):
                let data = try response.push(bytes)
                state = .receiving(response, since: since, lastFrame: lastFrame)
                write(data, at: now)
                endIfComplete(at: now)
            }
        } catch {
            refuse(error, at: now)
        }
    }

    private mutating func write(_ data: [UInt8], at now: Instant) {
        let frames = framer.push(data)
        guard case .receiving(let response, let since, _) = state else { return }
        guard !frames.isEmpty else {
            if framer.strayBytes - strayBytes > NTRIPSession.maxStrayBytes { refuse(.otherFormat, at: now) }
            return
        }
        strayBytes = framer.strayBytes
        refusals.reset()
        if now - since >= NTRIPSession.steadyTime { failures.reset() }
        state = .receiving(response, since: since, lastFrame: now)
        actions.append(.write(frames))
    }

    private mutating func endIfComplete(at now: Instant) {
        guard case .receiving(let response, _, _) = state, response.hasEnded else { return }
        connectionEnded("the caster has ended the stream", at: now)
    }

    /// Records that the connection could not be opened, or has ended.
    package mutating func connectionEnded(_ reason: String, at now: Instant) {
        guard isConnected else { return }
        // Some casters of version 1 close the connection without an answer. A caster that was not
        // reached has said nothing about a version.
        if isRequested {
            if case .waiting = state { tryOtherVersion() } else { version = .two }
        }
        close(reason, until: now + failures.next(from: Self.failureDelays.first, max: Self.failureDelays.max))
    }

    private mutating func refuse(_ refusal: NTRIPResponse.Refusal, at now: Instant) {
        if refusal == .unsupportedVersion, version == .two {
            tryOtherVersion()
            return close(nil, until: now + NTRIPSession.failureDelays.first)
        }
        version = .two
        switch refusal {
        case .notAuthorized, .noSuchMountpoint, .unsupportedVersion, .otherFormat:
            close(
                "\(refusal)", until: now + refusals.next(from: Self.refusalDelays.first, max: Self.refusalDelays.max))
        case .failed, .malformed:
            close(
                "\(refusal)", until: now + failures.next(from: Self.failureDelays.first, max: Self.failureDelays.max))
        }
    }

    private mutating func tryOtherVersion() { version = version == .two ? .one : .two }

    private var isConnected: Bool { if case .idle = state { false } else { true } }

    private mutating func close(_ problem: String?, until: Instant) {
        actions.append(.close)
        if let problem { actions.append(.report(problem)) }
        state = .idle(until: until)
        nextPosition = nil
        isRequested = false
    }

    package mutating func tick(at now: Instant) {
        if let last = position, now - last.at >= NTRIPSession.maxIdle { position = nil }
        switch state {
        case .idle(let until):
            guard now >= until, let position, now - position.at <= NTRIPSession.maxAge else {
                // A position that is too old for a connection causes none.
                if now >= until { position = nil }
                return
            }
            state = .waiting(until: now + NTRIPSession.answerLimit, NTRIPResponse())
            actions.append(.connect)
        case .waiting(let until, _):
            if now >= until { connectionEnded("the caster does not answer", at: now) }
        case .receiving(_, _, let lastFrame):
            guard position != nil else { return close(nil, until: now + NTRIPSession.restDelay) }
            if now - lastFrame >= NTRIPSession.silenceLimit {
                return connectionEnded("the caster sends no corrections", at: now)
            }
            sendPosition(at: now)
        }
    }

    private mutating func sendPosition(at now: Instant) {
        guard let due = nextPosition, now >= due, let position else { return }
        nextPosition = now + NTRIPSession.positionInterval
        if now - position.at <= NTRIPSession.maxAge { actions.append(.send(position.sentence)) }
    }
}

extension NTRIPResponse.Refusal: CustomStringConvertible {
    /// The reason and how to fix it.
    public var description: String {
        switch self {
        case .notAuthorized: "the caster refuses user and password"
        case .noSuchMountpoint: "the caster has no stream of this name; open http://HOST:PORT/ for its list"
        case .unsupportedVersion: "the caster does not understand the request"
        case .failed(let line): "the caster answers \(line)"
        case .malformed: "the answer is not that of a caster"
        case .otherFormat: "the stream has no frames of RTCM 3; choose another mountpoint"
        }
    }
}

/// The request for a stream of an NTRIP caster.
package struct NTRIPRequest: Equatable, Sendable {
    /// The version of the protocol. Version 2 is HTTP 1.1 (RTCM 10410.1); version 1 is older than
    /// the standard, and some casters know nothing else.
    package enum Version: Sendable {
        /// HTTP 1.0 with the answer `ICY 200 OK`.
        case one
        /// HTTP 1.1, with parts of any length.
        case two
    }

    /// The caster as the user named it, with the port.
    private let host: String
    private let mountpoint: String
    private let user: String?
    private let password: String
    /// The name and version of this program.
    private let agent: String

    /// Creates a request. The texts contain no control characters.
    package init(host: String, mountpoint: String, user: String?, password: String, agent: String) {
        self.host = host
        self.mountpoint = mountpoint
        self.user = user
        self.password = password
        self.agent = agent
    }

    /// Returns the bytes to send.
    ///
    /// - Parameter position: A GGA sentence without its line end. A virtual reference station needs
    ///   it, and version 2 has a line for it.
    package func bytes(_ version: Version, position: String?) -> [UInt8] {
        var lines = ["GET /\(mountpoint) HTTP/1.\(version == .two ? 1 : 0)"]
        if version == .two {
            lines.append("Host: \(host)")
            lines.append("Ntrip-Version: Ntrip/2.0")
        }
        lines.append("User-Agent: NTRIP \(agent)")
        if let user { lines.append("Authorization: Basic \(Base64.encode(Array("\(user):\(password)".utf8)))") }
        if version == .two {
            if let position { lines.append("Ntrip-GGA: \(position)") }
            lines.append("Connection: close")
        }
        return Array((lines + ["", ""]).joined(separator: "\r\n").utf8)
    }
}
