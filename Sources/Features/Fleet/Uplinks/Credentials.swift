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
            throw .credential(name: name, reason: String(cString: strerror(errno)))
        }
        defer { fclose(file) }
        let first = fgetc(file)
        guard first != EOF else { throw .credential(name: name, reason: "it is empty") }
        // The unit passes "-" for a key that the administrator has not stored.
        return first == Int32(UInt8(ascii: "-")) && fgetc(file) == EOF ? nil : path
    }

    /// Returns the first line of a file.
    private static func line(of name: String, at path: String?) throws(FleetError) -> String? {
        guard let path else { return nil }
        guard let file = fopen(path, "re") else {
            throw .credential(name: name, reason: String(cString: strerror(errno)))
        }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        while bytes.count <= maxLength {
            let byte = fgetc(file)
            if byte == EOF || byte == 0 || byte == 10 || byte == 13 { break }
            bytes.append(UInt8(truncatingIfNeeded: byte))
        }
        guard bytes.count <= maxLength else {
            throw .credential(name: name, reason: "its first line has more than \(maxLength) bytes")
        }
        guard !bytes.isEmpty else { throw .credential(name: name, reason: "its first line is empty") }
        return String(decoding: bytes, as: UTF8.self)
    }
}
