/// What a parameter of a ``Statement`` is bound to.
public enum SQLValue: Sendable, Equatable {
    /// NULL.
    case null
    /// INTEGER.
    case integer(Int64)
    /// REAL; NaN is kept as NULL by SQLite.
    case real(Double)
    /// TEXT, in UTF-8.
    case text(String)
    /// BLOB.
    case bytes([UInt8])

    /// INTEGER, or NULL for nil.
    public static func integer(_ value: Int64?) -> SQLValue {
        if let value { .integer(value) } else { .null }
    }

    /// REAL, or NULL for nil.
    public static func real(_ value: Double?) -> SQLValue {
        if let value { .real(value) } else { .null }
    }

    /// TEXT, or NULL for nil.
    public static func text(_ value: String?) -> SQLValue {
        if let value { .text(value) } else { .null }
    }
}
