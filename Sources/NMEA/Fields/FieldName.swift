extension FieldReader {
    /// The next field's bytes packed as ``Address`` packs its letters, to compare a short name; 0 where it is empty or longer than eight.
    mutating func name(_ body: RawSpan) -> UInt64 {
        let range = field(body)
        guard range.count <= 8 else { return 0 }
        return range.reduce(0) { $0 << 8 | UInt64(body.byte(at: $1)) }
    }
}
