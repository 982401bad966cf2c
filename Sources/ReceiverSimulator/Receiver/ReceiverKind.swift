/// The makes of receiver the simulator can be; raw values are the names on the command line.
public enum ReceiverKind: String, Sendable, CaseIterable {
    case ublox6, ublox8, ubloxM9, ubloxM10, mtk, sirf, casic, garmin, quectel, generic
}
