import Receivers

/// The makes of receiver the simulator can be; raw values are the names on the command line.
public enum ReceiverKind: String, Sendable, CaseIterable {
    case ublox6, ublox8, ubloxM9, ubloxM10, mtk, sirf, casic, garmin, quectel, generic, airoha, teseo

    /// The chip in it, which says what it understands and what it draws.
    public var chip: ReceiverChip {
        switch self {
        case .ublox6: .ublox6
        case .ublox8: .ublox8
        case .ubloxM9: .ubloxM9
        case .ubloxM10: .ubloxM10
        case .mtk: .mediatek
        case .sirf: .sirf
        case .casic: .casic
        case .quectel: .quectel
        case .airoha: .airoha
        case .teseo: .teseo
        case .garmin, .generic: .generic
        }
    }
}
