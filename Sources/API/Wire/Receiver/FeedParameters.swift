import Varlink

extension ReceiverMethods {
    /// Adds a receiver whose sentences follow on the connection. Call with `upgrade`.
    package static let feed = Method<FeedParameters, NoParameters>("Feed", of: .receiver)
}

/// The parameters of `io.sextant.Receiver.Feed`.
package struct FeedParameters: Codable, Sendable, Equatable {
    /// The maximum length of a name in bytes.
    private static let maxNameLength = 64
    /// The maximum length of a product in bytes.
    private static let maxProductLength = 255

    /// The name of the receiver.
    package var name: String
    /// What is known of the source, for display.
    package var product: String?

    /// Creates the parameters.
    package init(name: String, product: String? = nil) { (self.name, self.product) = (name, product) }

    /// Whether a text is the name of a receiver that a program may provide.
    package static func isName(_ text: String) -> Bool {
        (1...maxNameLength).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0)
                    || [UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_")].contains($0)
            }
    }

    /// Whether the product can be displayed: it is short and has no control characters.
    package var hasDisplayableProduct: Bool {
        guard let product else { return true }
        return product.utf8.count <= FeedParameters.maxProductLength
            && product.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
    }
}

/// The errors of `io.sextant.Receiver.Feed`.
package enum FeedError: Error, Equatable, Sendable {
    /// The caller may not provide a receiver.
    case notAllowed(detail: String)
    /// The call has no `upgrade`.
    case upgradeRequired
    /// The name is invalid or in use.
    case invalidName(name: String, reason: String)
    /// There are as many provided receivers as allowed.
    case tooMany(limit: Int)

    /// The error in the form of a reply.
    package var reply: VarlinkError {
        let (name, parameters): (String, [String: JSONValue]) =
            switch self {
            case .notAllowed(let detail): ("FeedNotAllowed", ["detail": .string(detail)])
            case .upgradeRequired: ("UpgradeRequired", [:])
            case .invalidName(let name, let reason):
                ("InvalidName", ["name": .string(name), "reason": .string(reason)])
            case .tooMany(let limit): ("TooManyFeeds", ["limit": .int(Int64(clamping: limit))])
            }
        return VarlinkError(name: Interface.receiver.name(of: name), parameters: parameters)
    }
}
