import Glibc

/// The paths of the services' sockets.
package enum ServiceSocket {
    /// The daemon's, which its unit creates.
    package static let daemon = "/run/sextant/io.sextant"
    /// That of `sextant-places`, which its unit creates.
    package static let places = "/run/sextant/io.sextant.Places"

    /// The path that SEXTANT_SOCKET names; nil if it is not set or empty.
    package static var named: String? {
        getenv("SEXTANT_SOCKET").map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
