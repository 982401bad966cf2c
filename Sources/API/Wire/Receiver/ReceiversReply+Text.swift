import Locator
import Positioning
import Varlink

// Written without the general encoder: a client that watches receivers gets them once a second,
// with all satellites. Tests check that both encodings contain the same data.

extension ReceiversReply {
    /// The reply as JSON, with its members in the order of the interface file.
    package var text: EncodedObject {
        EncodedObject(capacity: 1024 + receivers.reduce(0) { $0 + $1.satellites.count * 128 }) { object in
            object.append(receivers, forKey: "receivers") { $0.write(to: &$1) }
            if let unconfirmedPorts {
                object.append(unconfirmedPorts, forKey: "unconfirmedPorts") { $0.write(to: &$1) }
            }
        }
    }
}

extension ReceiverMessage {
    fileprivate func write(to object: inout ObjectWriter) {
        object.append(name, forKey: "name")
        object.append(port, forKey: "port")
        object.append(product, forKey: "product")
        object.append(usb, forKey: "usb")
        object.append(serialNumber, forKey: "serialNumber")
        if let identity { object.appendObject(forKey: "identity") { identity.write(to: &$0) } }
        object.append(simulated, forKey: "simulated")
        object.append(says, forKey: "says")
        object.append(network, forKey: "network")
        object.append(baud, forKey: "baud")
        object.append(state.rawValue, forKey: "state")
        object.append(detail, forKey: "detail")
        object.append(rate, forKey: "rate", decimals: 3)
        object.append(lastEpoch, forKey: "lastEpoch")
        if let driver { object.appendObject(forKey: "driver") { driver.write(to: &$0) } }
        object.append(isPrimary, forKey: "isPrimary")
        object.append(horizontalAccuracy, forKey: "horizontalAccuracy", decimals: 3)
        object.appendObject(forKey: "counts") { counts.write(to: &$0) }
        object.append(pdop, forKey: "pdop", decimals: 3)
        object.append(hdop, forKey: "hdop", decimals: 3)
        object.append(vdop, forKey: "vdop", decimals: 3)
        object.append(satellites, forKey: "satellites") { $0.write(to: &$1) }
        if let corrections { object.appendObject(forKey: "corrections") { corrections.write(to: &$0) } }
    }
}

extension SatelliteMessage {
    fileprivate func write(to object: inout ObjectWriter) {
        object.append(system.rawValue, forKey: "system")
        object.append(number, forKey: "number")
        object.append(signal, forKey: "signal")
        object.append(elevation, forKey: "elevation")
        object.append(azimuth, forKey: "azimuth")
        object.append(carrierToNoise, forKey: "carrierToNoise")
        object.append(used, forKey: "used")
    }
}

extension IdentityMessage {
    fileprivate func write(to object: inout ObjectWriter) {
        object.append(vendor, forKey: "vendor")
        object.append(module, forKey: "module")
        object.append(chipset, forKey: "chipset")
        object.append(firmware, forKey: "firmware")
        object.append(protocolVersion, forKey: "protocolVersion")
    }
}

extension DriverMessage {
    fileprivate func write(to object: inout ObjectWriter) {
        object.append(activity.rawValue, forKey: "activity")
        object.append(chip, forKey: "chip")
        object.append(sleepMethod, forKey: "sleepMethod")
        object.append(period, forKey: "period", decimals: 3)
        object.append(isUnresponsive, forKey: "isUnresponsive")
    }
}

extension CountsMessage {
    fileprivate func write(to object: inout ObjectWriter) {
        object.append(bytes, forKey: "bytes")
        object.append(sentences, forKey: "sentences")
        object.append(unknown, forKey: "unknown")
        object.append(epochs, forKey: "epochs")
        object.append(fixes, forKey: "fixes")
        object.append(checksumErrors, forKey: "checksumErrors")
        object.append(missingChecksums, forKey: "missingChecksums")
        object.append(overlong, forKey: "overlong")
        object.append(truncated, forKey: "truncated")
        object.append(malformed, forKey: "malformed")
        object.append(strayBytes, forKey: "strayBytes")
        object.append(outliers, forKey: "outliers")
        object.append(contradictedSpeeds, forKey: "contradictedSpeeds")
        object.append(contradictedCourses, forKey: "contradictedCourses")
    }
}

extension CorrectionMessage {
    fileprivate func write(to object: inout ObjectWriter) {
        object.append(source, forKey: "source")
        object.append(age, forKey: "age", decimals: 3)
        object.append(rate, forKey: "rate", decimals: 3)
        object.append(bytes, forKey: "bytes")
    }
}

extension UnconfirmedPortMessage {
    fileprivate func write(to object: inout ObjectWriter) {
        object.append(name, forKey: "name")
        object.append(port, forKey: "port")
        object.append(state.rawValue, forKey: "state")
        object.append(cause.rawValue, forKey: "cause")
        object.append(detail, forKey: "detail")
    }
}
