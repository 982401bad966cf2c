/// A generation of receivers that draw the same and understand the same; raw values are kept in the state directory.
public enum ReceiverChip: String, Sendable, CaseIterable {
    case ublox6, ublox7, ublox8, ubloxM9, ubloxM10
    /// MediaTek MT333x.
    case mediatek
    /// Airoha AG333x and AG335x in another maker's module.
    case airoha
    /// Airoha AG333x and AG335x in a module of Quectel's.
    case quectel
    /// Zhongke AT6558, AT6668 (ATGM336H, L76K).
    case casic
    /// SiRFstar III and IV.
    case sirf
    /// ST Teseo II, III and LIV3.
    case teseo
    /// Any other, and one that has not said what it is.
    case generic

    /// The language it is commanded in.
    public var family: ReceiverFamily {
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

/// The languages receivers are commanded in, one table each in `Families/`.
public enum ReceiverFamily: String, Sendable, CaseIterable {
    /// u-blox 6 to 8: a UBX message for each setting.
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
    /// None that is known: all one can do is not to listen.
    case generic
}
