import Chronology
import NMEA
import Testing

@testable import Positioning

/// Error estimates of receivers: their order, and the conversion of each kind to 68 %.
@Suite struct ReceiverEstimateTests {
    /// Returns an epoch of the given sentence bodies.
    private func epoch(_ bodies: [String] = []) -> Epoch {
        var epoch = Epoch(opened: .zero)
        for body in bodies {
            let (address, sentence) = Sentence.decode(Array(body.utf8).span.bytes)
            epoch.merge(address, sentence)
        }
        return epoch
    }

    private func near(_ a: Double?, _ b: Double) -> Bool { a.map { abs($0 - b) < 1e-9 } ?? false }

    /// Removes the best source one after the other.
    @Test func `the sources have an order of precedence`() {
        var all = epoch([Say.pubx("120000.00"), Say.gst("120000.00"), Say.gbs("120000.00")])
        (all.errors.covariance.north, all.errors.covariance.east) = (1, 1)
        (all.errors.pqtmepe.north, all.errors.pqtmepe.east) = (1, 1)
        all.errors.pqtm.horizontal = 1
        all.errors.psrfepe.horizontal = 1
        all.errors.pgrme.horizontal = 1
        let removals: [(inout Epoch) -> Void] = [
            { $0.pubx = nil }, { $0.errors.covariance.north = nil }, { $0.errors.pqtmepe.east = nil },
            { $0.errors.pqtm.horizontal = nil },
            { $0.gst = nil }, { $0.errors.psrfepe.horizontal = nil }, { $0.errors.pgrme.horizontal = nil },
            { $0.gbs = nil },
        ]
        var seen: [AccuracySource?] = []
        for remove in removals {
            seen.append(ReceiverEstimate.horizontal(all)?.source)
            remove(&all)
        }
        #expect(seen == Array(AccuracySource.allCases.prefix(removals.count)))
        #expect(ReceiverEstimate.horizontal(all) == nil)
    }

    @Test func `each source converts to 68 %`() {
        var stated = epoch()
        (stated.errors.covariance.north, stated.errors.covariance.east) = (3, 4)
        #expect(near(ReceiverEstimate.horizontal(stated)?.radius, 5 * 1.07))
        stated = epoch()
        (stated.errors.pqtmepe.north, stated.errors.pqtmepe.east) = (1.6247, 1.6247)
        #expect(ReceiverEstimate.horizontal(stated).map { abs($0.radius - 2.2977 * 1.07) < 1e-4 } == true)
        stated = epoch()
        stated.errors.pgrme.horizontal = 10
        #expect(near(ReceiverEstimate.horizontal(stated)?.radius, 12.87))
        stated = epoch()
        stated.errors.psrfepe.horizontal = 10
        #expect(near(ReceiverEstimate.horizontal(stated)?.radius, 10.7))
    }

    @Test func `vertical errors convert to 68 %`() {
        var stated = epoch()
        stated.errors.pgrme.vertical = 10
        #expect(near(ReceiverEstimate.vertical(stated), 14.83))
        stated.errors.psrfepe.vertical = 7
        #expect(ReceiverEstimate.vertical(stated) == 7)
        stated.errors.pqtmepe.down = 6
        #expect(ReceiverEstimate.vertical(stated) == 6)
        stated.errors.covariance.vertical = 5
        #expect(ReceiverEstimate.vertical(stated) == 5)
    }

    /// Trimble R1 states axes that agree with its latitude and longitude errors, so the shape of
    /// the ellipse is known. u-blox scales its axes to 95 %, so they are ignored.
    @Test(arguments: [
        ("3.0,0.0,90", "0.0,3.0", 3.0), ("3.0,1.5,10", "2.9,1.7", 3.0 * 1.25.squareRoot() * 1.031),
        ("3.0,3.0,0", "3.0,3.0", 18.0.squareRoot() * 1.072),
        ("60,38,0", "15,24", 801.0.squareRoot() * 1.07), (",,", "3.0,4.0", 5.35),
    ])
    func `the shape of the GST ellipse is used where it is consistent`(ellipse: String, axes: String, radius: Double) {
        let stated = epoch(["GPGST,120000.00,1,\(ellipse),\(axes),5"])
        #expect(ReceiverEstimate.horizontal(stated).map { abs($0.radius - radius) < 1e-9 } == true)
    }

    @Test(arguments: [0, -1, 1e5, 5_303_316])
    func `invalid errors are ignored`(metres: Double) {
        var stated = epoch()
        stated.errors.pgrme.horizontal = metres
        stated.errors.psrfepe.horizontal = metres
        stated.errors.pqtm.horizontal = metres
        stated.errors.pgrme.vertical = metres
        #expect(ReceiverEstimate.horizontal(stated) == nil)
        #expect(ReceiverEstimate.vertical(stated) == nil)
    }

    @Test func `speed and course errors have an order of precedence`() {
        var stated = epoch()
        (stated.errors.psrfepe.speed, stated.errors.psrfepe.course) = (0.4, 12)
        #expect(ReceiverEstimate.speed(stated) == 0.4)
        #expect(ReceiverEstimate.course(stated) == 12)
        (stated.errors.velocity.speed, stated.errors.velocity.course) = (0.2, 180)
        #expect(ReceiverEstimate.speed(stated) == 0.2)
        #expect(ReceiverEstimate.course(stated) == 12)
    }
}
