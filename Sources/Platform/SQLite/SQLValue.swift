/// The value of a parameter of a ``Statement``.
package enum SQLValue: Sendable, Equatable {
    /// NULL.
    case null
    /// INTEGER.
    case integer(Int64)
    /// REAL; SQLite stores NaN as NULL.
    case real(Double)
    /// TEXT, in UTF-8.
    case text(String)
    /// BLOB.
    case bytes([UInt8])

    /// INTEGER, or NULL for nil.
    package static func integer(_ value: Int64?) -> SQLValue {
        if let value { .integer(value) } else { .null }
    }

    /// REAL, or NULL for nil.
    package static func real(_ value: Double?) -> SQLValue {
        if let value { .real(value) } else { .null }
    }

    /// TEXT, or NULL for nil.
    package static func text(_ value: String?) -> SQLValue {
        if let value { .text(value) } else { .null }
    }
}
