import Glibc
import SystemCalls

/// The keys of the service, in the directory of `LoadCredential=` (systemd.exec(5)).
///
/// A key that exists but cannot be read is an error: without it, messages would be sent without
/// encryption, or to a server that another authority has certified.
package struct Credentials {
    /// The maximum length of a password or an encryption key in bytes.
    static let maxLength = 1023

    /// The certificates that the server's certificate is verified with; nil: those of the system.
    let authorities: String?
    /// The certificate of the device; nil if it has none.
    let certificate: String?
    /// The private key of the device; nil if it has none.
    let key: String?
    /// The file with destinations; nil if there is none.
    package let destinations: DestinationFile?
    /// The password of the user; nil if there is none.
    let password: String?
    /// The key that messages of OwnTracks are encrypted with; nil: they are not encrypted.
    let encryptionKey: String?

    /// Reads the keys in the directory that the service manager names.
    package init() throws(FleetError) {
        try self.init(directory: getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) } ?? "")
    }

    /// Reads the keys in `directory`; an empty name is a directory without keys.
    init(directory: String) throws(FleetError) {
        func path(_ name: String) throws(FleetError) -> String? {
            directory.isEmpty ? nil : try Credentials.path(of: name, in: directory)
        }
        authorities = try path("ca.pem")
        certificate = try path("cert.pem")
        key = try path("key.pem")
        destinations = try path("destination").map(DestinationFile.init)
        password = try Credentials.line(of: "password", at: try path("password"))
        encryptionKey = try Credentials.line(of: "encryption-key", at: try path("encryption-key"))
    }

    /// Returns the path of a key; nil if the administrator has stored none.
    private static func path(of name: String, in directory: String) throws(FleetError) -> String? {
        let path = "\(directory)/\(name)"
        guard let file = fopen(path, "re") else {
            if errno == ENOENT { return nil }
            throw FleetError(reading: name, at: path, code: errno)
        }
        defer { fclose(file) }
        let first = fgetc(file)
        if ferror(file) != 0 { throw FleetError(reading: name, at: path, code: errno) }
        guard first != EOF else { throw .credential(name: name, reason: "it is empty") }
        // The unit passes "-" for a key that the administrator has not stored.
        return first == Int32(UInt8(ascii: "-")) && fgetc(file) == EOF ? nil : path
    }

    /// Returns the first line of a file.
    private static func line(of name: String, at path: String?) throws(FleetError) -> String? {
        guard let path else { return nil }
        guard let file = fopen(path, "re") else { throw FleetError(reading: name, at: path, code: errno) }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        while bytes.count <= maxLength {
            let byte = fgetc(file)
            if byte == EOF || byte == 0 || byte == 10 || byte == 13 { break }
            bytes.append(UInt8(truncatingIfNeeded: byte))
        }
        if ferror(file) != 0 { throw FleetError(reading: name, at: path, code: errno) }
        guard bytes.count <= maxLength else {
            throw .credential(name: name, reason: "its first line has more than \(maxLength) bytes")
        }
        guard !bytes.isEmpty else { throw .credential(name: name, reason: "its first line is empty") }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A file with destinations. The path of a destination may be a token, and other users can read
/// the arguments of a program, but not this file.
package struct DestinationFile {
    let path: String

    /// Creates a description of the file at `path`.
    package init(path: String) { self.path = path }

    /// Returns the destinations. A file that every user can read or write is refused.
    package func destinations() throws(FleetError) -> [Destination] {
        do {
            let file = FileDescriptor(
                owning: try systemCall("opening \(path)") { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) })
            try check(file)
            // One byte more than is allowed shows a longer file.
            return try DestinationList(try file.contents(of: path, limit: DestinationList.maxLength + 1)).destinations
        } catch let error as SystemError {
            throw .system(error)
        } catch let error as FleetError {
            throw error
        } catch {
            throw .destinationFile(path: path, reason: "\(error)")
        }
    }

    private func check(_ file: borrowing FileDescriptor) throws {
        let number = file.number
        var status = stat()
        try systemCall("reading the status of \(path)") { fstat(number, &status) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FleetError.destinationFile(path: path, reason: "it is not a regular file")
        }
        // Who can write it could send the positions to a server of his own.
        guard status.st_mode & (S_IROTH | S_IWOTH) == 0 else {
            throw FleetError.destinationFile(path: path, reason: "every user can read or write it: use chmod 640")
        }
    }
}
