/// Interprets SiRF commands (docs/receiver-commands.md). SiRF receivers send no responses in
/// NMEA.
enum PSRFInterpreter {
    static func commands(in body: String) -> [ReceiverCommand] {
        let fields = CommandFields(body)
        switch fields.address {
        case "PSRF101":
            let starts: [Int: EphemerisState.Start] = [1: .hot, 2: .warm, 3: .warm, 4: .cold, 8: .cold]
            return fields.integer(7).flatMap { starts[$0] }.map { [.restart($0)] } ?? []
        case "PSRF103":
            let kinds: [Int: SentencePlan.Kind] = [0: .gga, 1: .gll, 2: .gsa, 3: .gsv, 4: .rmc, 5: .vtg, 8: .zda]
            guard let kind = fields.integer(0).flatMap({ kinds[$0] }), fields.integer(1) == 0,
                let rate = fields.integer(2)
            else {
                return []
            }
            return (0...255).contains(rate) ? [.sentences([kind: rate])] : []
        // Hibernation: only the ON_OFF pin wakes the receiver.
        case "PSRF117":
            return fields.integer(0) == 16
                ? [.sleep(SleepRequest(wakesOnInput: false, duration: nil, losesSettings: true))] : []
        default: return []
        }
    }
}
