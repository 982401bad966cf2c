import SextantAPI
import Varlink

/// Replies of the daemon, as a client reads them.
enum Samples {
    static func update(_ location: String, more: String = "") throws -> SubscribeReply {
        try decode(#"{"sequence":1,"dropped":0,"location":\#(location)\#(more)}"#)
    }

    static let unavailable = #"{"sequence":2,"dropped":0,"locationUnavailable":true,"cause":"noFix","detail":"no fix"}"#

    static func location(second: Int = 7, accuracy: Double = 2, source: String = "pubx") -> String {
        #"{"timestamp":"2026-11-21T06:07:0\#(second).000Z","latitude":51.5,"longitude":-0.125,"#
            + #""horizontalAccuracy":\#(accuracy),"accuracySource":"\#(source)","altitude":8.5,"#
            + #""ellipsoidalAltitude":54.5,"verticalAccuracy":3,"speed":1.5,"speedAccuracy":0.5,"course":90,"#
            + #""courseAccuracy":2,"mode":"3d","quality":"autonomous","satellitesUsed":9,"hdop":0.9,"receiver":"gps"}"#
    }

    static func receivers(state: String = "hasFix", port: String = "/dev/gps", satellites: String = "") throws
        -> Receivers
    {
        try decode(
            #"{"receivers":[{"name":"gps","port":"\#(port)","says":[],"baud":9600,"state":"\#(state)","rate":1,"#
                + #""lastEpoch":"2026-11-21T06:07:07.000Z","isPrimary":true,"counts":\#(counts),"hdop":0.9,"#
                + #""satellites":[\#(satellites)]}]}"#)
    }

    /// The primary receiver `gps` at /dev/gps, and `two` at /dev/two.
    static func twoReceivers(second state: String = "hasFix") throws -> Receivers {
        var reply = try receivers()
        var other = try receivers(state: state, port: "/dev/two").receivers[0]
        (other.name, other.isPrimary) = ("two", false)
        reply.receivers.append(other)
        return reply
    }

    static let noReceivers: Receivers = Receivers(receivers: [])

    private static let counts =
        #"{"bytes":1,"sentences":1,"unknown":0,"epochs":1,"fixes":1,"checksumErrors":0,"missingChecksums":0,"#
        + #""overlong":0,"truncated":0,"malformed":0,"strayBytes":0}"#

    static func decode<Value: Message>(_ text: String) throws -> Value {
        try Value(JSONValue(parsing: Array(text.utf8)).object ?? [:])
    }
}
