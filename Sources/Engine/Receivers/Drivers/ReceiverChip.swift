/// A generation of receivers with the same power consumption and the same commands, derived from
/// what the receiver reports (``ReceiverIdentity/chipset`` is the name in its own text). The state
/// directory stores the raw values.
package enum ReceiverChip: String, Sendable, CaseIterable {
    case ublox6, ublox7, ublox8, ubloxM9, ubloxM10
    /// MediaTek MT333x.
    case mediatek
    /// Airoha AG333x and AG335x in modules of other makers than Quectel.
    case airoha
    /// Airoha AG333x and AG335x in Quectel modules.
    case quectel
    /// Zhongke AT6558, AT6668 (ATGM336H, L76K).
    case casic
    /// SiRFstar III and IV.
    case sirf
    /// ST Teseo II, III and LIV3.
    case teseo
    /// Any other receiver, or one that has not identified itself.
    case generic

    /// The family of commands that the chip uses.
    package var family: ReceiverFamily {
        switch self {
        case .ublox6, .ublox7, .ublox8: .ubloxMessages
        case .ubloxM9, .ubloxM10: .ubloxKeys
        case .mediatek: .mediatek
        case .airoha: .airoha
        case .quectel: .quectel
        case .casic: .casic
        case .sirf: .sirf
        case .teseo: .teseo
        case .generic: .generic
        }
    }
}

/// The families of receiver commands, one table each in `Families/`.
package enum ReceiverFamily: String, Sendable, CaseIterable {
    /// u-blox 6 to 8: one UBX message per setting.
    case ubloxMessages
    /// u-blox from protocol version 27: keys and values.
    case ubloxKeys
    /// `PMTK`.
    case mediatek
    /// `PAIR`.
    case airoha
    /// `PAIR` and Quectel's own `PQTM`.
    case quectel
    /// `PCAS`.
    case casic
    /// `PSRF`.
    case sirf
    /// `PSTM`.
    case teseo
    /// No known commands: the driver can only close the port.
    case generic
}
