import Positioning

/// `io.sextant.Receiver`, type `Identity`.
public struct IdentityMessage: Codable, Sendable, Equatable {
    /// Who made its chip or module.
    public var vendor: String?
    /// The module or product.
    public var module: String?
    /// The chip.
    public var chipset: String?
    /// Its firmware.
    public var firmware: String?
    /// Version of u-blox's protocol.
    public var protocolVersion: String?

    /// The message of an identity; nil where nothing is known.
    public init?(_ identity: ReceiverIdentity) {
        guard identity.isKnown else { return nil }
        vendor = identity.vendor
        module = identity.module
        chipset = identity.chipset
        firmware = identity.firmware
        protocolVersion = identity.protocolVersion
    }
}
