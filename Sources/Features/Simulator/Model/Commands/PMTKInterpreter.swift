/// Interprets MediaTek commands (docs/receiver-commands.md; GlobalTop PMTK A08).
enum PMTKInterpreter {
    static func commands(in body: String) -> [ReceiverCommand] {
        let fields = CommandFields(body)
        guard let number = fields.number(after: "PMTK") else { return [] }
        func acknowledgement(_ result: Int) -> ReceiverCommand { .sentence("PMTK001,\(number),\(result)") }
        switch number {
        case 0: return [acknowledgement(3)]
        case 101: return [.restart(.hot)]
        case 102: return [.restart(.warm)]
        case 103, 104: return [.restart(.cold)]
        case 161:
            return [acknowledgement(3), .sleep(SleepRequest(wakesOnInput: true, duration: nil, losesSettings: false))]
        case 220:
            guard let period = fields.integer(0), (100...10_000).contains(period) else { return [acknowledgement(2)] }
            return [acknowledgement(3), .period(period)]
        case 225:
            switch fields.integer(0) {
            case 0: return [acknowledgement(3), .savePower(false)]
            // Perpetual backup: no input on the line wakes the receiver.
            case 4:
                return [
                    acknowledgement(3), .sleep(SleepRequest(wakesOnInput: false, duration: nil, losesSettings: true)),
                ]
            case 8, 9: return [acknowledgement(3), .savePower(true)]
            default: return [acknowledgement(2)]
            }
        case 262: return [acknowledgement(3), .savePower(fields.integer(0) ?? 0 > 0)]
        case 314:
            let order: [SentencePlan.Kind] = [.gll, .rmc, .vtg, .gga, .gsa, .gsv]
            let rates = order.indices.compactMap { index in fields.integer(index).map { (order[index], $0) } }
            return [acknowledgement(3), .sentences(Dictionary(rates, uniquingKeysWith: { $1 }))]
        case 605: return [.sentence("PMTK705,AXN_2.31_3339_13101700,5632,PA6H,1.0")]
        case 740, 741:
            guard let time = fields.utc(number == 740 ? 0 : 3) else { return [acknowledgement(2)] }
            return [acknowledgement(3), .time(time)] + (number == 741 ? [.place] : [])
        case 869: return [acknowledgement(3)] + (fields.integer(1) == 1 ? [.predictOrbits] : [])
        default: return [acknowledgement(1)]
        }
    }
}
