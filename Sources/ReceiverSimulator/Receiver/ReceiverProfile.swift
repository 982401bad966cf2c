import Chronology
import NMEA

/// What tells one make of receiver from another on the wire.
public struct ReceiverProfile: Sendable {
    /// The make.
    public var kind: ReceiverKind
    /// Its chip, for the header of a capture.
    public var chipset: String
    /// Bits per second as it comes from the factory.
    public var baud: Int
    /// Sentences in the order it sends them.
    public var plan: SentencePlan
    /// How it prints numbers, and which NMEA edition it speaks.
    public var layout: SentenceEncoder.Layout
    /// Constellations in the order it names them, with NMEA 4.10 ids of their signals.
    public var constellations: [(system: SentenceEncoder.System, signals: [Int])]
    /// What it says after power-up: bodies of sentences, between `$` and `*`.
    public var bootSentences: [String] = []
    /// Text of its TXT sentence in each epoch, where its plan has one.
    public var epochText = "ANTENNA OK"
    /// Seconds to the first fix from cold under an open sky (data sheets).
    public var coldStart = 30.0
    /// What its clock shows before it knows the time; nil where it shows nothing.
    public var bootClock: UTCTime?
    /// Milliseconds past the full second at which it measures.
    public var phase = 0
    /// Below this speed in m/s no course is printed; 0 where a course is always printed.
    public var courseThreshold = 0.0
    /// Prints the compass's deviation from true north in RMC.
    public var printsMagneticVariation = false
}

extension ReceiverProfile {
    /// The profile of a make. Orders and decimals as recorded from such receivers; the first fix times are those of the data sheets.
    public static func of(_ kind: ReceiverKind) -> ReceiverProfile {
        switch kind {
        case .ublox6, .ublox8, .ubloxM9, .ubloxM10: ublox(kind)
        case .mtk: mtk
        case .sirf: sirf
        case .casic: casic
        case .garmin: garmin
        case .quectel: quectel
        case .airoha: airoha
        case .teseo: teseo
        case .generic: generic
        }
    }

    private init(
        _ kind: ReceiverKind, _ chipset: String, baud: Int, _ plan: [SentencePlan.Entry], _ layout: SentenceEncoder.Layout,
        _ constellations: [(system: SentenceEncoder.System, signals: [Int])]
    ) {
        (self.kind, self.chipset, self.baud, self.plan) = (kind, chipset, baud, SentencePlan(plan))
        (self.layout, self.constellations) = (layout, constellations)
    }

    private static func each(_ kinds: SentencePlan.Kind...) -> [SentencePlan.Entry] {
        kinds.map { SentencePlan.Entry(kind: $0, every: 1) }
    }

    /// Midnight on the first day of GPS time, where a clock without a battery begins.
    private static let firstDayOfGPS = UTCTime(milliseconds: 315_964_800_000)

    private static func ublox(_ kind: ReceiverKind) -> ReceiverProfile {
        let order = each(.rmc, .vtg, .gga, .gsa, .gsv, .gll)
        let (gps, glonass, galileo) = (SentenceEncoder.System.gps, SentenceEncoder.System.glonass, SentenceEncoder.System.galileo)
        var profile: ReceiverProfile
        switch kind {
        case .ublox8:
            profile = ReceiverProfile(
                kind, "u-blox M8", baud: 9600, order, .init(version: .v4_0, talker: "GN"), [(gps, [1]), (glonass, [1])])
            profile.coldStart = 26
            profile.bootSentences = ublox8Boot.map { "GNTXT,01,01,02,\($0)" }
        case .ubloxM9:
            profile = ReceiverProfile(
                kind, "u-blox M9", baud: 38400, order, .init(version: .v4_10, talker: "GN"),
                [(gps, [1]), (glonass, [1]), (galileo, [7]), (.beidou, [1])])
            profile.coldStart = 24
            profile.bootSentences = ublox9Boot.map { "GNTXT,01,01,02,\($0)" }
        case .ubloxM10:
            profile = ReceiverProfile(
                kind, "u-blox M10", baud: 9600, order, .init(version: .v4_11, talker: "GN"), [(gps, [1]), (galileo, [7]), (.beidou, [3])])
            profile.coldStart = 23
            profile.bootSentences = ublox10Boot.map { "GNTXT,01,01,02,\($0)" }
        default:
            profile = ReceiverProfile(kind, "u-blox 6", baud: 9600, order, .init(version: .v2_3, talker: "GP"), [(gps, [1])])
            profile.coldStart = 27
            profile.bootSentences = ublox6Boot.map { "GPTXT,01,01,02,\($0)" }
        }
        profile.layout.greatestSatelliteCount = 12
        profile.courseThreshold = 0.1
        return profile
    }

    private static let ublox6Boot = [
        "u-blox ag - www.u-blox.com", "HW  UBX-G60xx  00040007 FF7FFFFFp", "ROM CORE 7.03 (45969) Mar 17 2011 16:18:34",
        "ANTSUPERV=AC SD PDoS SR", "ANTSTATUS=OK",
    ]
    private static let ublox8Boot = [
        "HW UBX-M8030 00080000", "ROM CORE 3.01 (107888)", "FWVER=SPG 3.01", "PROTVER=18.00", "GPS;GLO;GAL;BDS", "ANTSTATUS=OK",
    ]
    private static let ublox9Boot = [
        "HW UBX 9 00190000", "EXT CORE 4.04 (7f89f7)", "FWVER=SPG 4.04", "PROTVER=32.01", "MOD=NEO-M9N", "ANTSTATUS=OK",
    ]
    private static let ublox10Boot = ["HW UBX 10 000A0000", "ROM SPG 5.10 (7b202e)", "FWVER=SPG 5.10", "PROTVER=34.10", "ANTSTATUS=OK"]

    private static var mtk: ReceiverProfile {
        var layout = SentenceEncoder.Layout(version: .v2_3, talker: "GP")
        (layout.timeDecimals, layout.minuteDecimals, layout.speedDecimals) = (3, 4, 2)
        (layout.unknownDop, layout.keepsUnits) = ("", true)
        let plan = each(.gga, .gsa) + [SentencePlan.Entry(kind: .gsv, every: 5)] + each(.rmc, .vtg)
        var profile = ReceiverProfile(.mtk, "MediaTek MT3339", baud: 9600, plan, layout, [(.gps, [1])])
        profile.bootSentences = ["PMTK011,MTKGPS", "PMTK010,001"]
        profile.coldStart = 33
        profile.bootClock = firstDayOfGPS
        return profile
    }

    private static var sirf: ReceiverProfile {
        var layout = SentenceEncoder.Layout(version: .v2_3, talker: "GP")
        (layout.timeDecimals, layout.minuteDecimals, layout.speedDecimals, layout.dopDecimals) = (3, 4, 2, 1)
        (layout.unknownDop, layout.keepsUnits) = ("", true)
        let plan = each(.gga, .gsa) + [SentencePlan.Entry(kind: .gsv, every: 5)] + each(.rmc)
        var profile = ReceiverProfile(.sirf, "SiRFstar III", baud: 4800, plan, layout, [(.gps, [1])])
        profile.bootSentences = ["PSRF150,1"]
        profile.coldStart = 35
        profile.bootClock = firstDayOfGPS
        profile.phase = 487
        return profile
    }

    private static var casic: ReceiverProfile {
        var layout = SentenceEncoder.Layout(version: .v4_0, talker: "GN")
        (layout.timeDecimals, layout.minuteDecimals, layout.speedDecimals, layout.dopDecimals) = (3, 4, 2, 1)
        (layout.unknownDop, layout.beidouTalker, layout.separateGSATalkers) = ("99.9", "BD", true)
        let plan = each(.gga, .gll, .gsa, .gsv, .rmc, .vtg, .zda, .txt)
        var profile = ReceiverProfile(.casic, "CASIC AT6558", baud: 9600, plan, layout, [(.gps, [1]), (.beidou, [1])])
        profile.bootSentences = ["GPTXT,01,01,02,IC=AT6558-5N-31-0C510800,BLANK", "GPTXT,01,01,02,SW=URANUS5,V5.3.0.0"]
        profile.coldStart = 31
        return profile
    }

    private static var garmin: ReceiverProfile {
        var layout = SentenceEncoder.Layout(version: .v2_3, talker: "GP")
        (layout.timeDecimals, layout.minuteDecimals, layout.speedDecimals) = (0, 4, 1)
        (layout.dopDecimals, layout.courseDecimals, layout.unknownDop) = (1, 1, "")
        layout.keepsUnits = true
        var profile = ReceiverProfile(
            .garmin, "Garmin GPS 18x", baud: 4800, each(.rmc, .gga, .gsa, .gsv, .gll, .pgrme), layout, [(.gps, [1])])
        profile.coldStart = 45
        profile.printsMagneticVariation = true
        return profile
    }

    private static var quectel: ReceiverProfile {
        var layout = SentenceEncoder.Layout(version: .v4_11, talker: "GN")
        (layout.timeDecimals, layout.minuteDecimals) = (3, 6)
        layout.unknownDop = ""
        // Quectel says 6 (E1) for Galileo where the standard has 7.
        let constellations: [(system: SentenceEncoder.System, signals: [Int])] = [
            (.gps, [1, 8]), (.glonass, [1]), (.galileo, [6, 1]), (.beidou, [1, 5]),
        ]
        var profile = ReceiverProfile(
            .quectel, "Airoha AG3335 (Quectel LC29H)", baud: 115_200, each(.gga, .gsa, .gsv, .rmc, .vtg, .gll), layout, constellations)
        profile.bootSentences = ["PAIR002"]
        profile.coldStart = 26
        return profile
    }

    /// The same chip in another maker's module, which knows nothing of PQTM.
    private static var airoha: ReceiverProfile {
        var profile = quectel
        (profile.kind, profile.chipset) = (.airoha, "Airoha AG3352")
        return profile
    }

    private static var teseo: ReceiverProfile {
        var layout = SentenceEncoder.Layout(version: .v4_0, talker: "GN")
        (layout.timeDecimals, layout.minuteDecimals, layout.speedDecimals) = (3, 5, 1)
        layout.unknownDop = "99.0"
        var profile = ReceiverProfile(
            .teseo, "ST Teseo LIV3F", baud: 9600, each(.rmc, .gga, .vtg, .gsa, .gsv, .gll), layout, [(.gps, [1]), (.glonass, [1])])
        profile.bootSentences = ["GPTXT,01,01,02,ST Teseo-LIV3F", "PSTMVER,GPSLIB_8.4.8.13_ARM"]
        profile.coldStart = 34
        return profile
    }

    private static var generic: ReceiverProfile {
        var layout = SentenceEncoder.Layout(version: .v2_3, talker: "GP")
        (layout.minuteDecimals, layout.speedDecimals, layout.dopDecimals) = (4, 2, 1)
        layout.unknownDop = ""
        return ReceiverProfile(.generic, "none in particular", baud: 9600, each(.gga, .rmc, .gsa, .gsv), layout, [(.gps, [1])])
    }
}
