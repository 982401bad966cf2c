import Geodesy
import PlaceIndex
import PlaceWire
import Places
import Systemd
import Varlink
import Wire

/// Answers the calls of `io.sextant.Places` from the file of places.
final class PlacesService {
    /// The number of places in a reply if the caller states none.
    private static let defaultForward = 5
    private static let defaultSearch = 10

    private let folder: PlacesFolder
    private let log: PlacesLog
    private let countries = CountryNames()
    private var directory: ServiceDirectory?
    private var open: (file: PlacesFile, geocoder: Geocoder)?
    private var lastFailure: String?

    /// Creates the service for the data in a folder, which is opened at the first call.
    init(_ folder: PlacesFolder, log: PlacesLog) {
        self.folder = folder
        self.log = log
    }

    /// Answers a call on its connection.
    func answer(_ call: Call, on connection: inout ServerConnection) {
        do {
            switch try directoryOfService().route(call) {
            case .reply(let parameters): connection.reply(parameters)
            case .fail(let error): connection.fail(error)
            case .dispatch(_, let method): try dispatch(method, call, &connection)
            }
        } catch let error as ServiceError {
            connection.fail(error)
        } catch let error as PlacesFailure {
            connection.fail(error.reply)
        } catch let error as PlacesError {
            connection.fail(failure(error).reply)
        } catch {
            log.write("cannot answer \(call.method): \(error)", priority: .error)
            connection.fail(PlacesFailure.dataUnusable(reason: "\(error)").reply)
        }
    }

    private func directoryOfService() throws -> ServiceDirectory {
        if let directory { return directory }
        let made = try ServiceDirectory(
            vendor: "Sextant", product: "sextant-places", version: SextantVersion.current,
            url: "https://sextant.io", interfaces: [InterfaceDescription(parsing: PlacesInterface.text)])
        directory = made
        return made
    }

    private func dispatch(_ method: String, _ call: Call, _ connection: inout ServerConnection) throws {
        switch method {
        case "Reverse":
            let parameters = try call.parameters(of: PlacesMethods.reverse)
            let point = try PlacesService.point(parameters.latitude, parameters.longitude)
            let mark = try geocoder().placemark(at: point, language: parameters.language)
            try connection.reply(
                to: PlacesMethods.reverse, PlacemarksReply(placemarks: mark.map { [PlacemarkMessage($0)] } ?? []))
        case "Forward":
            let found = try find(try call.parameters(of: PlacesMethods.forward), isComplete: true)
            try connection.reply(
                to: PlacesMethods.forward, ForwardReply(placemarks: found.placemarks, partial: found.isPartial))
        case "Search":
            let found = try find(try call.parameters(of: PlacesMethods.search), isComplete: false)
            try connection.reply(to: PlacesMethods.search, PlacemarksReply(placemarks: found.placemarks))
        case "Sources":
            let sources = try file().sources().map(\.message)
            try connection.reply(to: PlacesMethods.sources, SourcesReply(sources: sources))
        default: throw ServiceError.methodNotImplemented(method: call.method)
        }
    }

    private func find(
        _ parameters: FindParameters, isComplete: Bool
    ) throws -> (placemarks: [PlacemarkMessage], isPartial: Bool) {
        guard let query = PlaceQuery(parameters.text) else {
            throw PlacesFailure.invalidText(
                reason: "the text must have 1 to 8 words before the first comma, and 256 bytes at most")
        }
        let near = try parameters.near.map { try PlacesService.point($0.latitude, $0.longitude) }
        let limit = parameters.limit ?? (isComplete ? PlacesService.defaultForward : PlacesService.defaultSearch)
        guard (1...PlacesInterface.maxLimit).contains(limit) else {
            throw ServiceError.invalidParameter(parameter: "limit")
        }
        let found = try geocoder().placemarks(
            named: query, near: near, country: parameters.country, language: parameters.language,
            isComplete: isComplete, limit: limit)
        return (found.placemarks.map { PlacemarkMessage($0) }, found.isPartial)
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
