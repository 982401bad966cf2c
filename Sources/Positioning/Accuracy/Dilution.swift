/// Dilution of precision as receivers state it.
enum Dilution {
    /// The value where it is one. 99.99, 99.0, 100.0 and 50.0 at no fix are markers for "none"; so is 0.00 (SkyTraq).
    static func believable(_ stated: Double?) -> Double? {
        guard let stated, stated > 0.01, stated < 89.99 else { return nil }
        return stated
    }
}
