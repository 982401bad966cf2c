import DaemonSupport
import Foundation
import TestSupport
import Testing
import Varlink

@testable import CoreLocation

extension Behaviour {
    /// Behaviour 32 of geocoders, with a scripted service.
    @Suite struct GeocoderTests {
        private let delft = CLLocation(latitude: 52.01, longitude: 4.36)

        /// Runs `body` with a service of places in the folder of the daemon's socket.
        private nonisolated(nonsending) func run(
            _ body: nonisolated(nonsending) (FakeService) async throws -> Void
        ) async throws {
            let scratch = try Scratch()
            let service = try FakeService(at: scratch("io.sextant.Places"))
            try await withModule(at: scratch("socket")) { try await body(service) }
        }

        @Test func `without a service of places the error is network`() async throws {
            let scratch = try Scratch()
            try await withModule(at: scratch("socket")) {
                let error = await #expect(throws: CLError.self) {
                    try await CLGeocoder().reverseGeocodeLocation(delft)
                }
                #expect(error?.code == .network)
            }
        }

        @Test func `a geocoder without a variable answers`() async throws {
            try await run { service in
                let task = Task { try await CLGeocoder().reverseGeocodeLocation(delft).first?.locality }
                let connection = try await service.accept()
                let call = try await connection.call()
                #expect(call.parameters == ["latitude": 52.01, "longitude": 4.36])
                let place: JSONValue = [
                    "locality": "Delft", "isoCountryCode": "NL", "timeZone": "Europe/Amsterdam", "latitude": 52.0,
                    "longitude": 4.3, "horizontalAccuracy": 2000.0,
                ]
                try await connection.send(Reply(parameters: ["placemarks": [place]]))
                let locality = try await task.value
                #expect(locality == "Delft")
            }
        }

        @Test func `a cancelled request fails, and an object makes one request at a time`() async throws {
            try await run { service in
                let geocoder = CLGeocoder()
                let work = geocoder.work
                let task = Task { try await work.run(.address("Delft", nil, nil)) }
                let connection = try await service.accept()
                _ = try await connection.call()
                #expect(geocoder.isGeocoding)
                let second = await #expect(throws: CLError.self) { try await geocoder.geocodeAddressString("Gouda") }
                #expect(second?.code == .network)
                geocoder.cancelGeocode()
                let first = await #expect(throws: CLError.self) { try await task.value }
                #expect(first?.code == .geocodeCanceled)
                try await eventually("the end of the request") { !geocoder.isGeocoding }
                geocoder.cancelGeocode()
            }
        }

        @Test func `a request can be cancelled in the statement after its begin`() async throws {
            try await run { service in
                let codes = AsyncStream.makeStream(of: CLError.Code?.self)
                let geocoder = CLGeocoder()
                geocoder.geocodeAddressString("Delft") { _, error in
                    codes.continuation.yield((error as? CLError)?.code)
                }
                geocoder.cancelGeocode()
                var iterator = codes.stream.makeAsyncIterator()
                let code = await iterator.next()
                #expect(code == .geocodeCanceled)
            }
        }

        @Test func `an empty answer is an error`() async throws {
            try await run { service in
                let task = Task { try await CLGeocoder().geocodeAddressString("nowhere") }
                let connection = try await service.accept()
                _ = try await connection.call()
                try await connection.send(Reply(parameters: ["placemarks": [], "partial": false]))
                let error = await #expect(throws: CLError.self) { try await task.value }
                #expect(error?.code == .geocodeFoundNoResult)
                #expect(error?.localizedDescription == "no place is known there")
            }
        }
    }
}
