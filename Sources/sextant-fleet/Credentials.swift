import Glibc

/// The keys of the service, in the directory of `LoadCredential=` (systemd.exec(5)).
struct Credentials {
    private let directory: String?

    init() {
        let name = getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) } ?? ""
        directory = name.isEmpty ? nil : name
    }

    /// The certificates that the server's certificate is verified with; nil: those of the system.
    var authorities: String? { path("ca.pem") }
    /// The certificate of the device; nil if it has none.
    var certificate: String? { path("cert.pem") }
    /// The private key of the device; nil if it has none.
    var key: String? { path("key.pem") }

    /// The file with destinations; nil if there is none.
    var destinations: DestinationFile? { path("destination").map(DestinationFile.init) }

    /// The password of the user; nil if there is none.
    var password: String? { line("password") }
    /// The key that messages of OwnTracks are encrypted with; nil: they are not encrypted.
    var encryptionKey: String? { line("encryption-key") }

    private func line(_ name: String) -> String? {
        guard let path = path(name), let file = fopen(path, "re") else { return nil }
        defer { fclose(file) }
        var buffer = [CChar](repeating: 0, count: 1024)
        guard fgets(&buffer, 1024, file) != nil else { return nil }
        let bytes = buffer.prefix { $0 != 0 && $0 != 10 && $0 != 13 }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func path(_ name: String) -> String? {
        guard let directory else { return nil }
        let path = "\(directory)/\(name)"
        var status = stat()
        // The unit passes one character for a key that the administrator has not stored.
        return stat(path, &status) == 0 && status.st_size > 1 && access(path, R_OK) == 0 ? path : nil
    }
}
