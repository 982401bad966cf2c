import ArgumentParser

/// A length on the command line: metres, or a number with a unit, such as 150, 150m, 0.2km.
struct MetresArgument: ExpressibleByArgument, Equatable {
    let metres: Double

    init?(argument: String) {
        let units = [("km", 1000.0), ("m", 1.0)]
        let unit = units.first { argument.hasSuffix($0.0) }
        guard let number = DecimalText.number(argument.dropLast(unit?.0.count ?? 0)) else { return nil }
        metres = number * (unit?.1 ?? 1)
    }
}
