import Chronology
import TestSupport
import Testing

/// Compares every log of ``SharedCaptures/gpsd`` with the result of gpsd 3.27.6.
@Suite(.enabled(if: SharedCaptures.folder != nil, Comment(rawValue: SharedCaptures.whereToFindThem)))
struct GpsdTests {
    private static let comparisons: [String: GpsdComparison] = {
        var all: [String: GpsdComparison] = [:]
        for log in SharedCaptures.logs { all[log] = try? GpsdComparison(log: log) }
        return all
    }()

    @Test(arguments: SharedCaptures.logs)
    func `results differ from gpsd only where listed`(log: String) throws {
        let found = try #require(Self.comparisons[log])
        expect(found.otherDay, log: log, difference: .day)
        expect(found.missing, log: log, difference: .missing)
        expect(found.elsewhere, log: log, difference: .position)
        #expect(found.repeated == [])
    }

    private func expect(_ found: [GpsdComparison.Epoch], log: String, difference: GpsdExceptions.Difference) {
        let listed = GpsdExceptions.count(log: log, difference: difference)
        let times = found.map { $0.time.description }.joined(separator: " ")
        #expect(
            found.count == listed,
            "\(log), \(difference.rawValue): \(listed) listed in GpsdExceptions.swift; found \(times)")
    }

    @Test func `every exception names an existing log`() {
        for row in GpsdExceptions.table { #expect(SharedCaptures.logs.contains(row.log)) }
    }

    /// 99.5 % of gpsd's epochs match, and 99.8 % of those have the same position.
    @Test func `99.5 % of the epochs match gpsd`() {
        let all = Self.comparisons.values
        let reference = all.reduce(0) { $0 + $1.reference.count }
        let matched = all.reduce(0) { $0 + $1.matched }
        let samePlace = matched - all.reduce(0) { $0 + $1.elsewhere.count }
        print(
            "gpsd's logs: \(all.count) with \(reference) epochs; matched \(matched), "
                + "\(percent(matched, of: reference)); "
                + "of these at the same place \(samePlace), \(percent(samePlace, of: matched))")
        #expect(all.count >= 69)
        #expect(Double(matched) >= 0.995 * Double(reference))
        #expect(Double(samePlace) >= 0.998 * Double(matched))
    }

    private func percent(_ part: Int, of whole: Int) -> String {
        let hundredths = part * 10_000 / max(whole, 1)
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100) %"
    }
}
