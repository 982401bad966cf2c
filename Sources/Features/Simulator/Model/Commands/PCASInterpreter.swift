import Chronology

/// Interprets CASIC commands (docs/receiver-commands.md). CASIC receivers respond only to the
/// version query.
enum PCASInterpreter {
    static func commands(in body: String) -> [ReceiverCommand] {
        let fields = CommandFields(body)
        switch fields.address {
        case "PCAS02":
            guard let period = fields.integer(0), [100, 200, 250, 500, 1000].contains(period) else { return [] }
            return [.period(period)]
        case "PCAS03":
            let order: [SentencePlan.Kind?] = [
                .gga, .gll, .gsa, .gsv, .rmc, .vtg, .zda, .txt, nil, nil, nil, nil, nil, .gst,
            ]
            var rates: [SentencePlan.Kind: Int] = [:]
            for (index, kind) in order.enumerated() {
                if let kind, let rate = fields.integer(index), (0...9).contains(rate) { rates[kind] = rate }
            }
            return [.sentences(rates)]
        case "PCAS06":
            let text = fields.integer(0) == 0 ? "SW=URANUS5,V5.3.0.0" : "HW=AT6558-5N-31-0C510800"
            return [.sentence("GPTXT,01,01,02,\(text)")]
        case "PCAS10": return [.restart(fields.integer(0) == 0 ? .hot : fields.integer(0) == 1 ? .warm : .cold)]
        case "PCAS11": return fields.integer(0).map { [.dynamics($0)] } ?? []
        case "PCAS12":
            guard let seconds = fields.integer(0), (1...65_535).contains(seconds) else { return [] }
            return [.sleep(SleepRequest(wakesOnInput: true, duration: .seconds(Double(seconds)), losesSettings: true))]
        default: return []
        }
    }
}
