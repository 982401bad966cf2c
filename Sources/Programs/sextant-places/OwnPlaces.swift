import Chronology
import Geodesy
import Permission
import Places
import SQLite
import ServiceRuntime
import SextantAPI
import SystemCalls

/// The places that programs have added, for the calls of one program at a time.
final class OwnPlaces {
    private let store: OwnPlaceStore
    private let log: ProgramLog
    private var lastFailure: String?

    /// Creates the places in a state directory, whose file is opened at the first call.
    init(state: String, log: ProgramLog) {
        store = OwnPlaceStore(path: "\(state)/own-places.db")
        self.log = log
    }

    /// Adds places, or replaces those with the same identifiers.
    func put(_ parameters: PutParameters, by program: ProgramID) throws(PlacesFailure) {
        guard parameters.places.count <= PlacesInterface.maxOwnPlaces else {
            throw .invalidPlace(
                index: PlacesInterface.maxOwnPlaces, reason: "a call has at most \(PlacesInterface.maxOwnPlaces) places"
            )
        }
        var places: [OwnPlace] = []
        for (index, message) in parameters.places.enumerated() { places.append(try message.place(at: index)) }
        defer { reportDamage() }
        do throws(OwnPlaceStore.Refusal) {
            try store.put(places, of: program.description, user: program.user, at: HostClock.utc)
        } catch {
            switch error {
            case .tooMany(let limit): throw .tooManyPlaces(limit: limit)
            case .failed(let reason): throw failure(reason)
            }
        }
    }

    /// Removes places by their identifiers. Returns how many there were.
    func remove(_ identifiers: [String], by program: ProgramID) throws(PlacesFailure) -> Int {
        guard identifiers.count <= PlacesInterface.maxOwnPlaces else {
            throw .invalidPlace(
                index: PlacesInterface.maxOwnPlaces,
                reason: "a call has at most \(PlacesInterface.maxOwnPlaces) identifiers")
        }
        return try attempt { () throws(StoreError) in
            try store.remove(identifiers, of: program.description, at: HostClock.utc)
        }
    }

    /// Removes the places of a domain; nil removes all. Returns how many there were.
    func removeAll(domain: String?, by program: ProgramID) throws(PlacesFailure) -> Int {
        try attempt { () throws(StoreError) in
            try store.removeAll(of: program.description, domain: domain, at: HostClock.utc)
        }
    }

    /// Returns places of a program, sorted by identifier.
    func listed(_ parameters: OwnPlacesParameters, by program: ProgramID) throws(PlacesFailure) -> [OwnPlaceMessage] {
        let places = try all(of: program).filter { place in
            (parameters.domain.map { $0 == place.domain } ?? true)
                && (parameters.after.map { $0 < place.identifier } ?? true)
        }
        return places.prefix(PlacesInterface.maxListedPlaces).map { OwnPlaceMessage($0) }
    }

    /// Returns the places of a program that contain a point, the nearest first.
    func containing(_ point: Coordinate, of program: ProgramID?) -> [OwnPlace] {
        readable(by: program).filter { $0.contains(point) }
            .sorted { $0.coordinate.distance(to: point) < $1.coordinate.distance(to: point) }
    }

    /// Returns the places of a program that a text names, the best and nearest first.
    func matching(_ query: PlaceQuery, near: Coordinate?, of program: ProgramID?) -> [(place: OwnPlace, isExact: Bool)]
    {
        let found = readable(by: program).compactMap { place in
            place.agreement(with: query).map { (place: place, isExact: $0 != .beginning) }
        }
        return found.sorted { first, second in
            if first.isExact != second.isExact { return first.isExact }
            guard let near else { return false }
            return first.place.coordinate.distance(to: near) < second.place.coordinate.distance(to: near)
        }
    }

    /// The places of a program for an answer that does not depend on them: a failure is logged.
    private func readable(by program: ProgramID?) -> [OwnPlace] {
        guard let program else { return [] }
        return (try? all(of: program)) ?? []
    }

    private func all(of program: ProgramID) throws(PlacesFailure) -> [OwnPlace] {
        defer { reportDamage() }
        do throws(StoreError) {
            return try store.places(of: program.description, at: HostClock.utc)
        } catch {
            throw failure(error)
        }
    }

    private func attempt(_ body: () throws(StoreError) -> Int) throws(PlacesFailure) -> Int {
        defer { reportDamage() }
        do throws(StoreError) { return try body() } catch { throw failure(error) }
    }

    private func reportDamage() {
        if let damaged = store.takeMovedAside() { log.write("\(damaged)", priority: .error) }
    }

    /// The error for the client. Each failure is logged once.
    private func failure(_ error: StoreError) -> PlacesFailure {
        let reason = "\(error)"
        if reason != lastFailure { log.write(reason, priority: .error) }
        lastFailure = reason
        return .ownPlacesUnusable(reason: reason)
    }
}
