import Chronology
import NMEA
import TestSupport
import Testing

@testable import Positioning

/// Compares the HDOP computed from the directions of the satellites in use with the HDOP that the
/// receiver states, in every recorded log.
@Suite(.enabled(if: SharedCaptures.folder != nil, Comment(rawValue: SharedCaptures.whereToFindThem)))
struct DilutionTests {
    /// Returns the ratios of computed to stated HDOP of one log, sorted, for the three-dimensional
    /// epochs that have both.
    private func ratios(_ path: String) throws -> [Double] {
        var stream = SentenceStream()
        var pairing = Pairing()
        let bytes = try PackageFiles.read(path)
        stream.push(bytes.span.bytes) { address, sentence in pairing.process(sentence, from: address) }
        return pairing.ratios.sorted()
    }

    private struct Pairing {
        var assembler = EpochAssembler()
        var sky = SkyAssembler()
        var now = Instant.zero
        var ratios: [Double] = []

        mutating func process(_ sentence: Sentence, from address: Address) {
            if let epoch = assembler.close(before: sentence, from: address, at: now) { finish(epoch) }
            if case .gsv(let gsv) = sentence { sky.add(gsv, from: address, at: now) }
            if case .gsa(let gsa) = sentence { sky.add(gsa, from: address) }
            if let epoch = assembler.add(sentence, from: address, at: now) { finish(epoch) }
        }

        /// Epochs are one second apart, so that skies expire.
        private mutating func finish(_ epoch: Epoch) {
            if epoch.quality?.isPosition == true, epoch.fixMode == 3, let reported = epoch.reportedHDOP,
                let computed = sky.geometry(at: now).threeD?.hdop
            {
                ratios.append(computed / reported)
            }
            sky.closeEpoch(hadGSA: epoch.hasSatelliteList, hasFix: epoch.quality?.isPosition == true)
            now = now + .seconds(1)
        }
    }

    private func quantile(of sorted: [Double], share: Double) -> Double {
        sorted[min(Int(Double(sorted.count) * share), sorted.count - 1)]
    }
    private func text(_ ratio: Double) -> String { "\((ratio * 100).rounded() / 100)" }

    /// For three logs in four the median lies between 0.8 and 1.3. Exceptions are receivers that
    /// use more satellites than their GSA names (Quectel LC79D), and those that also use other
    /// sensors (u-blox F9K and F9R, dead reckoning).
    @Test func `computed HDOP agrees with the HDOP that receivers state`() throws {
        let paths =
            SharedCaptures.logs.map { "\(SharedCaptures.gpsd)/\($0).log" }
            + PackageFiles.names(in: SharedCaptures.recorded, ending: "").map { "\(SharedCaptures.recorded)/\($0)" }
        var medians: [Double] = []
        var epochs = 0
        for path in paths {
            let ratios = try ratios(path)
            guard ratios.count >= 5 else { continue }
            epochs += ratios.count
            medians.append(quantile(of: ratios, share: 0.5))
            print(
                "HDOP ours/stated \(path.split(separator: "/").last ?? ""): \(ratios.count) epochs, 5 % "
                    + "\(text(quantile(of: ratios, share: 0.05))), "
                    + "median \(text(quantile(of: ratios, share: 0.5))), 95 % "
                    + "\(text(quantile(of: ratios, share: 0.95)))"
            )
        }
        medians.sort()
        print(
            "HDOP ours/stated: \(medians.count) logs, \(epochs) epochs; medians 10 % "
                + "\(text(quantile(of: medians, share: 0.1))), "
                + "50 % \(text(quantile(of: medians, share: 0.5))), 90 % \(text(quantile(of: medians, share: 0.9)))")
        #expect(medians.count >= 20)
        #expect((0.95...1.1).contains(quantile(of: medians, share: 0.5)))
        #expect(medians.count { (0.8...1.3).contains($0) } * 4 >= medians.count * 3)
    }
}
