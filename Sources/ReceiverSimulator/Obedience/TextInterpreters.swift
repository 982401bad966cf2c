import Chronology

/// The fields of a proprietary sentence.
struct CommandFields {
    let address: String
    private let fields: [Substring]

    init(_ body: String) {
        let parts = body.split(separator: ",", omittingEmptySubsequences: false)
        address = String(parts.first ?? "")
        fields = Array(parts.dropFirst())
    }

    var count: Int { fields.count }
    func text(_ place: Int) -> Substring { place < fields.count ? fields[place] : "" }
    func integer(_ place: Int) -> Int? { Int(text(place)) }
    /// The number in an address such as `PMTK220`, 0 ... 999.
    func number(after prefix: String) -> Int? {
        guard address.hasPrefix(prefix), address.utf8.count == prefix.utf8.count + 3 else { return nil }
        return Int(address.dropFirst(prefix.count)).flatMap { $0 >= 0 ? $0 : nil }
    }
}

/// MediaTek (receiver-power.md section 2; GlobalTop PMTK A08).
enum PMTKInterpreter {
    static func orders(_ body: String) -> [Order] {
        let fields = CommandFields(body)
        guard let number = fields.number(after: "PMTK") else { return [] }
        func answer(_ result: Int) -> Order { .sentence("PMTK001,\(number),\(result)") }
        switch number {
        case 0: return [answer(3)]
        case 101: return [.restart(.hot)]
        case 102: return [.restart(.warm)]
        case 103, 104: return [.restart(.cold)]
        case 161: return [answer(3), .nap(Nap(endsOnBytes: true, duration: nil, forgets: false))]
        case 220:
            guard let period = fields.integer(0), (100...10_000).contains(period) else { return [answer(2)] }
            return [answer(3), .period(period)]
        case 225:
            switch fields.integer(0) {
            case 0: return [answer(3), .savePower(false)]
            // Perpetual backup: nothing on the line ends it.
            case 4: return [answer(3), .nap(Nap(endsOnBytes: false, duration: nil, forgets: true))]
            case 8, 9: return [answer(3), .savePower(true)]
            default: return [answer(2)]
            }
        case 262: return [answer(3), .savePower(fields.integer(0) ?? 0 > 0)]
        case 314:
            let order: [SentencePlan.Kind] = [.gll, .rmc, .vtg, .gga, .gsa, .gsv]
            let rates = order.indices.compactMap { place in fields.integer(place).map { (order[place], $0) } }
            return [answer(3), .sentences(Dictionary(rates, uniquingKeysWith: { $1 }))]
        case 605: return [.sentence("PMTK705,AXN_2.31_3339_13101700,5632,PA6H,1.0")]
        default: return [answer(1)]
        }
    }
}

/// Airoha, and what Quectel adds (receiver-power.md section 3).
enum PAIRInterpreter {
    static func orders(_ body: String, knowsPQTM: Bool) -> [Order] {
        let fields = CommandFields(body)
        if fields.address.hasPrefix("PQTM") { return knowsPQTM ? quectel(fields) : [] }
        guard let number = fields.number(after: "PAIR") else { return [] }
        let digits = "\(1000 + number)".suffix(3)
        func answer(_ result: Int) -> Order { .sentence("PAIR001,\(digits),\(result)") }
        switch number {
        case 4: return [answer(0), .restart(.hot)]
        case 5: return [answer(0), .restart(.warm)]
        case 6, 7: return [answer(0), .restart(.cold)]
        case 21: return [answer(0), .sentence("PAIR021,AG3352Q_V2.5.0.AG3352_20230420,S,N,9ec1cc8")]
        case 50:
            guard let period = fields.integer(0), (100...1000).contains(period) else { return [answer(2)] }
            return [answer(0), .period(period)]
        case 62:
            let kinds: [SentencePlan.Kind?] = [.gga, .gll, .gsa, .gsv, .rmc, .vtg, .zda, nil, .gst, .gns]
            guard let type = fields.integer(0), let rate = fields.integer(1), kinds.indices.contains(type), (0...20).contains(rate),
                let kind = kinds[type]
            else { return [answer(2)] }
            return [answer(0), .sentences([kind: rate])]
        case 80:
            guard let mode = fields.integer(0), [0, 1, 4, 5, 7, 9].contains(mode) else { return [answer(2)] }
            return [answer(0), .dynamics(mode)]
        case 382: return [answer(0), .keepAwake(fields.integer(0) == 1)]
        case 650:
            guard let seconds = fields.integer(0), seconds == 0 || (10...62_208_000).contains(seconds) else { return [answer(2)] }
            let span: Instant.Span? = seconds == 0 ? nil : .seconds(Double(seconds))
            return [answer(0), .keepAwake(false), .nap(Nap(endsOnBytes: false, duration: span, forgets: true))]
        default: return [answer(2)]
        }
    }

    private static func quectel(_ fields: CommandFields) -> [Order] {
        switch fields.address {
        case "PQTMVERNO": [.sentence("PQTMVERNO,LC29HAANR11A03S_RSA,2022/12/28,13:46:32")]
        case "PQTMGNSSSUSPEND": [.sentence("PQTMGNSSSUSPEND,OK"), .stop]
        case "PQTMGNSSRESUME": [.sentence("PQTMGNSSRESUME,OK"), .start]
        default: [.sentence("\(fields.address),ERROR,3")]
        }
    }
}

/// CASIC (receiver-power.md section 4): no answers at all, to anything but the question for its version.
enum PCASInterpreter {
    static func orders(_ body: String) -> [Order] {
        let fields = CommandFields(body)
        switch fields.address {
        case "PCAS02":
            guard let period = fields.integer(0), [100, 200, 250, 500, 1000].contains(period) else { return [] }
            return [.period(period)]
        case "PCAS03":
            let order: [SentencePlan.Kind?] = [.gga, .gll, .gsa, .gsv, .rmc, .vtg, .zda, .txt, nil, nil, nil, nil, nil, .gst]
            var rates: [SentencePlan.Kind: Int] = [:]
            for (place, kind) in order.enumerated() {
                if let kind, let rate = fields.integer(place), (0...9).contains(rate) { rates[kind] = rate }
            }
            return [.sentences(rates)]
        case "PCAS06":
            let text = fields.integer(0) == 0 ? "SW=URANUS5,V5.3.0.0" : "HW=AT6558-5N-31-0C510800"
            return [.sentence("GPTXT,01,01,02,\(text)")]
        case "PCAS10": return [.restart(fields.integer(0) == 0 ? .hot : fields.integer(0) == 1 ? .warm : .cold)]
        case "PCAS11": return fields.integer(0).map { [.dynamics($0)] } ?? []
        case "PCAS12":
            guard let seconds = fields.integer(0), (1...65_535).contains(seconds) else { return [] }
            return [.nap(Nap(endsOnBytes: true, duration: .seconds(Double(seconds)), forgets: true))]
        default: return []
        }
    }
}

/// SiRF (receiver-power.md section 5): no answers in NMEA.
enum PSRFInterpreter {
    static func orders(_ body: String) -> [Order] {
        let fields = CommandFields(body)
        switch fields.address {
        case "PSRF101":
            let starts: [Int: OrbitMemory.Start] = [1: .hot, 2: .warm, 3: .warm, 4: .cold, 8: .cold]
            return fields.integer(7).flatMap { starts[$0] }.map { [.restart($0)] } ?? []
        case "PSRF103":
            let kinds: [Int: SentencePlan.Kind] = [0: .gga, 1: .gll, 2: .gsa, 3: .gsv, 4: .rmc, 5: .vtg, 8: .zda]
            guard let kind = fields.integer(0).flatMap({ kinds[$0] }), fields.integer(1) == 0, let rate = fields.integer(2) else {
                return []
            }
            return (0...255).contains(rate) ? [.sentences([kind: rate])] : []
        // Hibernation: the ON_OFF pin alone ends it.
        case "PSRF117": return fields.integer(0) == 16 ? [.nap(Nap(endsOnBytes: false, duration: nil, forgets: true))] : []
        default: return []
        }
    }
}

/// ST Teseo (receiver-power.md section 7).
enum PSTMInterpreter {
    static func orders(_ body: String) -> [Order] {
        let fields = CommandFields(body)
        switch fields.address {
        case "PSTMGETSWVER": return [.sentence("PSTMVER,GNSSLIB_8.4.8.13_ARM")]
        case "PSTMGPSSUSPEND": return [.sentence("PSTMGPSSUSPENDED"), .stop]
        case "PSTMGPSRESTART": return [.start]
        case "PSTMFORCESTANDBY":
            guard let seconds = fields.integer(0), (1...99_999).contains(seconds) else { return [.sentence("PSTMFORCESTANDBYERROR")] }
            return [
                .sentence("PSTMFORCESTANDBYOK"), .nap(Nap(endsOnBytes: false, duration: .seconds(Double(seconds)), forgets: true)),
            ]
        case "PSTMLOWPOWERONOFF": return [.sentence("PSTMLOWPOWERONOFFOK"), .savePower(fields.integer(0) == 1)]
        case "PSTMHOT": return [.sentence("PSTMHOTOK"), .restart(.hot)]
        case "PSTMWARM": return [.sentence("PSTMWARMOK"), .restart(.warm)]
        case "PSTMCOLD": return [.sentence("PSTMCOLDOK"), .restart(.cold)]
        default: return []
        }
    }
}
