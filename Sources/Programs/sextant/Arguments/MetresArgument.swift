import ArgumentParser

/// A length on the command line: metres, or a number with a unit, such as 150, 1e3, 150m, 0.2km.
/// It is finite and not negative.
struct MetresArgument: ExpressibleByArgument, Equatable {
    let metres: Double

    init?(argument: String) {
        let units = [("km", 1000.0), ("m", 1.0)]
        let unit = units.first { argument.hasSuffix($0.0) }
        let text = argument.dropLast(unit?.0.count ?? 0)
        // Not "inf", "nan" or hexadecimal.
        guard text.utf8.allSatisfy({ (48...57).contains($0) || ".+-eE".utf8.contains($0) }), text.first != "-",
            let number = Double(text), (number * (unit?.1 ?? 1)).isFinite
        else { return nil }
        metres = number * (unit?.1 ?? 1)
    }
}
