import Positioning

/// The calibration as text.
extension Calibration {
    /// The tables, with one row for each log, accuracy source and fix quality.
    package var text: String {
        var lines = [
            "Stationary receivers: error relative to the median of each log (an error common to all epochs of a log "
                + "does not show).",
            "R68 is horizontalAccuracy, R95 is \(AccuracyClaims.r68ToR95) times R68; gpsd claims HDOP x 19 m, or x "
                + "4.75 m with DGPS, as 95 %, and",
            "\(AccuracyClaims.r95ToR68) times that as 68 %; plain is HDOP x 4 m, or x 3 m with DGPS, and nothing else.",
            "",
            Row.head("log"),
        ]
        lines += atRest.map { Row.text($0.log.file, comparison: $0.comparison, remark: $0.log.remark) }
        lines += [
            Row.text("all epochs, pooled", comparison: pool, remark: "main result"),
            "mean over the logs: \(Row.share(meanOfLogs)) within R68", "",
        ]
        let parts = RecordedLog.shortAtRest.count
        lines += [Row.text("\(parts) logs under a minute", comparison: short, remark: "not counted"), ""]
        lines += ["By accuracySource:", Row.sourceHead]
        lines += AccuracySource.allCases.compactMap { source in
            pool.bySource[source].map { Row.text(source, coverage: $0) }
        }
        lines += [
            "", "Speed of stationary receivers (true speed 0): \(Row.share(pool.speed.share)) within speedAccuracy.",
        ]
        let bias = "\(ClaimComparison.unseenBias) m"
        lines += [
            "A model, not a measurement: with a hidden error of \(bias) in any direction, "
                + "\(Row.share(pool.withBias.share)) within R68.",
            "",
        ]
        lines += ["A drive with a reference receiver (\(RecordedLog.drive.file); the errors are true errors):"]
        if let lever {
            let (ahead, right) = (Row.metres(lever.ahead), Row.metres(lever.right))
            lines += [
                "lever arm between the antennas: \(ahead) m ahead, \(right) m right, from \(leverEpochs) epochs; "
                    + "removed from RTK errors."
            ]
        }
        lines += ["", Row.head("quality")]
        lines += drive.map { Row.text($0.quality.rawValue, comparison: $0.comparison, remark: Row.driveRemark($0)) }
        lines += [
            "", "Averages of receivers at rest (sextant station average): the place within the R68 of the average.",
            "The place of a recorded log is its median, not surveyed; windows overlap.",
            "", Row.averageHead,
        ]
        lines += averages.map { Row.text($0.name, coverage: $0.coverage) }
        return lines.joined(separator: "\n") + "\n"
    }
}

/// The layout of a table row.
private enum Row {
    private static let widths = [30, 7, 8, 8, 8, 8, 8, 8, 8, 8]

    static func head(_ what: String) -> String {
        line([what, "epochs", "err68", "R68", "in R68", "in R95", "plain", "gpsd m", "gpsd68", "gpsd95"]) + "  speed"
    }

    static let averageHead = line(["average", "windows", "err68", "R68", "in R68", "in R95"])

    static let sourceHead = line(["source", "epochs", "err68", "R68", "in R68", "in R95"])

    static func text(_ name: String, comparison: ClaimComparison, remark: String) -> String {
        let (own, gpsd) = (comparison.sextant, comparison.gpsd)
        let cells = [
            name, String(own.epochs), metres(own.error(0.68)), metres(own.medianClaim), share(own.share),
            share(own.wideShare),
            share(comparison.plain.share), metres(gpsd.medianClaim), share(gpsd.share), share(gpsd.wideShare),
        ]
        return line(cells) + "  \(share(comparison.speed.share))" + (remark.isEmpty ? "" : "  \(remark)")
    }

    static func text(_ source: AccuracySource, coverage own: ClaimCoverage) -> String {
        text(source.rawValue, coverage: own)
    }

    static func text(_ name: String, coverage own: ClaimCoverage) -> String {
        line([
            name, String(own.epochs), metres(own.error(0.68)), metres(own.medianClaim), share(own.share),
            share(own.wideShare),
        ])
    }

    static func driveRemark(_ kind: Calibration.DriveClass) -> String {
        "claims \(metres(kind.comparison.sextant.minClaim)) m or more; \(share(kind.withLever.sextant.share)) if the "
            + "lever arm is not removed"
    }

    static func share(_ value: Double?) -> String { value.map { metres($0) } ?? "-" }

    /// Returns a number with two decimals, or `-` for nil.
    static func metres(_ value: Double?) -> String {
        guard let value, let hundredths = Int(exactly: (value * 100).rounded()) else { return "-" }
        let digits = String(hundredths.magnitude)
        let padded = String(repeating: "0", count: max(0, 3 - digits.count)) + digits
        return (hundredths < 0 ? "-" : "") + padded.dropLast(2) + "." + padded.suffix(2)
    }

    private static func line(_ cells: [String]) -> String {
        zip(cells, widths).enumerated().map { index, cell in
            let space = String(repeating: " ", count: max(0, cell.1 - cell.0.count))
            return index == 0 ? cell.0 + space : space + cell.0
        }.joined()
    }
}
