import Chronology
import Geodesy
import Places
import ServiceRuntime
import SextantAPI
import SextantServiceAPI
import SystemCalls
import Varlink

/// Answers the calls of `io.sextant.Places` from the file of places and the own places of the
/// caller, and passes those of `io.sextant.Index` on.
///
/// Calls are answered in the turns of the server. Between them, code and memory of a search are not
/// needed, and the service ends when it is idle.
final class PlacesService {
    /// The time without connections after which the program ends.
    private static let idleLimit = Instant.Span.seconds(10)
    /// The number of places in a reply if the caller states none.
    private static let defaultForward = 5
    private static let defaultSearch = 10

    private let folder: PlacesFolder
    private let ownPlaces: OwnPlaces
    private let items: ItemIndex
    private let log: ProgramLog
    private let countries = CountryNames()
    private let loop: EventLoop
    private let server: VarlinkServer<PlacesClient>
    private lazy var positions = WaitingCalls(daemon: daemon, loop: loop) { [unowned self] number, call in
        if let session = server[number] { server.resume(call, of: session) }
    }
    private let daemon: String
    private var idleExit: IdleExit
    /// Tidies the index a part at a time, while no call waits.
    private var tidying: DeferredWork?
    private let memory = MemoryTrimmer()
    private var open: (file: PlacesFile, geocoder: Geocoder)?
    private var lastFailure: String?

    /// Creates the service for the data in a folder, which is opened at the first call.
    ///
    /// - Parameters:
    ///   - daemon: The path of the daemon's socket.
    ///   - endsWhenIdle: Whether the service manager starts the program again.
    init(
        _ folder: PlacesFolder, ownPlaces: OwnPlaces, items: ItemIndex, daemon: String, endsWhenIdle: Bool,
        loop: EventLoop, log: ProgramLog
    ) throws {
        self.folder = folder
        self.ownPlaces = ownPlaces
        self.items = items
        self.daemon = daemon
        self.loop = loop
        self.log = log
        idleExit = IdleExit(after: endsWhenIdle ? PlacesService.idleLimit : nil, at: loop.now)
        server = VarlinkServer(
            try ServiceDirectory(
                vendor: "Sextant", product: SextantPlaces.name, version: SextantVersion.current,
                url: "https://sextant.io", naming: [PlacesInterface.name, IndexInterface.name],
                text: { name in
                    switch name {
                    case PlacesInterface.name: PlacesInterface.text
                    case IndexInterface.name: IndexInterface.text
                    default: nil
                    }
                }),
            limits: .places,
            subordinateUsers: SubordinateUserFile { error in
                log.write("programs in containers of users count as users of their own: \(error)", priority: .warning)
            }, loop: loop)
    }

    /// Serves the connections of a socket.
    func start(_ listener: StreamListener) throws(SystemError) {
        try server.start(listener, self)
        tidying = try loop.makeDeferredWork { [items] in items.tidy() }
        loop.onDeadline = { [unowned self] now in tick(at: now) }
        loop.afterEachIteration = { [unowned self] in endTurn(at: loop.now) }
        endTurn(at: loop.now)
    }

    private func tick(at now: Instant) {
        server.tick(at: now)
        positions.tick(at: now)
        if idleExit.isDue(at: now) { loop.exit(0) }
    }

    private func endTurn(at now: Instant) {
        server.endTurn()
        tidying?.isScheduled = items.isUntidy
        memory.trimIfRequested(at: now)
        idleExit.update(isIdle: server.count == 0 && !items.isUntidy, at: now)
        let deadlines = [idleExit.deadline, server.deadline, memory.deadline, positions.deadline]
        loop.setDeadline(deadlines.compactMap { $0 }.min())
    }
}

// MARK: Calls
extension PlacesService: VarlinkServerDelegate {
    func serve(_ call: Call, from client: PlacesSession) {
        attempt(call.method, client) {
            if call.method.hasPrefix("\(IndexInterface.name).") { return try items.answer(call, from: client) }
            guard call.method == PlacesMethods.where.name else { return try dispatch(call, client) }
            let parameters = try call.parameters(of: PlacesMethods.where)
            switch positions.take(client.number) {
            case nil:
                try checkData(of: client)
                // The call is served once more when the daemon has answered.
                try positions.begin(call, of: client)
            case .refused(let error)?: client.connection.fail(error)
            case .location(let point, let isReduced)?:
                let marks = try describe(point, parameters.language, client, isReduced: isReduced)
                client.connection.reply(PlacemarksReply(placemarks: marks).encoded)
            }
        }
    }

    func callsServed() -> Bool {
        memory.requestTrim()
        return true
    }

    func sessionClosed(_ session: PlacesSession, because reason: ServerConnection.CloseReason?) {
        positions.cancel(session.number)
    }

    func reply(to refusal: ConnectionRefusal) -> VarlinkError {
        switch refusal {
        case .tooMany(let limit, _), .tooFast(let limit): PlacesFailure.tooManyConnections(limit: limit).reply
        }
    }

    func report(_ problem: ServerProblem) { log.write("\(problem)", priority: .warning) }

    /// Answers a call, with an error if that fails.
    private func attempt(_ method: String, _ client: PlacesSession, _ answer: () throws -> Void) {
        do {
            try answer()
        } catch let error as ServiceError {
            client.connection.fail(error)
        } catch let error as PlacesFailure {
            client.connection.fail(error.reply)
        } catch let error as IndexFailure {
            client.connection.fail(error.reply)
        } catch let error as PlacesError {
            client.connection.fail(failure(error).reply)
        } catch {
            log.write("cannot answer \(method): \(error)", priority: .error)
            client.connection.fail(PlacesFailure.dataUnusable(reason: "\(error)").reply)
        }
    }

    private func dispatch(_ call: Call, _ client: PlacesSession) throws {
        switch call.member {
        case "Reverse":
            let parameters = try call.parameters(of: PlacesMethods.reverse)
            let point = try PlacesService.point(parameters.latitude, parameters.longitude)
            let limit = try PlacesService.limit(parameters.limit, 1)
            let marks = try describe(point, parameters.language, client, limit: limit)
            client.connection.reply(PlacemarksReply(placemarks: marks).encoded)
        case "Forward":
            let parameters = try call.parameters(of: PlacesMethods.forward)
            let found = try find(parameters, isComplete: true, client)
            client.connection.reply(ForwardReply(placemarks: found.placemarks, partial: found.isPartial).encoded)
        case "Search":
            let parameters = try call.parameters(of: PlacesMethods.search)
            let found = try find(parameters, isComplete: false, client)
            client.connection.reply(PlacemarksReply(placemarks: found.placemarks).encoded)
        case "Sources":
            let sources = try file().sources()
            try client.connection.reply(to: PlacesMethods.sources, SourcesReply(sources: sources))
        default: try dispatchOwn(call, client)
        }
    }

    private func dispatchOwn(_ call: Call, _ client: PlacesSession) throws {
        guard let program = client.program else { throw PlacesFailure.unknownProgram }
        switch call.member {
        case "Put":
            try ownPlaces.put(try call.parameters(of: PlacesMethods.put), by: program)
            try client.connection.reply(to: PlacesMethods.put, NoParameters())
        case "Remove":
            let identifiers = try call.parameters(of: PlacesMethods.remove).identifiers
            let removed = try ownPlaces.remove(identifiers, by: program)
            try client.connection.reply(to: PlacesMethods.remove, RemovedReply(removed: removed))
        case "RemoveDomain":
            let domain = try call.parameters(of: PlacesMethods.removeDomain).domain
            let removed = try ownPlaces.removeAll(domain: domain, by: program)
            try client.connection.reply(to: PlacesMethods.removeDomain, RemovedReply(removed: removed))
        case "RemoveAll":
            let removed = try ownPlaces.removeAll(domain: nil, by: program)
            try client.connection.reply(to: PlacesMethods.removeAll, RemovedReply(removed: removed))
        case "OwnPlaces":
            let places = try ownPlaces.listed(try call.parameters(of: PlacesMethods.ownPlaces), by: program)
            try client.connection.reply(to: PlacesMethods.ownPlaces, OwnPlacesReply(places: places))
        default: throw ServiceError.methodNotImplemented(method: call.method)
        }
    }

    private func describe(
        _ point: Coordinate, _ language: String?, _ client: PlacesSession, limit: Int = 1, isReduced: Bool = false
    ) throws -> [Placemark] {
        let own = ownPlaces.containing(point, of: client.program).map(\.name)
        guard var mark = try placemark(at: point, language, isRequired: own.isEmpty) else { return [] }
        mark.areasOfInterest = own
        let towns =
            limit == 1 ? [] : try geocoder(isRequired: false)?.towns(near: point, language: language, limit: limit - 1)
        return ([mark] + (towns ?? [])).map { Placemark(isReduced ? $0.reduced : $0) }
    }

    /// Throws if no position of this client can have a name, so that no receiver is woken for
    /// nothing.
    private func checkData(of client: PlacesSession) throws {
        guard try geocoder(isRequired: false) == nil else { return }
        let own = try client.program.map { try ownPlaces.listed(OwnPlacesParameters(), by: $0) } ?? []
        if own.isEmpty { _ = try geocoder() }
    }

    /// The description of a point. It may have no name if none is required.
    private func placemark(at point: Coordinate, _ language: String?, isRequired: Bool) throws -> GeocodedPlace? {
        let mark = try geocoder(isRequired: isRequired)?.placemark(at: point, language: language)
        return mark ?? (isRequired ? nil : GeocodedPlace(point))
    }

    /// The geocoder; nil without data if it is not required.
    private func geocoder(isRequired: Bool) throws -> Geocoder? {
        do throws(PlacesError) {
            return try geocoder()
        } catch {
            if case .noPlaces = error, !isRequired { return nil }
            throw error
        }
    }

    private func find(
        _ parameters: FindParameters, isComplete: Bool, _ client: PlacesSession
    ) throws -> (placemarks: [Placemark], isPartial: Bool) {
        guard let query = PlaceQuery(parameters.text) else {
            throw PlacesFailure.invalidText(
                reason: "the text must have 1 to 8 words before the first comma, and 256 bytes at most")
        }
        let near = try parameters.near.map { try PlacesService.point($0.latitude, $0.longitude) }
        let limit = try PlacesService.limit(
            parameters.limit, isComplete ? PlacesService.defaultForward : PlacesService.defaultSearch)
        guard parameters.radius.map({ $0 > 0 && near != nil }) ?? true else {
            throw ServiceError.invalidParameter(parameter: "radius")
        }
        let kinds = parameters.kinds ?? []
        guard kinds.count <= PlacesInterface.maxKinds else { throw ServiceError.invalidParameter(parameter: "kinds") }
        let own = try findOwn(query, parameters, near, limit, client)
        let found = try geocoder(isRequired: own.isEmpty)?.placemarks(
            named: query, near: near, radius: parameters.radius, country: parameters.country, kinds: kinds,
            language: parameters.language, isComplete: isComplete, limit: limit)
        // Of a complete text, the beginning of an own name counts less than any whole name.
        let first = isComplete ? own.filter(\.isExact) : own
        let last = isComplete ? own.filter { !$0.isExact } : []
        let others = found?.placemarks ?? []
        let marks = first.map(\.mark) + others + last.map(\.mark)
        let isPartial = first.isEmpty && (others.isEmpty ? !last.isEmpty : found?.isPartial ?? false)
        return (marks.prefix(limit).map { Placemark($0) }, isPartial)
    }

    /// The own places that a text names, with the names of their positions.
    private func findOwn(
        _ query: PlaceQuery, _ parameters: FindParameters, _ near: Coordinate?, _ limit: Int, _ client: PlacesSession
    ) throws -> [(mark: GeocodedPlace, isExact: Bool)] {
        guard parameters.country == nil, parameters.kinds == nil else { return [] }
        return try ownPlaces.matching(query, near: near, of: client.program).filter { place, _ in
            guard let near, let radius = parameters.radius else { return true }
            return near.distance(to: place.coordinate) <= radius
        }.prefix(limit).map { place, isExact in
            let coordinate = place.coordinate
            var mark =
                try placemark(at: coordinate, parameters.language, isRequired: false) ?? GeocodedPlace(coordinate)
            mark.radius = place.radius
            mark.ownName = place.name
            mark.identifier = place.identifier
            mark.nearby = nil
            return (mark, isExact)
        }
    }

    private static func limit(_ limit: Int?, _ usual: Int) throws(ServiceError) -> Int {
        let limit = limit ?? usual
        guard (1...PlacesInterface.maxLimit).contains(limit) else { throw .invalidParameter(parameter: "limit") }
        return limit
    }

    private static func point(_ latitude: Double, _ longitude: Double) throws(PlacesFailure) -> Coordinate {
        if let point = Coordinate(latitude: latitude, longitude: longitude) { return point }
        let isLatitude = !(-90...90).contains(latitude)
        throw .invalidCoordinate(
            parameter: isLatitude ? "latitude" : "longitude",
            reason: "the latitude comes first, -90 to 90, then the longitude, -180 to 180")
    }

    private func geocoder() throws(PlacesError) -> Geocoder {
        try openFile().geocoder
    }

    private func file() throws(PlacesError) -> PlacesFile {
        try openFile().file
    }

    /// The open file; another one after an import.
    private func openFile() throws(PlacesError) -> (file: PlacesFile, geocoder: Geocoder) {
        if let open, open.file.isCurrent { return open }
        open = nil
        let file = try PlacesFile(folder)
        let opened = (file, Geocoder(file, countries: countries))
        open = opened
        return opened
    }

    /// The error for the client. Damage is logged once.
    private func failure(_ error: PlacesError) -> PlacesFailure {
        switch error {
        case .noPlaces: return .noPlaces(reason: "\(error)")
        case .tooBroad: return .tooBroad(reason: "\(error)")
        case .file, .otherFormat, .importing:
            // A damaged file may have been replaced meanwhile.
            open = nil
            let reason = "\(error)"
            if reason != lastFailure { log.write(reason, priority: .error) }
            lastFailure = reason
            return .dataUnusable(reason: reason)
        }
    }
}
