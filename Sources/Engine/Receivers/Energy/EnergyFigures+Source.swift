extension EnergyFigures {
    /// Returns the source of a chip's figures in ``init(for:)``, as text for users.
    package static func source(of chip: ReceiverChip) -> String {
        switch chip {
        case .ublox6: "u-blox NEO-6 data sheet"
        case .ublox7: "u-blox NEO-7 data sheet"
        case .ublox8: "u-blox SAM-M8Q data sheet, table 8"
        case .ubloxM9: "u-blox NEO-M9N data sheet; power save and standby estimated"
        case .ubloxM10: "u-blox MAX-M10S data sheet; acquisition and power save estimated"
        case .mediatek: "Quectel L80 and GlobalTop PA6H data sheets"
        case .airoha, .quectel: "Quectel LC86G and LC76G data sheets"
        case .casic: "ATGM336H and L76K data sheets"
        case .sirf: "Maestro A2100 manual"
        case .teseo: "ST UM2231; acquisition estimated"
        case .generic: "unknown chip; typical values used"
        }
    }
}
