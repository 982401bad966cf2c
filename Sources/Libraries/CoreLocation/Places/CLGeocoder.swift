internal import Chronology
internal import Dispatch
import Foundation
internal import SextantAPI
internal import SystemCalls
internal import Varlink
internal import VarlinkClient

/// The result of a geocoding request: placemarks, or an error.
public typealias CLGeocodeCompletionHandler = ([CLPlacemark]?, (any Error)?) -> Void

/// Finds the place of a position, and the position of a place.
///
/// It uses the service `io.sextant.Places`, whose socket is in the folder of the daemon's. Where it
/// is not installed, requests fail with `network`. An object makes one request at a time.
open class CLGeocoder: NSObject {
    let work = GeocoderWork(DaemonConnection.transport)

    /// Creates a geocoder.
    public override init() {
        super.init()
    }

    /// Whether a request is in progress.
    open var isGeocoding: Bool { work.isActive }

    /// Cancels the request in progress, which fails with `geocodeCanceled`.
    open func cancelGeocode() { work.cancel() }

    /// Returns the place of a position.
    ///
    /// - Throws: a ``CLError``: `network` without the service or during another request,
    ///   `geocodeFoundNoResult`, `geocodeCanceled`.
    open func reverseGeocodeLocation(_ location: CLLocation) async throws -> [CLPlacemark] {
        try await work.run(.position(of: location, nil))
    }

    /// Returns the place of a position with names in a language.
    ///
    /// - Throws: as ``reverseGeocodeLocation(_:)``.
    open func reverseGeocodeLocation(_ location: CLLocation, preferredLocale locale: Locale?) async throws
        -> [CLPlacemark]
    {
        try await work.run(.position(of: location, locale))
    }

    /// Returns the places of an address.
    ///
    /// - Throws: as ``reverseGeocodeLocation(_:)``.
    open func geocodeAddressString(_ addressString: String) async throws -> [CLPlacemark] {
        try await work.run(.address(addressString, nil, nil))
    }

    /// Returns the places of an address, those near a region first.
    ///
    /// - Throws: as ``reverseGeocodeLocation(_:)``.
    open func geocodeAddressString(_ addressString: String, in region: CLRegion?) async throws -> [CLPlacemark] {
        try await work.run(.address(addressString, region, nil))
    }

    /// Returns the places of an address, those near a region first, with names in a language.
    ///
    /// - Throws: as ``reverseGeocodeLocation(_:)``.
    open func geocodeAddressString(_ addressString: String, in region: CLRegion?, preferredLocale locale: Locale?)
        async throws -> [CLPlacemark]
    {
        try await work.run(.address(addressString, region, locale))
    }

    // MARK: Completion handlers, which are called on the main queue

    /// Finds the place of a position.
    open func reverseGeocodeLocation(
        _ location: CLLocation, completionHandler: @escaping CLGeocodeCompletionHandler
    ) {
        work.start(.position(of: location, nil), completionHandler)
    }

    /// Finds the place of a position with names in a language.
    open func reverseGeocodeLocation(
        _ location: CLLocation, preferredLocale locale: Locale?,
        completionHandler: @escaping CLGeocodeCompletionHandler
    ) {
        work.start(.position(of: location, locale), completionHandler)
    }

    /// Finds the places of an address.
    open func geocodeAddressString(
        _ addressString: String, completionHandler: @escaping CLGeocodeCompletionHandler
    ) {
        work.start(.address(addressString, nil, nil), completionHandler)
    }

    /// Finds the places of an address, those near a region first.
    open func geocodeAddressString(
        _ addressString: String, in region: CLRegion?, completionHandler: @escaping CLGeocodeCompletionHandler
    ) {
        work.start(.address(addressString, region, nil), completionHandler)
    }

    /// Finds the places of an address, those near a region first, with names in a language.
    open func geocodeAddressString(
        _ addressString: String, in region: CLRegion?, preferredLocale locale: Locale?,
        completionHandler: @escaping CLGeocodeCompletionHandler
    ) {
        work.start(.address(addressString, region, locale), completionHandler)
    }
}

/// The request of a geocoder in progress.
final class GeocoderWork: Sendable {
    private let transport: Transport
    private let task = Locked<Task<[CLPlacemark], any Error>?>(nil)

    /// The socket of places, in the folder of the daemon's. It answers at once or is not there.
    init(_ transport: Transport) {
        self.transport = Transport(
            socket: ServiceSocket.places(beside: transport.socket), limits: .init(answerTimeout: .milliseconds(500)))
    }

    var isActive: Bool { task.withLock { $0 != nil } }

    func cancel() { task.withLock { $0 }?.cancel() }

    func run(_ query: PlacesQuery) async throws -> [CLPlacemark] {
        let task = try begin(query)
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    func start(_ query: PlacesQuery, _ handler: @escaping CLGeocodeCompletionHandler) {
        let handler = MainQueueCall<([CLPlacemark]?, (any Error)?)>(handler)
        // The request begins now: the next statement may cancel it.
        let request = Result { try begin(query) }
        // Its task keeps this object, so that a geocoder without a variable answers too.
        Task {
            do {
                handler.perform((try await request.get().value, nil))
            } catch {
                handler.perform((nil, error))
            }
        }
    }

    private func begin(_ query: PlacesQuery) throws -> Task<[CLPlacemark], any Error> {
        try task.withLock { task in
            guard task == nil else { throw CLError(.network, because: "this geocoder has a request in progress") }
            let new = Task { try await self.placemarks(query) }
            task = new
            return new
        }
    }

    private func placemarks(_ query: PlacesQuery) async throws -> [CLPlacemark] {
        defer { task.withLock { $0 = nil } }
        do {
            let placemarks =
                switch query {
                case .reverse(let parameters): try await transport.call(PlacesMethods.reverse, parameters).placemarks
                case .forward(let parameters): try await transport.call(PlacesMethods.forward, parameters).placemarks
                }
            guard !placemarks.isEmpty else { throw CLError(.geocodeFoundNoResult, because: "no place is known there") }
            return placemarks.map(CLPlacemark.init)
        } catch is CancellationError {
            throw CLError(.geocodeCanceled, because: "the request was cancelled")
        } catch {
            throw CLError(reporting: error)
        }
    }
}

/// A call of `io.sextant.Places`.
enum PlacesQuery: Sendable {
    case reverse(ReverseParameters)
    case forward(FindParameters)

    static func position(of location: CLLocation, _ locale: Locale?) -> PlacesQuery {
        .reverse(
            ReverseParameters(
                latitude: location.coordinate.latitude, longitude: location.coordinate.longitude,
                language: language(locale)))
    }

    static func address(_ text: String, _ region: CLRegion?, _ locale: Locale?) -> PlacesQuery {
        let near = (region as? CLCircularRegion).map {
            Point(latitude: $0.center.latitude, longitude: $0.center.longitude)
        }
        return .forward(FindParameters(text: text, near: near, language: language(locale)))
    }

    private static func language(_ locale: Locale?) -> String? { locale?.language.languageCode?.identifier }
}

extension CLPlacemark {
    /// A placemark of `io.sextant.Places`.
    convenience init(_ placemark: Placemark) {
        let texts = [
            "name": placemark.name, "locality": placemark.locality, "subLocality": placemark.subLocality,
            "administrativeArea": placemark.administrativeArea,
            "subAdministrativeArea": placemark.subAdministrativeArea, "postalCode": placemark.postalCode,
            "isoCountryCode": placemark.isoCountryCode, "country": placemark.country,
            "inlandWater": placemark.inlandWater, "ocean": placemark.ocean,
        ]
        let accuracy = placemark.horizontalAccuracy ?? -1
        let coordinate = CLLocationCoordinate2D(latitude: placemark.latitude, longitude: placemark.longitude)
        var content = Content(texts: texts.compactMapValues(\.self), areasOfInterest: placemark.areasOfInterest)
        content.timeZone = placemark.timeZone.flatMap(TimeZone.init(identifier:))
        content.location = CLLocation(content: CLLocation.Content(coordinate: coordinate, horizontalAccuracy: accuracy))
        if accuracy > 0 {
            content.region = CLCircularRegion(
                center: coordinate, radius: accuracy, identifier: placemark.name ?? "")
        }
        self.init(content: content)
    }
}
