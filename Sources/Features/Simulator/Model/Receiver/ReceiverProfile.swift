import Chronology
import NMEA
import Receivers

/// The properties by which the output of one receiver model differs from others.
package struct ReceiverProfile: Sendable {
    package var kind: ReceiverKind
    /// The name of the chip, for the header of a capture.
    package var chipset: String
    /// The default baud rate.
    package var baud: Int
    /// The sentences in their output order.
    package var plan: SentencePlan
    /// The number formats and the NMEA version.
    package var layout: SentenceLayout
    /// The constellations in their output order, with the NMEA 4.10 signal IDs.
    package var constellations: [(system: SentenceEncoder.System, signals: [Int])]
    /// The sentences sent after power-up, without `$` and without `*` and checksum.
    package var bootSentences: [String] = []
    /// The text of the TXT sentence in each epoch, if the plan contains one.
    package var epochText = "ANTENNA OK"
    /// Time to the first fix after a cold start under an open sky, in seconds (data sheets).
    package var coldStart = 30.0
    /// The receiver's clock before the time is known; nil if it outputs no time then.
    package var bootClock: UTCTime?
    /// Offset of the measurement from the full second, milliseconds.
    package var phase = 0
    /// The speed in m/s below which the receiver outputs no course; 0 if it always outputs one.
    package var courseThreshold = 0.0
    /// Whether RMC contains the magnetic variation.
    package var printsMagneticVariation = false
}

extension ReceiverProfile {
    /// Creates the profile of a model. Sentence order and decimals follow recordings of such
    /// receivers; the times to first fix are from data sheets.
    package init(for kind: ReceiverKind) {
        self =
            switch kind {
            case .ublox6, .ublox8, .ubloxM9, .ubloxM10: .ublox(kind)
            case .mtk: .mtk
            case .sirf: .sirf
            case .casic: .casic
            case .garmin: .garmin
            case .quectel: .quectel
            case .airoha: .airoha
            case .teseo: .teseo
            case .generic: .generic
            }
    }

    private init(
        _ kind: ReceiverKind, chipset: String, baud: Int, plan: [SentencePlan.Entry], layout: SentenceLayout,
        constellations: [(system: SentenceEncoder.System, signals: [Int])]
    ) {
        self.kind = kind
        self.chipset = chipset
        self.baud = baud
        self.plan = SentencePlan(plan)
        self.layout = layout
        self.constellations = constellations
    }

    private static func each(_ kinds: SentencePlan.Kind...) -> [SentencePlan.Entry] {
        kinds.map { SentencePlan.Entry(kind: $0, every: 1) }
    }

    /// Midnight on the first day of GPS time, where a clock without a battery starts.
    private static let firstDayOfGPS = UTCTime(milliseconds: 315_964_800_000)

    private static func ublox(_ kind: ReceiverKind) -> ReceiverProfile {
        let order = each(.rmc, .vtg, .gga, .gsa, .gsv, .gll)
        var profile: ReceiverProfile
        switch kind {
        case .ublox8:
            profile = ReceiverProfile(
                kind, chipset: "u-blox M8", baud: 9600, plan: order, layout: .init(version: .v4_0, talker: "GN"),
                constellations: [(.gps, [1]), (.glonass, [1])])
            profile.coldStart = 26
            profile.bootSentences = ublox8Boot.map { "GNTXT,01,01,02,\($0)" }
        case .ubloxM9:
            profile = ReceiverProfile(
                kind, chipset: "u-blox M9", baud: 38400, plan: order, layout: .init(version: .v4_10, talker: "GN"),
                constellations: [(.gps, [1]), (.glonass, [1]), (.galileo, [7]), (.beidou, [1])])
            profile.coldStart = 24
            profile.bootSentences = ublox9Boot.map { "GNTXT,01,01,02,\($0)" }
        case .ubloxM10:
            profile = ReceiverProfile(
                kind, chipset: "u-blox M10", baud: 9600, plan: order, layout: .init(version: .v4_11, talker: "GN"),
                constellations: [(.gps, [1]), (.galileo, [7]), (.beidou, [3])])
            profile.coldStart = 23
            profile.bootSentences = ublox10Boot.map { "GNTXT,01,01,02,\($0)" }
        default:
            profile = ReceiverProfile(
                kind, chipset: "u-blox 6", baud: 9600, plan: order, layout: .init(version: .v2_3, talker: "GP"),
                constellations: [(.gps, [1])])
            profile.coldStart = 27
            profile.bootSentences = ublox6Boot.map { "GPTXT,01,01,02,\($0)" }
        }
        profile.layout.maxSatelliteCount = 12
        profile.courseThreshold = 0.1
        return profile
    }

    private static let ublox6Boot = [
        "u-blox ag - www.u-blox.com", "HW  UBX-G60xx  00040007 FF7FFFFFp", "ROM CORE 7.03 (45969) Mar 17 2011 16:18:34",
        "ANTSUPERV=AC SD PDoS SR", "ANTSTATUS=OK",
    ]
    private static let ublox8Boot = [
        "HW UBX-M8030 00080000", "ROM CORE 3.01 (107888)", "FWVER=SPG 3.01", "PROTVER=18.00", "GPS;GLO;GAL;BDS",
        "ANTSTATUS=OK",
    ]
    private static let ublox9Boot = [
        "HW UBX 9 00190000", "EXT CORE 4.04 (7f89f7)", "FWVER=SPG 4.04", "PROTVER=32.01", "MOD=NEO-M9N", "ANTSTATUS=OK",
    ]
    private static let ublox10Boot = [
        "HW UBX 10 000A0000", "ROM SPG 5.10 (7b202e)", "FWVER=SPG 5.10", "PROTVER=34.10", "ANTSTATUS=OK",
    ]

    private static var mtk: ReceiverProfile {
        var layout = SentenceLayout(version: .v2_3, talker: "GP")
        layout.timeDecimals = 3
        layout.minuteDecimals = 4
        layout.speedDecimals = 2
        (layout.unknownDOPText, layout.writesUnitsOfEmptyValues) = ("", true)
        let plan = each(.gga, .gsa) + [SentencePlan.Entry(kind: .gsv, every: 5)] + each(.rmc, .vtg)
        var profile = ReceiverProfile(
            .mtk, chipset: "MediaTek MT3339", baud: 9600, plan: plan, layout: layout, constellations: [(.gps, [1])])
        profile.bootSentences = ["PMTK011,MTKGPS", "PMTK010,001"]
        profile.coldStart = 33
        profile.bootClock = firstDayOfGPS
        return profile
    }

    private static var sirf: ReceiverProfile {
        var layout = SentenceLayout(version: .v2_3, talker: "GP")
        layout.timeDecimals = 3
        layout.minuteDecimals = 4
        layout.speedDecimals = 2
        layout.dopDecimals = 1
        (layout.unknownDOPText, layout.writesUnitsOfEmptyValues) = ("", true)
        let plan = each(.gga, .gsa) + [SentencePlan.Entry(kind: .gsv, every: 5)] + each(.rmc)
        var profile = ReceiverProfile(
            .sirf, chipset: "SiRFstar III", baud: 4800, plan: plan, layout: layout, constellations: [(.gps, [1])])
        profile.bootSentences = ["PSRF150,1"]
        profile.coldStart = 35
        profile.bootClock = firstDayOfGPS
        profile.phase = 487
        return profile
    }

    private static var casic: ReceiverProfile {
        var layout = SentenceLayout(version: .v4_0, talker: "GN")
        layout.timeDecimals = 3
        layout.minuteDecimals = 4
        layout.speedDecimals = 2
        layout.dopDecimals = 1
        layout.unknownDOPText = "99.9"
        layout.beidouTalker = "BD"
        layout.separateGSATalkers = true
        let plan = each(.gga, .gll, .gsa, .gsv, .rmc, .vtg, .zda, .txt)
        var profile = ReceiverProfile(
            .casic, chipset: "CASIC AT6558", baud: 9600, plan: plan, layout: layout,
            constellations: [(.gps, [1]), (.beidou, [1])])
        profile.bootSentences = ["GPTXT,01,01,02,IC=AT6558-5N-31-0C510800,BLANK", "GPTXT,01,01,02,SW=URANUS5,V5.3.0.0"]
        profile.coldStart = 31
        return profile
    }

    private static var garmin: ReceiverProfile {
        var layout = SentenceLayout(version: .v2_3, talker: "GP")
        layout.timeDecimals = 0
        layout.minuteDecimals = 4
        layout.speedDecimals = 1
        layout.dopDecimals = 1
        layout.courseDecimals = 1
        layout.unknownDOPText = ""
        layout.writesUnitsOfEmptyValues = true
        var profile = ReceiverProfile(
            .garmin, chipset: "Garmin GPS 18x", baud: 4800, plan: each(.rmc, .gga, .gsa, .gsv, .gll, .pgrme),
            layout: layout, constellations: [(.gps, [1])])
        profile.coldStart = 45
        profile.printsMagneticVariation = true
        return profile
    }

    private static var quectel: ReceiverProfile {
        var layout = SentenceLayout(version: .v4_11, talker: "GN")
        (layout.timeDecimals, layout.minuteDecimals) = (3, 6)
        layout.unknownDOPText = ""
        // Quectel reports signal ID 6 (E1) for Galileo; the standard specifies 7.
        let constellations: [(system: SentenceEncoder.System, signals: [Int])] = [
            (.gps, [1, 8]), (.glonass, [1]), (.galileo, [6, 1]), (.beidou, [1, 5]),
        ]
        var profile = ReceiverProfile(
            .quectel, chipset: "Airoha AG3335 (Quectel LC29H)", baud: 115_200,
            plan: each(.gga, .gsa, .gsv, .rmc, .vtg, .gll), layout: layout, constellations: constellations)
        profile.bootSentences = ["PAIR002"]
        profile.coldStart = 26
        return profile
    }

    /// The same chip in another vendor's module, which does not support PQTM.
    private static var airoha: ReceiverProfile {
        var profile = quectel
        (profile.kind, profile.chipset) = (.airoha, "Airoha AG3352")
        return profile
    }

    private static var teseo: ReceiverProfile {
        var layout = SentenceLayout(version: .v4_0, talker: "GN")
        layout.timeDecimals = 3
        layout.minuteDecimals = 5
        layout.speedDecimals = 1
        layout.unknownDOPText = "99.0"
        var profile = ReceiverProfile(
            .teseo, chipset: "ST Teseo LIV3F", baud: 9600, plan: each(.rmc, .gga, .vtg, .gsa, .gsv, .gll),
            layout: layout, constellations: [(.gps, [1]), (.glonass, [1])])
        profile.bootSentences = ["GPTXT,01,01,02,ST Teseo-LIV3F", "PSTMVER,GPSLIB_8.4.8.13_ARM"]
        profile.coldStart = 34
        return profile
    }

    private static var generic: ReceiverProfile {
        var layout = SentenceLayout(version: .v2_3, talker: "GP")
        layout.minuteDecimals = 4
        layout.speedDecimals = 2
        layout.dopDecimals = 1
        layout.unknownDOPText = ""
        return ReceiverProfile(
            .generic, chipset: "none in particular", baud: 9600, plan: each(.gga, .rmc, .gsa, .gsv), layout: layout,
            constellations: [(.gps, [1])])
    }
}

/// The receiver models that the simulator supports. Raw values are the command-line names.
package enum ReceiverKind: String, Sendable, CaseIterable {
    case ublox6, ublox8, ubloxM9, ubloxM10, mtk, sirf, casic, garmin, quectel, generic, airoha, teseo

    /// The chip of this model. It determines the supported commands and the power consumption.
    package var chip: ReceiverChip {
        switch self {
        case .ublox6: .ublox6
        case .ublox8: .ublox8
        case .ubloxM9: .ubloxM9
        case .ubloxM10: .ubloxM10
        case .mtk: .mediatek
        case .sirf: .sirf
        case .casic: .casic
        case .quectel: .quectel
        case .airoha: .airoha
        case .teseo: .teseo
        case .garmin, .generic: .generic
        }
    }
}
