import ArgumentParser
import Calibration
import Glibc
import Wire

/// Holds what the accuracy model claims against recorded logs. For who works on the model; not installed.
@main
struct Calibrate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calibrate", abstract: "How often the truth lay within the accuracy that the core claims, log by log.")

    @Flag(help: "One JSON object a line.")
    var json = false

    @Argument(help: "The folder that holds gpsd and recorded.", completion: .directory)
    var captures: String

    func run() throws {
        let calibration = try Calibration { try Calibrate.read("\(captures)/\($0)") }
        guard json else { return print(calibration.text, terminator: "") }
        for record in CalibrationRecord.all(calibration) { print(String(decoding: try JSONText.line(record), as: UTF8.self)) }
    }

    private static func read(_ path: String) throws -> [UInt8] {
        guard let file = fopen(path, "r") else {
            throw ValidationError("cannot read \(path): \(String(cString: strerror(errno))); name the folder of recorded logs")
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
