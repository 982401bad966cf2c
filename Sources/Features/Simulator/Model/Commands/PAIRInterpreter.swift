import Chronology

/// Interprets Airoha commands and Quectel's additions (docs/receiver-commands.md).
enum PAIRInterpreter {
    static func commands(in body: String, supportsPQTM: Bool) -> [ReceiverCommand] {
        let fields = CommandFields(body)
        if fields.address.hasPrefix("PQTM") { return supportsPQTM ? quectel(fields) : [] }
        guard let number = fields.number(after: "PAIR") else { return [] }
        let digits = "\(1000 + number)".suffix(3)
        func acknowledgement(_ result: Int) -> ReceiverCommand { .sentence("PAIR001,\(digits),\(result)") }
        switch number {
        case 4: return [acknowledgement(0), .restart(.hot)]
        case 5: return [acknowledgement(0), .restart(.warm)]
        case 6, 7: return [acknowledgement(0), .restart(.cold)]
        case 21: return [acknowledgement(0), .sentence("PAIR021,AG3352Q_V2.5.0.AG3352_20230420,S,N,9ec1cc8")]
        case 50:
            guard let period = fields.integer(0), (100...1000).contains(period) else { return [acknowledgement(2)] }
            return [acknowledgement(0), .period(period)]
        case 62:
            let kinds: [SentencePlan.Kind?] = [.gga, .gll, .gsa, .gsv, .rmc, .vtg, .zda, nil, .gst, .gns]
            guard let type = fields.integer(0), let rate = fields.integer(1), kinds.indices.contains(type),
                (0...20).contains(rate),
                let kind = kinds[type]
            else { return [acknowledgement(2)] }
            return [acknowledgement(0), .sentences([kind: rate])]
        case 80:
            guard let mode = fields.integer(0), [0, 1, 4, 5, 7, 9].contains(mode) else { return [acknowledgement(2)] }
            return [acknowledgement(0), .dynamics(mode)]
        case 382: return [acknowledgement(0), .keepAwake(fields.integer(0) == 1)]
        case 490: return [acknowledgement(0)] + (fields.integer(0) == 1 ? [.predictOrbits] : [])
        case 590: return fields.utc(0).map { [acknowledgement(0), .time($0)] } ?? [acknowledgement(3)]
        case 600: return [acknowledgement(0), .place]
        case 650:
            guard let seconds = fields.integer(0), seconds == 0 || (10...62_208_000).contains(seconds) else {
                return [acknowledgement(2)]
            }
            let span: Instant.Span? = seconds == 0 ? nil : .seconds(Double(seconds))
            return [
                acknowledgement(0), .keepAwake(false),
                .sleep(SleepRequest(wakesOnInput: false, duration: span, losesSettings: true)),
            ]
        default: return [acknowledgement(2)]
        }
    }

    private static func quectel(_ fields: CommandFields) -> [ReceiverCommand] {
        switch fields.address {
        case "PQTMVERNO": [.sentence("PQTMVERNO,LC29HAANR11A03S_RSA,2022/12/28,13:46:32")]
        case "PQTMGNSSSUSPEND": [.sentence("PQTMGNSSSUSPEND,OK"), .stop]
        case "PQTMGNSSRESUME": [.sentence("PQTMGNSSRESUME,OK"), .start]
        default: [.sentence("\(fields.address),ERROR,3")]
        }
    }
}
