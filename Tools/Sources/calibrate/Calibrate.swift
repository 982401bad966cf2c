import ArgumentParser
import Calibration
import FoundationEssentials
import Glibc

/// Compares the claims of the accuracy model with recorded logs. A tool for development of the
/// model; not installed.
@main
struct Calibrate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calibrate",
        abstract: "Report how often the true position lies within the accuracy that the core claims, log by log.")

    @Flag(help: "Print one JSON object per line.")
    var json = false

    @Argument(help: "The captures folder that contains gpsd and recorded.", completion: .directory)
    var captures: String

    func run() throws {
        let calibration = try Calibration { try Calibrate.read("\(captures)/\($0)") }
        guard json else { return print(calibration.text, terminator: "") }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        for record in CalibrationRecord.all(calibration) {
            print(String(decoding: try encoder.encode(record), as: UTF8.self))
        }
    }

    private static func read(_ path: String) throws -> [UInt8] {
        guard let file = fopen(path, "r") else {
            throw ValidationError(
                "cannot read \(path): \(String(cString: strerror(errno))); specify the folder of recorded logs")
        }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = fread(&part, 1, part.count, file)
            if count == 0 { return bytes }
            bytes += part[..<count]
        }
    }
}
