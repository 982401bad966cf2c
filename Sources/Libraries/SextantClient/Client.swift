import Chronology
import SextantAPI
import Varlink
import VarlinkClient

/// The location service of this machine.
///
///     import SextantClient
///     for try await update in Client().locations(.fitness) {
///         if let location = update.location { print(location.latitude, location.longitude) }
///     }
///
/// A value without a connection: each call and each sequence has one of its own while it needs it.
public struct Client: Sendable {
    let transport: Transport

    /// Creates a client of the daemon at a socket.
    ///
    /// - Parameter socket: The path of the socket. Nil: the value of the environment variable
    ///   SEXTANT_SOCKET, otherwise `/run/sextant/io.sextant`.
    public init(socket: String? = nil) { transport = Transport(socket: socket) }

    init(_ transport: Transport) { self.transport = transport }

    /// Calls a method, and throws ``SextantError`` for an error reply.
    func call<Parameters, Reply>(
        _ method: Method<Parameters, Reply>, _ parameters: Parameters, replyWithin: Duration = .zero,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> Reply {
        do {
            return try await transport.call(method, parameters, replyWithin: .seconds(replyWithin.inSeconds))
        } catch let error as TransportError {
            throw SextantError(error)
        }
    }
}

extension Client {
    /// Returns the updates of the location. The first one is the current state.
    ///
    /// The newest update replaces one that the program has not taken, except with a
    /// `maximumDelay`: then each one is delivered. A daemon that restarts causes a gap.
    ///
    /// A loop that waits for an accuracy or a speed that never comes never ends; wait with
    /// ``Updates/first(within:where:)`` instead.
    ///
    /// - Parameters:
    ///   - configuration: The purpose, which sets the rate.
    ///   - receiver: The name or port of the only receiver to use; nil: the primary receiver.
    ///   - desiredAccuracy: The required accuracy. Lower accuracy saves power.
    ///   - distanceFilter: The minimum movement in metres since the last update; nil: none.
    ///   - minimumInterval: The minimum interval between updates, at most a day. It makes the
    ///     updates slower than the configuration, never faster.
    ///   - maximumDelay: How long the daemon may hold updates to send them together, at most an
    ///     hour.
    ///   - significantChange: Whether to send only updates at least 500 m and 5 minutes apart.
    ///   - passive: Whether to get only what other programs request, without any demand.
    ///   - pausesWhenStationary: False: continue while the device is stationary, which keeps the
    ///     receiver on.
    ///   - application: An identifier of a part of the program, such as "org.example.Boat", which
    ///     `sextant who` shows; nil: none.
    ///   - tolerance: Get only the positions that are needed to draw the track with this maximum
    ///     error in metres; nil: every position.
    public func locations(
        _ configuration: Configuration = .default, receiver: String? = nil, desiredAccuracy: DesiredAccuracy = .best,
        distanceFilter: Double? = nil, minimumInterval: Duration? = nil, maximumDelay: Duration? = nil,
        significantChange: Bool = false, passive: Bool = false, pausesWhenStationary: Bool = true,
        application: String? = nil, tolerance: Double? = nil
    ) -> Updates<LocationUpdate> {
        let parameters = SubscribeParameters(
            configuration: configuration, receiver: receiver, desiredAccuracy: desiredAccuracy,
            distanceFilter: distanceFilter, minimumInterval: minimumInterval?.inSeconds,
            maximumDelay: maximumDelay?.inSeconds, significantChange: significantChange, passive: passive,
            pausesWhenStationary: pausesWhenStationary, application: application, tolerance: tolerance)
        let delivery = maximumDelay == nil ? OpenCall.Delivery.latest : .all
        return Updates({ [transport] in
            transport.stream(LocationMethods.subscribe, parameters, delivery: delivery)
        }) {
            var count = DropCount()
            return { arrival throws(TransportError) in
                let reply = try arrival.reply(to: LocationMethods.subscribe)
                return LocationUpdate(reply, dropped: count.total(reply.dropped, arrival))
            }
        }
    }

    /// Returns the location once.
    ///
    /// - Parameters:
    ///   - maximumAge: A position that is not older is returned at once, even if its receiver has
    ///     disappeared since. Zero waits for the next one.
    ///   - timeout: The time to wait for a position, at most 5 minutes.
    ///   - receiver: The name or port of the only receiver to use; nil: the primary receiver.
    /// - Throws: ``SextantError/locationUnavailable(cause:detail:)`` after the timeout, other cases
    ///   of ``SextantError``, or `CancellationError`.
    public func location(
        maximumAge: Duration = .seconds(1), timeout: Duration = .seconds(10), receiver: String? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async throws -> RecentLocation {
        let parameters = GetLocationParameters(
            maximumAge: maximumAge.inSeconds, timeout: timeout.inSeconds, receiver: receiver)
        return try await call(LocationMethods.getLocation, parameters, replyWithin: timeout)
    }

    /// Returns the places where the device stays: first the current visit, if there is one, then
    /// each visit when it is detected and when it is over. None is dropped.
    public func visits() -> Updates<VisitUpdate> {
        Updates(transport, LocationMethods.watchVisits, NoParameters(), delivery: .all) { $0 }
    }

    /// Returns the beacons in range now, and each second while some are received.
    ///
    /// - Parameter beacon: The beacons that are meant; nil: all.
    public func beacons(_ beacon: BeaconMessage? = nil) -> Updates<BeaconsInRange> {
        Updates(transport, BeaconMethods.range, RangeParameters(beacon: beacon)) { $0 }
    }

    /// Returns the heading now and after every change, at most 10 times per second. The newest
    /// replaces those that the program has not taken.
    ///
    /// - Parameters:
    ///   - filter: The minimum change in degrees, at most 180; nil: every heading.
    ///   - passive: Whether to get headings without any demand on receivers.
    public func headings(filter: Double? = nil, passive: Bool = false) -> Updates<HeadingUpdate> {
        let parameters = WatchHeadingParameters(headingFilter: filter, passive: passive)
        return Updates(transport, LocationMethods.watchHeading, parameters) { $0 }
    }

    /// Returns a monitor of this program, which need not exist yet.
    ///
    /// - Parameters:
    ///   - name: 1 to 128 bytes: letters, digits, `-`, `_` and `.`, starting with a letter or
    ///     digit.
    ///   - application: An identifier of a part of the program, such as "org.example.Boat", which
    ///     has monitors and limits of its own. Nil: the program as a whole.
    public func monitor(_ name: String, application: String? = nil) -> Monitor {
        Monitor(name: name, application: application, client: self)
    }
}

/// The dropped updates of a sequence over all of its connections.
private struct DropCount {
    private var connection = 0
    private var before = 0
    private var present = 0
    private var replaced = 0

    /// Returns the number so far, where the daemon has counted `dropped` on this connection.
    mutating func total(_ dropped: Int, _ arrival: Arrival) -> Int {
        if arrival.connection != connection { before = DropCount.sum(before, present) }
        connection = arrival.connection
        present = dropped
        replaced = DropCount.sum(replaced, arrival.replaced)
        return DropCount.sum(before, DropCount.sum(present, replaced))
    }

    /// The daemon may send any number.
    private static func sum(_ a: Int, _ b: Int) -> Int {
        let (sum, overflow) = a.addingReportingOverflow(b)
        return overflow ? .max : sum
    }
}

extension Duration {
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
