import Chronology

/// Interprets ST Teseo commands (docs/receiver-commands.md).
enum PSTMInterpreter {
    static func commands(in body: String) -> [ReceiverCommand] {
        let fields = CommandFields(body)
        switch fields.address {
        case "PSTMGETSWVER": return [.sentence("PSTMVER,GNSSLIB_8.4.8.13_ARM")]
        case "PSTMGPSSUSPEND": return [.sentence("PSTMGPSSUSPENDED"), .stop]
        case "PSTMGPSRESTART": return [.start]
        case "PSTMFORCESTANDBY":
            guard let seconds = fields.integer(0), (1...99_999).contains(seconds) else {
                return [.sentence("PSTMFORCESTANDBYERROR")]
            }
            return [
                .sentence("PSTMFORCESTANDBYOK"),
                .sleep(SleepRequest(wakesOnInput: false, duration: .seconds(Double(seconds)), losesSettings: true)),
            ]
        case "PSTMLOWPOWERONOFF": return [.sentence("PSTMLOWPOWERONOFFOK"), .savePower(fields.integer(0) == 1)]
        case "PSTMHOT": return [.sentence("PSTMHOTOK"), .restart(.hot)]
        case "PSTMWARM": return [.sentence("PSTMWARMOK"), .restart(.warm)]
        case "PSTMCOLD": return [.sentence("PSTMCOLDOK"), .restart(.cold)]
        default: return []
        }
    }
}
