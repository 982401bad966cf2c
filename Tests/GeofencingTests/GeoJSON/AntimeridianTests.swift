import Geodesy
import Testing
import Varlink

@testable import Geofencing

/// RFC 7946, section 3.1.9.
@Suite struct AntimeridianTests {
    /// The example of the RFC: 40 to 50 degrees north, 170 east to 170 west.
    private static let cut =
        "[[[[180.0,40.0],[180.0,50.0],[170.0,50.0],[170.0,40.0],[180.0,40.0]]],"
        + "[[[-170.0,40.0],[-170.0,50.0],[-180.0,50.0],[-180.0,40.0],[-170.0,40.0]]]]"

    @Test func `two parts of an area become one polygon`() throws {
        let area = try Sample.area(Sample.polygon(Self.cut, type: "MultiPolygon"))
        #expect(
            Set(area.ring)
                == Set(try Sample.places([(170, 40), (-180, 40), (-170, 40), (-170, 50), (-180, 50), (170, 50)])))
        #expect(area.ring.count == 6 && area.holes.isEmpty)
    }

    @Test func `clockwise parts are joined as well`() throws {
        let turned =
            "[[[[180,40],[170,40],[170,50],[180,50],[180,40]]],[[[-170,40],[-180,40],[-180,50],[-170,50],[-170,40]]]]"
        let area = try Sample.area(Sample.polygon(turned, type: "MultiPolygon"))
        #expect(Set(area.ring) == Set(try Sample.area(Sample.polygon(Self.cut, type: "MultiPolygon")).ring))
    }

    @Test func `an area across the antimeridian is written in two parts`() throws {
        let area = Polygon(ring: try Sample.places([(170, 40), (-170, 40), (-170, 50), (170, 50)]))
        let (written, read) = try Sample.roundTrip(area)
        #expect(written["type"] == "MultiPolygon" && written["coordinates"]?.array?.count == 2)
        // Geodesics bend towards the pole, so the cut is north of the parallel.
        let cuts = read.ring.filter { abs($0.longitude) == 180 }.map(\.latitude).sorted()
        #expect(cuts.count == 2 && cuts[0] > 40.3 && cuts[0] < 40.6 && cuts[1] > 50.3 && cuts[1] < 50.6)
        #expect(try Sample.roundTrip(read).written == written)
    }

    @Test func `a polygon with longitudes beyond 180 is the same area`() throws {
        let beyond = try Sample.area(Sample.polygon("[[[170,40],[190,40],[190,50],[170,50],[170,40]]]"))
        #expect(beyond.ring == (try Sample.places([(170, 40), (-170, 40), (-170, 50), (170, 50)])))
        #expect(try Sample.area(Sample.polygon("[[[170,40],[-170,40],[-170,50],[170,50],[170,40]]]")) == beyond)
    }

    @Test func `holes across and near the antimeridian stay holes`() throws {
        let area = Polygon(
            ring: try Sample.places([(170, -10), (-170, -10), (-170, 10), (170, 10)]),
            holes: [
                try Sample.places([(178, -2), (178, 2), (-178, 2), (-178, -2)]),
                try Sample.places([(172, 5), (172, 6), (173, 6)]),
                try Sample.places([(-172, 5), (-173, 5), (-172, 6)]),
            ])
        let (written, read) = try Sample.roundTrip(area)
        #expect(written["type"] == "MultiPolygon" && read.holes.count == 3)
        #expect(written["coordinates"]?.array?.compactMap(\.array?.count) == [2, 2])
        #expect(try Sample.roundTrip(read).written == written)
    }

    @Test func `an area that crosses twice has three parts`() throws {
        let comb = Polygon(
            ring: try Sample.places([
                (170, -10), (-175, -10), (-175, -5), (175, -5), (175, 5), (-175, 5), (-175, 10), (170, 10),
            ]))
        let (written, read) = try Sample.roundTrip(comb)
        #expect(written["coordinates"]?.array?.count == 3 && read.ring.count == 12)
        #expect(try Sample.roundTrip(read).written == written)
    }

    @Test(arguments: [1.0, -1.0])
    func `a polar cap is written up to the pole`(sign: Double) throws {
        let cap = Polygon(
            ring: try Sample.places([(-90, 70 * sign), (0, 72 * sign), (90, 70 * sign), (175, 71 * sign)]))
        let (written, read) = try Sample.roundTrip(cap)
        #expect(written["type"] == "Polygon")
        let text = String(decoding: written.bytes, as: UTF8.self)
        #expect(text.contains("[180.0,\(90 * sign)]") && text.contains("[-180.0,\(90 * sign)]"))
        #expect(read.ring.count == 5 && !read.ring.contains { abs($0.latitude) == 90 })
        #expect(try Sample.roundTrip(read).written == written)
    }

    @Test func `a cap with a hole around the pole keeps the hole`() throws {
        let belt = Polygon(
            ring: try Sample.places([(-90, 60), (0, 60), (90, 60), (175, 60)]),
            holes: [try Sample.places([(-90, 80), (175, 80), (90, 80), (0, 80)])])
        let (written, read) = try Sample.roundTrip(belt)
        #expect(read.ring.count == 5 && read.holes.map(\.count) == [5])
        #expect(try Sample.roundTrip(read).written == written)
    }

    @Test func `an area that only touches the antimeridian stays whole`() throws {
        let touching = Polygon(ring: try Sample.places([(179, 0), (180, 0), (180, 1), (179, 1)]))
        let (written, read) = try Sample.roundTrip(touching)
        #expect(written["type"] == "Polygon" && read == touching)
        let west = Polygon(ring: try Sample.places([(-180, 0), (-179, 0), (-179, 1), (-180, 1)]))
        #expect(try Sample.roundTrip(west).read == west)
    }

    @Test func `a line across the antimeridian is written in parts`() throws {
        let path = try Sample.places([(179.9, -17), (-179.9, -17.1), (-179.8, -17), (179.8, -17.2)])
        let feature = FenceFeature(
            identifier: "ferry", condition: FenceCondition(shape: .corridor(path: path, width: 900)))
        let written = feature.json
        #expect(
            written["geometry"]?["type"] == "MultiLineString" && written["geometry"]?["coordinates"]?.array?.count == 3)
        let read = try FeatureCollection(written)
        #expect(read.features.first?.json == written)
        guard case .corridor(let again, 900)? = read.features.first?.condition.shape else { throw Sample.Failure() }
        #expect(again.filter { abs($0.longitude) != 180 } == path && again.count == 6)
    }
}
