/// Where the parts of the live view go, for a terminal of some size. Made for 80x24; a larger one gives its room to the sky, a smaller one
/// loses the compass, then the lower parts.
struct WatchLayout: Equatable {
    let position: Area
    let compass: Area
    let satellites: Area
    let receiver: Area

    init(_ size: TerminalSize) {
        let top = size.rows >= 32 ? 12 : 10
        let usualReceiverRows = 3
        // Title and its rule, a rule each above satellites and receiver, the footer.
        let rest = size.rows - 2 - top - 1 - 1 - 1
        let receiverRows = max(0, min(usualReceiverRows, rest))
        let satelliteRows = max(0, rest - receiverRows)
        let compassWidth = size.columns >= 72 ? (top - 1) * 2 : 0
        let compassColumn = size.columns - compassWidth - 3
        position = Area(column: 2, row: 2, width: compassWidth > 0 ? compassColumn - 4 : size.columns - 4, height: top)
        compass = Area(column: compassColumn, row: 2, width: compassWidth, height: top)
        satellites = Area(column: 2, row: 2 + top + 1, width: size.columns - 4, height: satelliteRows)
        receiver = Area(column: 2, row: satellites.endRow + 1, width: size.columns - 4, height: receiverRows)
    }
}
