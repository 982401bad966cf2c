import Chronology
import NMEA
import Testing

@testable import Positioning

/// Errors from proprietary sentences are kept with their epoch.
@Suite struct ReportedErrorsTests {
    private func errors(_ bodies: [String]) -> ReportedErrors {
        var epoch = Epoch(opened: .zero)
        for body in bodies {
            let (address, sentence) = Sentence.decode(Array(body.utf8).span.bytes)
            epoch.merge(sentence, from: address)
        }
        return epoch.errors
    }

    @Test func `each proprietary sentence sets its own errors`() {
        let errors = errors([
            "PGRME,15.0,M,22.5,M,27.0,M", "PSRFEPE,074155.799,A,1.3,10.59,52.97,0.6,180.0",
            "PQTMEPE,2,3.393,3.476,12.713,4.857,13.609",
            "PSTMKFCOV,5,9,16,25,0.922,0.540,0.310,1.051",
            "PQTMVEL,1,154512.100,1.251,2.452,1.245,2.752,3.021,180.512,0.124,0.254,0.250",
            "PQTMGPS,86139,94183,31.8,117.1,65.7,0.027,94.68,2.5,0.55,0.88,29,3",
        ])
        #expect([errors.pgrme.horizontal, errors.pgrme.vertical] == [15, 22.5])
        #expect(
            [errors.psrfepe.horizontal, errors.psrfepe.vertical, errors.psrfepe.speed, errors.psrfepe.course] == [
                10.59, 52.97, 0.6, 180,
            ])
        #expect([errors.pqtmepe.north, errors.pqtmepe.east, errors.pqtmepe.down] == [3.393, 3.476, 12.713])
        #expect([errors.covariance.north, errors.covariance.east, errors.covariance.vertical] == [3, 4, 5])
        #expect([errors.velocity.speed, errors.velocity.course] == [0.124, 0.25])
        #expect(errors.pqtm.horizontal == 2.5)
    }

    @Test func `empty or invalid sentences set no errors`() {
        let errors = errors(["PGRME,,M,,M,,M", "PSRFEPE,074155.799,V,1.3,10.59,52.97,0.6,180.0", "PQTMEPE,1,1,2,3,4,5"])
        #expect(errors.pgrme.horizontal == nil)
        #expect(errors.psrfepe.horizontal == nil)
        #expect(errors.pqtmepe.north == nil)
    }

    /// These sentences open no epoch, and one with a later time closes the current epoch.
    @Test func `error sentences make no epoch of their own`() {
        var pipeline = FixPipeline()
        #expect(
            pipeline.burst([
                "PGRME,15.0,M,22.5,M,27.0,M", "PQTMEPE,2,1,1,1,1.414,1.732",
                "PQTMVEL,1,120000.000,1,2,1,2,3,180,0.1,0.2,0.2",
            ])
                == [])
        var assembler = EpochAssembler()
        var closed: [Epoch] = []
        for body in [Body.gga("120000.00"), "PSRFEPE,120001.000,A,1.3,10.59,52.97,0.6,180.0"] {
            let (address, sentence) = Sentence.decode(Array(body.utf8).span.bytes)
            if let epoch = assembler.close(before: sentence, from: address, at: .zero) { closed.append(epoch) }
            _ = assembler.add(sentence, from: address, at: .zero)
        }
        #expect(closed.count == 1)
        #expect(closed.first?.errors.psrfepe.horizontal == nil)
    }
}
