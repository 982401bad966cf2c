import Chronology

extension FieldReader {
    /// `yyyymmdd`; nil where empty or impossible.
    mutating func fullDate(_ body: RawSpan) -> CivilDate? {
        guard let number = integer(body), number <= 99_991_231 else { return nil }
        return CivilDate(year: number / 10_000, month: number / 100 % 100, day: number % 100)
    }
}
