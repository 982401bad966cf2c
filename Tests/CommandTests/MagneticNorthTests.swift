import SextantAPI
import Testing

@testable import sextant

@Suite("Where a compass points")
struct MagneticNorthTests {
    private func location(
        timestamp: String? = "2026-01-01T00:00:00Z", latitude: Double = -3, longitude: Double = -147,
        course: Double? = nil
    )
        throws -> Location
    {
        let time = timestamp.map { #""timestamp":"\#($0)","# } ?? ""
        let courseMember = course.map { #""course":\#($0),"# } ?? ""
        return try Sample.read(
            """
            {\(time)"latitude":\(latitude),"longitude":\(longitude),"horizontalAccuracy":2,"accuracySource":"hdop",\
            "altitude":33000,\(courseMember)\
            "mode":"3d","quality":"autonomous","receiver":"r"}
            """)
    }

    /// A published value of the model: 9.71 degrees east.
    @Test(arguments: [(100.0, 90.29), (5.0, 355.29), (9.71, 0.0), (359.0, 349.29)] as [(Double, Double)])
    func `the declination and the magnetic course match the model`(course: Double, magnetic: Double) throws {
        let north = try #require(MagneticNorth(try location(course: course)))
        #expect(abs(north.declination - 9.71) < 0.006)
        let difference = ((north.course ?? .nan) - magnetic).remainder(dividingBy: 360)
        #expect(abs(difference) < 0.006)
        #expect(north.course.map { (0..<360).contains($0) } == true)
    }

    @Test
    func `declination and magnetic course are formatted as text`() throws {
        let east = try #require(MagneticNorth(try location(course: 9.5)))
        #expect(east.displayText == "declination 9.7° E" && east.courseText == "0° magnetic")
        let west = try #require(MagneticNorth(try location(latitude: 40, longitude: -74)))
        #expect(west.displayText.hasSuffix("° W") && west.courseText == nil)
    }

    @Test
    func `no declination without a date, outside the model or near a pole`() throws {
        #expect(MagneticNorth(try location(timestamp: nil)) == nil)
        #expect(MagneticNorth(try location(timestamp: "2024-12-31T23:59:59Z")) == nil)
        #expect(MagneticNorth(try location(timestamp: "2030-01-01T00:00:00Z")) == nil)
        #expect(MagneticNorth(try location(latitude: 86, longitude: 140)) == nil)
    }
}
