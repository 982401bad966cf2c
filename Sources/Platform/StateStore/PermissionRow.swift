import SQLite

/// One stored decision about a program.
package struct PermissionRow: Sendable, Equatable {
    /// The program in text form.
    package var program: String
    package var authorization: String
    package var accuracy: String
    /// Who decided: "administrator" or "agent".
    package var author: String
    package var user: UInt32
    /// When, in milliseconds since 1970.
    package var date: Int64

    package init(
        program: String, authorization: String, accuracy: String, author: String, user: UInt32, date: Int64
    ) {
        self.program = program
        self.authorization = authorization
        self.accuracy = accuracy
        self.author = author
        self.user = user
        self.date = date
    }
}

/// Decisions about programs, leases and single values of the device.
extension Database {
    package func permissions() throws(StoreError) -> [PermissionRow] {
        let statement = try prepare(
            "SELECT program, authorization, accuracy, author, user, date FROM permission ORDER BY program",
            for: "reading permissions from")
        return try statement.rows { row in
            PermissionRow(
                program: row.text(0), authorization: row.text(1), accuracy: row.text(2), author: row.text(3),
                user: UInt32(clamping: row.integer(4)), date: row.integer(5))
        }
    }

    /// Stores a decision, in place of an earlier one about the same program.
    ///
    /// - Parameter endsLease: Whether the lease of the program ends with it.
    package func setPermission(_ row: PermissionRow, endsLease: Bool = false) throws(StoreError) {
        try transaction("writing permissions to") { () throws(StoreError) in
            let add = try prepare(
                "INSERT OR REPLACE INTO permission VALUES (?1, ?2, ?3, ?4, ?5, ?6)", for: "writing permissions to")
            try add.run(
                .text(row.program), .text(row.authorization), .text(row.accuracy), .text(row.author),
                .integer(Int64(row.user)), .integer(row.date))
            if endsLease { try removeLease(of: row.program) }
        }
    }

    private func removeLease(of program: String) throws(StoreError) {
        try prepare("DELETE FROM lease WHERE program = ?1", for: "writing leases to").run(.text(program))
    }

    /// Deletes the decision about a program, and its lease.
    package func removePermission(of program: String) throws(StoreError) {
        try transaction("writing permissions to") { () throws(StoreError) in
            try prepare("DELETE FROM permission WHERE program = ?1", for: "writing permissions to").run(.text(program))
            try removeLease(of: program)
        }
    }

    /// Returns the programs with a lease, and when it began in milliseconds since 1970.
    package func leases() throws(StoreError) -> [(program: String, since: Int64)] {
        try prepare("SELECT program, since FROM lease ORDER BY program", for: "reading leases from")
            .rows { ($0.text(0), $0.integer(1)) }
    }

    package func setLeases(_ rows: [(program: String, since: Int64)]) throws(StoreError) {
        try transaction("writing leases to") { () throws(StoreError) in
            try execute("DELETE FROM lease", for: "writing leases to")
            let add = try prepare("INSERT OR REPLACE INTO lease VALUES (?1, ?2)", for: "writing leases to")
            for row in rows { try add.run(.text(row.program), .integer(row.since)) }
        }
    }

    /// Returns a value of the device: its bytes, the user who set it and when in milliseconds since
    /// 1970; `nil` if it was never set.
    package func deviceValue(_ name: String) throws(StoreError) -> DeviceValue? {
        let statement = try prepare(
            "SELECT value, user, date FROM device WHERE name = ?1", for: "reading settings from")
        return try statement.first(.text(name)) { row in
            DeviceValue(
                bytes: row.withBytes(0) { Array($0) }, user: UInt32(clamping: row.integer(1)), date: row.integer(2))
        }
    }

    package func setDeviceValue(_ name: String, to value: DeviceValue) throws(StoreError) {
        try transaction("writing settings to") { () throws(StoreError) in
            try prepare("INSERT OR REPLACE INTO device VALUES (?1, ?2, ?3, ?4)", for: "writing settings to").run(
                .text(name), .bytes(value.bytes), .integer(Int64(value.user)), .integer(value.date))
        }
    }
}

/// A value of the whole device, such as the location switch.
package struct DeviceValue: Sendable, Equatable {
    package var bytes: [UInt8]
    package var user: UInt32
    /// When, in milliseconds since 1970.
    package var date: Int64

    package init(bytes: [UInt8], user: UInt32, date: Int64) {
        self.bytes = bytes
        self.user = user
        self.date = date
    }
}
