/// Why corrections are not written to a receiver. They follow the same rules as commands.
package enum CorrectionRefusal: Error, Equatable, Sendable {
    /// The port is not open.
    case closed
    /// The configuration forbids all writing to the port.
    case passive
    /// The configuration forbids writing to all receivers.
    case powerOff
    /// The port has not shown a receiver, or its baud rate is not known.
    case undetected
    /// The receiver sleeps.
    case asleep
    /// The receiver ignores all commands.
    case unresponsive
    /// Earlier bytes still wait for the line.
    case lineBusy

    /// Creates the reason of a session; nil if corrections may be written now.
    package init?(_ session: borrowing ReceiverSession) {
        if session.settings.isPassive {
            self = .passive
        } else if !session.settings.controlsPower {
            self = .powerOff
        } else if !session.isOpen {
            self = .closed
        } else if !session.isSettled {
            self = .undetected
        } else if [.asleep, .portClosed].contains(session.driverReport?.activity) {
            self = .asleep
        } else if session.driverReport?.isUnresponsive == true {
            self = .unresponsive
        } else {
            return nil
        }
    }
}
