import Delivery
import Wire

/// Who asks for what, for people, and what the receivers do.
struct ConsumerTable {
    var reply: GetConsumersReply

    /// The lines.
    var lines: [String] {
        var lines: [String] = []
        if !reply.consumers.contains(where: \.holds) { lines.append("Nobody keeps a receiver on.") }
        if !reply.consumers.isEmpty {
            var table = TextTable(["HOLDS", "PROGRAM", "PID", "USER", "UNIT", "ASKS FOR", "SINCE", "FOR"], rightAligned: [2, 7])
            for consumer in reply.consumers { table.add(cells(consumer)) }
            lines += table.lines
        }
        return lines + [""] + doing
    }

    private func cells(_ consumer: ConsumerMessage) -> [String] {
        [
            consumer.holds ? "yes" : "no", ProgramWords.name(consumer.program), consumer.pid.map(String.init) ?? "-",
            ProgramWords.user(consumer.uid), consumer.unit ?? "-", consumer.words, TimeText.moment(consumer.since),
            TimeText.span(consumer.seconds),
        ]
    }

    private var doing: [String] {
        guard !reply.doing.isEmpty else { return ["No receiver has been heard."] }
        let lines = reply.doing.map { "\(Columns.harmless($0.receiver)) \($0.work.words), for \(TimeText.span($0.seconds))" }
        return lines + (reply.rests ? [] : ["Receivers are never let rest: receivers.power is off."])
    }
}

extension ConsumerMessage {
    /// What it asks for, in a few words.
    fileprivate var words: String {
        var words = [purpose.words]
        if let desiredAccuracy, desiredAccuracy != .best { words.append(desiredAccuracy.rawValue) }
        if let interval { words.append("every \(TimeText.span(interval))") }
        if let distanceFilter { words.append("\(Fixed.text(distanceFilter, 0)) m") }
        if significantChange { words.append("significant changes") }
        if let receiver { words.append("of \(receiver)") }
        if passive { words.append("passive") }
        if silent { words.append("silent: the device rests") }
        return words.joined(separator: ", ")
    }
}

extension WorkName {
    /// For people, after the receiver's name.
    fileprivate var words: String {
        switch self {
        case .operation: "works all the time"
        case .saving: "works, saving power between fixes"
        case .search: "looks for satellites"
        case .standby: "rests"
        case .closed: "is not listened to: its port is closed"
        }
    }
}
