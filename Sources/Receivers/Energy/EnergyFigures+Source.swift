extension EnergyFigures {
    /// Where the figures of a chip come from, for people; those of ``of(_:)``.
    public static func source(of chip: ReceiverChip) -> String {
        switch chip {
        case .ublox6: "u-blox NEO-6 data sheet"
        case .ublox7: "u-blox NEO-7 data sheet"
        case .ublox8: "u-blox SAM-M8Q data sheet, table 8"
        case .ubloxM9: "u-blox NEO-M9N data sheet; power save and standby reckoned"
        case .ubloxM10: "u-blox MAX-M10S data sheet; search and power save reckoned"
        case .mediatek: "Quectel L80 and GlobalTop PA6H data sheets"
        case .airoha, .quectel: "Quectel LC86G and LC76G data sheets"
        case .casic: "ATGM336H and L76K data sheets"
        case .sirf: "Maestro A2100 manual"
        case .teseo: "ST UM2231; search reckoned"
        case .generic: "no data sheet: what it is, is not known, and a common receiver is reckoned with"
        }
    }
}
