/// Counts the epochs of a raw log as simply as possible and without the core: lines, commas and a
/// set of times.
///
/// An epoch is a time of day that GGA, RMC, GLL or GNS states. It has a fix if one of them reports
/// a fix and none denies it. Sentences without a time make as many epochs as the most frequent of
/// them.
struct ReferenceEpochCount {
    /// The number of epochs in which the receiver had a fix.
    private(set) var withFix = 0
    /// The number of epochs in which the receiver reported no fix.
    private(set) var without = 0

    private struct Key: Hashable {
        var day: Int
        var time: Substring
    }

    private var hasFix: [Key: Bool] = [:]
    private var untimed: [Substring: (withFix: Int, without: Int)] = [:]
    private var latest = Key(day: 0, time: "")

    init(_ log: [UInt8]) {
        for line in log.split(whereSeparator: { $0 == 10 || $0 == 13 }) {
            guard let mark = line.lastIndex(of: UInt8(ascii: "$")) else { continue }
            count(line[line.index(after: mark)...])
        }
        withFix = hasFix.values.count { $0 } + (untimed.values.map(\.withFix).max() ?? 0)
        without = hasFix.values.count { !$0 } + (untimed.values.map(\.without).max() ?? 0)
    }

    private mutating func count(_ line: ArraySlice<UInt8>) {
        let parts = line.split(separator: UInt8(ascii: "*"), maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count > 1 {
            guard let checksum = UInt8(String(decoding: parts[1].prefix(2), as: UTF8.self), radix: 16),
                checksum == parts[0].reduce(0, ^)
            else {
                return
            }
        }
        let fields = String(decoding: parts[0], as: UTF8.self).split(separator: ",", omittingEmptySubsequences: false)
        guard let address = fields.first, address.count == 5 else { return }
        func field(_ index: Int) -> Substring { index < fields.count ? fields[index] : "" }
        switch address.suffix(3) {
        case "GGA":
            record(
                address: address, time: field(1),
                isFix: "123456".contains(field(6)) && !field(6).isEmpty && !field(2).isEmpty)
        case "RMC": record(address: address, time: field(1), isFix: field(2) == "A" && !field(3).isEmpty)
        case "GLL": record(address: address, time: field(5), isFix: field(6) != "V" && !field(1).isEmpty)
        // Trimble's GNS sentences for a single constellation have no mode and do not count.
        case "GNS" where !field(6).isEmpty:
            record(
                address: address, time: field(1),
                isFix: field(6).contains { "ADPRFE".contains($0) } && !field(2).isEmpty)
        default: break
        }
    }

    private mutating func record(address: Substring, time: Substring, isFix: Bool) {
        guard !time.isEmpty else {
            if isFix {
                untimed[address, default: (0, 0)].withFix += 1
            } else {
                untimed[address, default: (0, 0)].without += 1
            }
            return
        }
        // No log is longer than a day, so a late hour followed by an early one is midnight.
        if latest.time.hasPrefix("23") && time.hasPrefix("00") { latest.day += 1 }
        latest.time = time
        hasFix[latest] = isFix && hasFix[latest] ?? true
    }
}
