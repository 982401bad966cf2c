import Delivery
import Locator
import Positioning
import Wire

/// Turns the effects of a replay into lines.
struct ReplayPrinter {
    let emission: ReplayCommand.Emission
    let format: ReplayCommand.Format
    let receiver: String
    private var sequence = 0

    init(emission: ReplayCommand.Emission, format: ReplayCommand.Format, receiver: String) {
        self.emission = emission
        self.format = format
        self.receiver = receiver
    }

    mutating func print(_ effect: Effect, to output: inout LineOutput) {
        switch (effect, emission) {
        case (.epoch(_, let fix), .fixes):
            if format == .gpsd {
                output.write(TPV(fix))
            } else {
                output.write(EpochLine(fix, receiver: receiver))
            }
        case (.publish(let update, _), .updates):
            sequence += 1
            output.write(SubscribeReply(sequence: sequence, dropped: 0, UpdateMessage(update)))
        case (.visit(let visit, _), .visits): output.write(WatchVisitsReply(visit))
        default: break
        }
    }
}
