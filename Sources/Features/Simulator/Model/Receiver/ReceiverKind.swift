import Receivers

/// The receiver models that the simulator supports. Raw values are the command-line names.
package enum ReceiverKind: String, Sendable, CaseIterable {
    case ublox6, ublox8, ubloxM9, ubloxM10, mtk, sirf, casic, garmin, quectel, generic, airoha, teseo

    /// The chip of this model. It determines the supported commands and the power consumption.
    package var chip: ReceiverChip {
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
