import SextantAPI
import Varlink

/// Sample messages of the daemon in their wire form.
enum Sample {
    /// Reads a message from JSON.
    static func read<Value: Message>(_ json: String, as type: Value.Type = Value.self) throws -> Value {
        try Value(JSONValue(parsing: Array(json.utf8)).object ?? [:])
    }

    static let locationText = """
        {"timestamp":"2026-11-21T07:22:02.000Z","latitude":48.1173,"longitude":-11.51666667,"horizontalAccuracy":2.4,\
        "accuracySource":"pubx",\
        "altitude":519.4,"ellipsoidalAltitude":566.2,"verticalAccuracy":4.1,"speed":12.3,"speedAccuracy":0.14,\
        "course":254,\
        "courseAccuracy":3,"mode":"3d","quality":"differential","satellitesUsed":4,"hdop":0.9,"receiver":"ttyACM0"}
        """

    static let updateText = #"{"sequence":42,"dropped":1,"location":\#(locationText)}"#
    static let minimalUpdateText = """
        {"sequence":1,"dropped":0,"location":{"latitude":0.5,"longitude":0,"horizontalAccuracy":240,\
        "accuracySource":"assumed","mode":"2d",\
        "quality":"autonomous","receiver":"gps"}}
        """
    static let noFix = """
        {"sequence":43,"dropped":1,"locationUnavailable":true,"cause":"noFix","detail":"ttyACM0 sends data and has \
        no fix: it receives no satellite; give its antenna a clear view of the sky"}
        """

    static func satellite(
        _ system: String, number: Int, elevation: Int, azimuth: Int, carrierToNoise: Int?, used: Bool
    ) -> String {
        let signal = carrierToNoise.map { #""carrierToNoise":\#($0),"# } ?? ""
        return
            #"{"system":"\#(system)","number":\#(number),"elevation":\#(elevation),"azimuth":\#(azimuth),"#
            + #"\#(signal)"used":\#(used)}"#
    }

    static let sky = [
        satellite("gps", number: 4, elevation: 80, azimuth: 180, carrierToNoise: 46, used: true),
        satellite("gps", number: 12, elevation: 45, azimuth: 90, carrierToNoise: 38, used: true),
        satellite("gps", number: 25, elevation: 20, azimuth: 0, carrierToNoise: 21, used: false),
        satellite("glonass", number: 7, elevation: 30, azimuth: 270, carrierToNoise: 33, used: true),
        satellite("galileo", number: 11, elevation: 5, azimuth: 200, carrierToNoise: nil, used: false),
    ].joined(separator: ",")

    static func receiverText(
        state: String = "hasFix", damaged: Int = 3, detail: String? = nil, satellites: String = sky,
        isPrimary: Bool = true,
        identity: String = ""
    ) -> String {
        let detail = detail.map { #""detail":"\#($0)","# } ?? ""
        let choice =
            state == "hasFix" ? #""isPrimary":\#(isPrimary),"horizontalAccuracy":2.4,"# : #""isPrimary":false,"#
        return """
            {"name":"ttyACM0","port":"/dev/ttyACM0","product":"u-blox 8 or M8","usb":"1546:01a8",\
            \(identity)"says":["ANTSTATUS=OK"],"baud":9600,\
            "state":"\(state)",\(detail)"rate":1,"lastEpoch":"2026-11-21T07:22:02.000Z",\
            \(choice)"counts":{"bytes":123456,"sentences":2345,\
            "unknown":0,"epochs":130,"fixes":128,"checksumErrors":\(damaged),"missingChecksums":0,"overlong":0,\
            "truncated":0,\
            "malformed":0,"strayBytes":0},"pdop":1.6,"hdop":0.9,"vdop":1.3,"satellites":[\(satellites)]}
            """
    }

    static func receiver(
        state: String = "hasFix", damaged: Int = 3, detail: String? = nil, satellites: String = sky,
        isPrimary: Bool = true
    ) throws -> Receiver {
        try read(
            receiverText(state: state, damaged: damaged, detail: detail, satellites: satellites, isPrimary: isPrimary))
    }

    static let statusText = """
        {"version":"0.1.0","pid":812,"uptime":93784,"socket":"/run/sextant/io.sextant",\
        "stateDirectory":"/var/lib/sextant",\
        "configuration":["/etc/sextant/sextant.toml"],"connections":2,"streams":1,"receivers":1,"receiversWithFix":1,\
        "updatesSent":12345,\
        "updatesDropped":0,"wakeups":15000,"wakeupsPerFix":1.25,"wakeupsPerMinute":9.6,"enabled":true,\
        "state":{"freeBytes":1000000000},"features":["permissions","reduced"],"summary":"ttyACM0: fix"}
        """
}
