/// The address and fields of a proprietary sentence.
struct CommandFields {
    let address: String
    private let fields: [Substring]

    init(_ body: String) {
        let parts = body.split(separator: ",", omittingEmptySubsequences: false)
        address = String(parts.first ?? "")
        fields = Array(parts.dropFirst())
    }

    var count: Int { fields.count }
    func text(_ place: Int) -> Substring { place < fields.count ? fields[place] : "" }
    func integer(_ place: Int) -> Int? { Int(text(place)) }
    /// Returns the number in an address such as `PMTK220`, 0 ... 999.
    func number(after prefix: String) -> Int? {
        guard address.hasPrefix(prefix), address.utf8.count == prefix.utf8.count + 3 else { return nil }
        return Int(address.dropFirst(prefix.count)).flatMap { $0 >= 0 ? $0 : nil }
    }
}
