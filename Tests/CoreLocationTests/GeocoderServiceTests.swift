import DaemonSupport
import Foundation
import TestSupport
import Testing

@testable import CoreLocation

extension Behaviour {
    /// Geocoders with the real service of places and the real command that imports its data.
    @Suite struct GeocoderServiceTests {
        private static let line =
            "1\tNijmegen\tNijmegen\tNimwegen\t51.8425\t5.8528\tP\tPPLA2\tNL\t\t03\t\t\t\t158732\t\t\t"
            + "Europe/Amsterdam\t\n"

        private nonisolated(nonsending) func run(
            hasData: Bool = true, _ body: nonisolated(nonsending) () async throws -> Void
        ) async throws {
            let scratch = try Scratch()
            if hasData {
                let command = [
                    try Programs.path(of: "sextant"), "places", "import", try scratch.write(Self.line, to: "a.txt"),
                ]
                let imported = try ChildProcess(
                    command, environment: ["SEXTANT_PLACES": scratch("data")], record: scratch("import"))
                #expect(try imported.waitForEnd() == .code(0))
            }
            let path = scratch("io.sextant.Places")
            let service = try ChildProcess(
                [try Programs.path(of: "sextant-places"), "--socket", path, "--data", scratch("data")],
                record: scratch("log"))
            try await eventually("the socket") { access(path, F_OK) == 0 }
            try await withModule(at: scratch("socket")) { try await body() }
            #expect(service.isRunning)
        }

        @Test func `a position has the names of its place`() async throws {
            try await run {
                let location = CLLocation(latitude: 51.84, longitude: 5.85)
                let mark = try #require(try await CLGeocoder().reverseGeocodeLocation(location).first)
                #expect(mark.locality == "Nijmegen")
                #expect(mark.name == "Nijmegen")
                #expect(mark.isoCountryCode == "NL")
                #expect(mark.country == "Netherlands")
                #expect(mark.timeZone?.identifier == "Europe/Amsterdam")
                #expect(mark.thoroughfare == nil)
                #expect(mark.location?.coordinate.latitude == 51.84)
            }
        }

        @Test func `a name has a position and a region`() async throws {
            try await run {
                let region = CLCircularRegion(
                    center: CLLocationCoordinate2D(latitude: 52, longitude: 5), radius: 1000, identifier: "x")
                let marks = try await CLGeocoder().geocodeAddressString("Nijmegen, NL", in: region)
                let mark = try #require(marks.first)
                #expect(mark.location?.coordinate.latitude == 51.8425)
                #expect((mark.region as? CLCircularRegion)?.radius ?? 0 > 1000)
            }
        }

        @Test func `no place is no result, and no data is network`() async throws {
            try await run {
                let error = await #expect(throws: CLError.self) { try await CLGeocoder().geocodeAddressString("Xyzzy") }
                #expect(error?.code == .geocodeFoundNoResult)
                let sea = CLLocation(latitude: 0, longitude: -30)
                let none = await #expect(throws: CLError.self) { try await CLGeocoder().reverseGeocodeLocation(sea) }
                #expect(none?.code == .geocodeFoundNoResult)
            }
            try await run(hasData: false) {
                let location = CLLocation(latitude: 51.84, longitude: 5.85)
                let error = await #expect(throws: CLError.self) {
                    try await CLGeocoder().reverseGeocodeLocation(location)
                }
                #expect(error?.code == .network)
            }
        }
    }
}
