import Bridges
import Geofencing
import Locator
import Positioning
import Wire

/// Prints the effects of a replay as lines.
struct ReplayPrinter {
    let emission: ReplayCommand.Emission
    let format: ReplayCommand.Format
    let receiver: String
    /// The names of the conditions, in order.
    let identifiers: [String]
    private var sequence = 0

    init(emission: ReplayCommand.Emission, format: ReplayCommand.Format, receiver: String, identifiers: [String] = []) {
        self.emission = emission
        self.format = format
        self.receiver = receiver
        self.identifiers = identifiers
    }

    mutating func print(_ effect: Effect, to output: inout JSONLineWriter) {
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
        case (.conditionsChanged(let events), .events):
            for event in events {
                let index = Int(event.condition.rawValue) - 1
                guard identifiers.indices.contains(index) else { continue }
                output.write(EventLine(event, identifier: identifiers[index], receiver: receiver))
            }
        case (.visit(let visit, _), .visits): output.write(WatchVisitsReply(visit))
        case (.heading(let update, _), .headings): output.write(WatchHeadingReply(update))
        default: break
        }
    }
}
