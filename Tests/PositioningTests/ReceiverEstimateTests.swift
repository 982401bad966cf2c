import Chronology
import NMEA
import Testing

@testable import Positioning

/// Error estimates of receivers: their order, and the conversion of each kind to 68 %.
@Suite struct ReceiverEstimateTests {
    private func decodedEpoch(_ bodies: [String] = []) -> Epoch {
        var epoch = Epoch(opened: .zero)
        for body in bodies {
            let (address, sentence) = Sentence.decode(Array(body.utf8).span.bytes)
            epoch.merge(sentence, from: address)
        }
        return epoch
    }

    private func near(_ a: Double?, _ b: Double) -> Bool { a.map { abs($0 - b) < 1e-9 } ?? false }

    /// Removes the best source one after the other.
    @Test func `the sources have an order of precedence`() {
        var all = decodedEpoch([Body.pubx("120000.00"), Body.gst("120000.00"), Body.gbs("120000.00")])
        (all.errors.covariance.north, all.errors.covariance.east) = (1, 1)
        (all.errors.pqtmepe.north, all.errors.pqtmepe.east) = (1, 1)
        all.errors.pqtm.horizontal = 1
        all.gfa = decodedEpoch([Self.gfa]).gfa
        all.errors.pqxfi.horizontal = 1
        all.errors.pglor.horizontal = 1
        all.errors.psrfepe.horizontal = 1
        all.errors.pgrme.horizontal = 1
        let removals: [(inout Epoch) -> Void] = [
            { $0.pubx = nil }, { $0.errors.covariance.north = nil }, { $0.errors.pqtmepe.east = nil },
            { $0.errors.pqtm.horizontal = nil },
            { $0.gst = nil }, { $0.gfa = nil }, { $0.errors.pqxfi.horizontal = nil },
            { $0.errors.pglor.horizontal = nil }, { $0.errors.psrfepe.horizontal = nil },
            { $0.errors.pgrme.horizontal = nil },
            { $0.gbs = nil },
        ]
        var sources: [AccuracySource?] = []
        for remove in removals {
            sources.append(ReceiverEstimate.horizontal(all)?.source)
            remove(&all)
        }
        #expect(sources == Array(AccuracySource.allCases.prefix(removals.count)))
        #expect(ReceiverEstimate.horizontal(all) == nil)
    }

    private static let gfa = "GNGFA,120000.00,3.2,5.1,4.0,3.0,45.0,2.1,10.0,SSU"
    private static let pqxfi = "PQXFI,120000.0,4540.7341,N,00007.4074,W,98.8,4.20,5.10,0.12"
    private static let pglor = "PGLOR,0,UNC,120000.00,0.2,3.1,4.8,0.1,2.0,4.0,3.0,45.0"

    /// The axes 4 and 3 of an ellipse have the ratio 0.75.
    @Test(
        arguments: [
            (gfa, AccuracySource.gfa, 5 * 1.062, 2.1, nil, nil), (pqxfi, .pqxfi, 4.2 * 1.07, 5.1, 0.12, nil),
            (pglor, .pglor, 5 * 1.062, 4.8, 0.1, 2),
            ("PGLOR,1,UNC,120000.00,0.2,3.0,4.8,0.1,2.0,,,", .pglor, 3 * 2.0.squareRoot() * 1.07, 4.8, 0.1, 2),
            ("PGLOR,UNC,120000.00,0.2,3.1,4.8,0.1,2.0,4.0,3.0,45.0", .pglor, 5 * 1.062, 4.8, 0.1, 2),
        ] as [(String, AccuracySource, Double, Double, Double?, Double?)])
    func `the errors of a sentence are used`(
        body: String, source: AccuracySource, radius: Double, vertical: Double, speed: Double?, course: Double?
    ) throws {
        let epoch = decodedEpoch([body])
        let horizontal = try #require(ReceiverEstimate.horizontal(epoch))
        #expect(horizontal.source == source && near(horizontal.radius, radius))
        #expect(ReceiverEstimate.vertical(epoch) == vertical)
        #expect(ReceiverEstimate.speed(epoch) == speed && ReceiverEstimate.course(epoch) == course)
        var pipeline = FixPipeline()
        let fix = try #require(pipeline.burst([Body.gga("120000"), body]).first)
        #expect(fix.accuracySource == source && near(fix.horizontalAccuracy, radius))
        // The errors of another moment belong to another fix.
        let late = pipeline.burst([Body.gga("120001"), body])
        #expect(late.count == 1 && late.first?.accuracySource == .hdop)
    }

    @Test(arguments: ["GNGFA,120000.00,,,,,,,,", "PQXFI,,,,,,,,,", "PGLOR,0,UNC,120000.00,,,,,,,,"])
    func `empty errors are none`(body: String) {
        #expect(ReceiverEstimate.horizontal(decodedEpoch([body])) == nil)
    }

    @Test func `each source converts to 68 %`() {
        var epoch = decodedEpoch()
        (epoch.errors.covariance.north, epoch.errors.covariance.east) = (3, 4)
        #expect(near(ReceiverEstimate.horizontal(epoch)?.radius, 5 * 1.07))
        epoch = decodedEpoch()
        (epoch.errors.pqtmepe.north, epoch.errors.pqtmepe.east) = (1.6247, 1.6247)
        #expect(ReceiverEstimate.horizontal(epoch).map { abs($0.radius - 2.2977 * 1.07) < 1e-4 } == true)
        epoch = decodedEpoch()
        epoch.errors.pgrme.horizontal = 10
        #expect(near(ReceiverEstimate.horizontal(epoch)?.radius, 12.87))
        epoch = decodedEpoch()
        epoch.errors.psrfepe.horizontal = 10
        #expect(near(ReceiverEstimate.horizontal(epoch)?.radius, 10.7))
    }

    @Test func `vertical errors convert to 68 %`() {
        var epoch = decodedEpoch()
        epoch.errors.pgrme.vertical = 10
        #expect(near(ReceiverEstimate.vertical(epoch), 14.83))
        epoch.errors.psrfepe.vertical = 7
        #expect(ReceiverEstimate.vertical(epoch) == 7)
        epoch.errors.pqtmepe.down = 6
        #expect(ReceiverEstimate.vertical(epoch) == 6)
        epoch.errors.covariance.vertical = 5
        #expect(ReceiverEstimate.vertical(epoch) == 5)
    }

    /// Trimble R1 states axes that agree with its latitude and longitude errors, so the shape of
    /// the ellipse is known. u-blox scales its axes to 95 %, so they are ignored.
    @Test(arguments: [
        ("3.0,0.0,90", "0.0,3.0", 3.0), ("3.0,1.5,10", "2.9,1.7", 3.0 * 1.25.squareRoot() * 1.031),
        ("3.0,3.0,0", "3.0,3.0", 18.0.squareRoot() * 1.072),
        ("60,38,0", "15,24", 801.0.squareRoot() * 1.07), (",,", "3.0,4.0", 5.35),
    ])
    func `the shape of the GST ellipse is used where it is consistent`(ellipse: String, axes: String, radius: Double) {
        let epoch = decodedEpoch(["GPGST,120000.00,1,\(ellipse),\(axes),5"])
        #expect(ReceiverEstimate.horizontal(epoch).map { abs($0.radius - radius) < 1e-9 } == true)
    }

    @Test(arguments: [0, -1, 1e5, 5_303_316])
    func `invalid errors are ignored`(metres: Double) {
        var epoch = decodedEpoch()
        epoch.errors.pgrme.horizontal = metres
        epoch.errors.psrfepe.horizontal = metres
        epoch.errors.pqtm.horizontal = metres
        epoch.errors.pgrme.vertical = metres
        #expect(ReceiverEstimate.horizontal(epoch) == nil)
        #expect(ReceiverEstimate.vertical(epoch) == nil)
    }

    @Test func `speed and course errors have an order of precedence`() {
        var epoch = decodedEpoch()
        (epoch.errors.psrfepe.speed, epoch.errors.psrfepe.course) = (0.4, 12)
        #expect(ReceiverEstimate.speed(epoch) == 0.4)
        #expect(ReceiverEstimate.course(epoch) == 12)
        (epoch.errors.velocity.speed, epoch.errors.velocity.course) = (0.2, 180)
        #expect(ReceiverEstimate.speed(epoch) == 0.2)
        #expect(ReceiverEstimate.course(epoch) == 12)
    }
}
