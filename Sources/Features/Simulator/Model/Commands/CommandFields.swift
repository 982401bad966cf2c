/// The address and fields of a proprietary sentence.
struct CommandFields {
    let address: String
    private let fields: [Substring]

    init(_ body: String) {
        let parts = body.split(separator: ",", omittingEmptySubsequences: false)
        address = String(parts.first ?? "")
        fields = Array(parts.dropFirst())
    }

    /// Returns the field at an index; empty if it is missing.
    func text(_ index: Int) -> Substring { index < fields.count ? fields[index] : "" }

    /// Returns the integer in the field at an index; nil if there is none.
    func integer(_ index: Int) -> Int? { Int(text(index)) }

    /// Returns the number in an address such as `PMTK220`, 0 ... 999.
    func number(after prefix: String) -> Int? {
        guard address.hasPrefix(prefix), address.utf8.count == prefix.utf8.count + 3 else { return nil }
        return Int(address.dropFirst(prefix.count)).flatMap { $0 >= 0 ? $0 : nil }
    }
}
