import Chronology

@testable import Simulator

/// Splits bytes into lines without their line ends.
func lines(_ bytes: [UInt8]) -> [String] {
    String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init)
}

/// Whether a line is `$...*hh` with a correct checksum and only printable ASCII.
func isValid(_ line: String) -> Bool {
    let bytes = Array(line.utf8)
    guard bytes.first == UInt8(ascii: "$"), bytes.count > 4, bytes[bytes.count - 3] == UInt8(ascii: "*") else {
        return false
    }
    guard bytes.allSatisfy({ (32..<127).contains($0) }) else { return false }
    return UInt8(line.suffix(2), radix: 16) == bytes[1..<(bytes.count - 3)].reduce(0, ^)
}

/// The type of a sentence without its talker, such as `GGA` or `PGRME`.
func kind(_ line: String) -> String {
    let address = String(line.dropFirst().prefix { $0 != "," && $0 != "*" })
    return address.hasPrefix("P") && !address.hasPrefix("PQ") ? address : String(address.suffix(3))
}

func fields(_ line: String) -> [String] {
    line.prefix { $0 != "*" }.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
}

/// Returns all lines that a receiver sends in these seconds of simulated time.
func simulate(seconds: Double, _ change: (inout SimulatorOptions) -> Void = { _ in }) throws -> [String] {
    var options = SimulatorOptions()
    options.duration = .seconds(seconds)
    change(&options)
    return lines(try SimulatedCapture.bytes(options))
}
