import Varlink

/// gpsd's objects other than reports, and the form of a line.
enum Answers {
    /// Returns one object as a line. Clients need the line end CR LF.
    static func line(_ write: (inout ObjectWriter) -> Void) -> [UInt8] {
        EncodedObject(writing: write).bytes + [13, 10]
    }

    /// Returns sentences of a receiver as lines, with the bytes that it has sent.
    static func lines(_ sentences: [String]) -> [UInt8] {
        var bytes: [UInt8] = []
        for sentence in sentences {
            for character in sentence.unicodeScalars { bytes.append(UInt8(truncatingIfNeeded: character.value)) }
            bytes += [13, 10]
        }
        return bytes
    }

    /// The line that a server sends first. Clients compare the release with their own.
    static func version(release: String, revision: String) -> [UInt8] {
        line { object in
            object.append("VERSION", forKey: "class")
            object.append(release, forKey: "release")
            object.append(revision, forKey: "rev")
            object.append(3, forKey: "proto_major")
            object.append(14, forKey: "proto_minor")
        }
    }

    static func devices(_ devices: [DeviceReport]) -> [UInt8] {
        line { object in
            object.append("DEVICES", forKey: "class")
            object.append(devices, forKey: "devices") { $0.write(to: &$1) }
        }
    }

    static func device(_ device: DeviceReport) -> [UInt8] { line { device.write(to: &$0) } }

    static func watch(_ policy: WatchPolicy) -> [UInt8] {
        line { object in
            object.append("WATCH", forKey: "class")
            object.append(policy.enable, forKey: "enable")
            object.append(policy.json, forKey: "json")
            object.append(policy.nmea, forKey: "nmea")
            object.append(policy.raw, forKey: "raw")
            object.append(policy.scaled, forKey: "scaled")
            object.append(policy.timing, forKey: "timing")
            object.append(policy.split24, forKey: "split24")
            object.append(policy.pps, forKey: "pps")
            object.append(policy.device, forKey: "device")
        }
    }

    /// The answer to a WATCH: two lines, in this order.
    static func state(_ known: [DeviceReport], _ policy: WatchPolicy) -> [UInt8] { devices(known) + watch(policy) }

    static func error(_ message: String) -> [UInt8] {
        line { object in
            object.append("ERROR", forKey: "class")
            object.append(message, forKey: "message")
        }
    }
}
