import Locator
import Positioning
import Varlink

// The counterpart of the encoding in `ReceiversReply+Text.swift`, for clients that watch receivers.

extension ReceiversReply {
    /// Reads the reply as ``text`` writes it; nil for another form.
    init?(reading object: inout ObjectReader) {
        guard let receivers = object.objects(forKey: "receivers", reading: ReceiverMessage.init(reading:)) else {
            return nil
        }
        self.receivers = receivers
        unconfirmedPorts = object.objects(forKey: "unconfirmedPorts", reading: UnconfirmedPortMessage.init(reading:))
    }
}

extension ReceiverMessage {
    fileprivate init?(reading object: inout ObjectReader) {
        guard let name = object.string(forKey: "name"), let port = object.string(forKey: "port") else { return nil }
        (self.name, self.port) = (name, port)
        product = object.string(forKey: "product")
        usb = object.string(forKey: "usb")
        serialNumber = object.string(forKey: "serialNumber")
        identity = object.object(forKey: "identity", reading: IdentityMessage.init(reading:))
        simulated = object.bool(forKey: "simulated")
        guard let texts = object.strings(forKey: "says") else { return nil }
        says = texts
        network = object.bool(forKey: "network")
        baud = object.int(forKey: "baud")
        guard let state = object.value(of: ReceiverHealth.self, forKey: "state") else { return nil }
        self.state = state
        detail = object.string(forKey: "detail")
        rate = object.double(forKey: "rate")
        lastEpoch = object.string(forKey: "lastEpoch")
        driver = object.object(forKey: "driver", reading: DriverMessage.init(reading:))
        guard let isPrimary = object.bool(forKey: "isPrimary") else { return nil }
        self.isPrimary = isPrimary
        horizontalAccuracy = object.double(forKey: "horizontalAccuracy")
        guard let counts = object.object(forKey: "counts", reading: CountsMessage.init(reading:)) else { return nil }
        self.counts = counts
        pdop = object.double(forKey: "pdop")
        hdop = object.double(forKey: "hdop")
        vdop = object.double(forKey: "vdop")
        guard let satellites = object.objects(forKey: "satellites", reading: SatelliteMessage.init(reading:)) else {
            return nil
        }
        self.satellites = satellites
        corrections = object.object(forKey: "corrections", reading: CorrectionMessage.init(reading:))
    }
}

extension SatelliteMessage {
    fileprivate init?(reading object: inout ObjectReader) {
        guard let system = object.value(of: Constellation.self, forKey: "system") else { return nil }
        self.system = system
        number = object.int(forKey: "number")
        signal = object.int(forKey: "signal")
        elevation = object.int(forKey: "elevation")
        azimuth = object.int(forKey: "azimuth")
        carrierToNoise = object.int(forKey: "carrierToNoise")
        guard let used = object.bool(forKey: "used") else { return nil }
        self.used = used
    }
}

extension IdentityMessage {
    fileprivate init?(reading object: inout ObjectReader) {
        vendor = object.string(forKey: "vendor")
        module = object.string(forKey: "module")
        chipset = object.string(forKey: "chipset")
        firmware = object.string(forKey: "firmware")
        protocolVersion = object.string(forKey: "protocolVersion")
    }
}

extension DriverMessage {
    fileprivate init?(reading object: inout ObjectReader) {
        guard let activity = object.value(of: Activity.self, forKey: "activity") else { return nil }
        self.activity = activity
        chip = object.string(forKey: "chip")
        sleepMethod = object.string(forKey: "sleepMethod")
        period = object.double(forKey: "period")
        guard let isUnresponsive = object.bool(forKey: "isUnresponsive") else { return nil }
        self.isUnresponsive = isUnresponsive
    }
}

extension CountsMessage {
    fileprivate init?(reading object: inout ObjectReader) {
        guard let bytes = object.int(forKey: "bytes"), let sentences = object.int(forKey: "sentences"),
            let unknown = object.int(forKey: "unknown"), let epochs = object.int(forKey: "epochs"),
            let fixes = object.int(forKey: "fixes"), let checksumErrors = object.int(forKey: "checksumErrors"),
            let missingChecksums = object.int(forKey: "missingChecksums"),
            let overlong = object.int(forKey: "overlong"), let truncated = object.int(forKey: "truncated"),
            let malformed = object.int(forKey: "malformed"), let strayBytes = object.int(forKey: "strayBytes")
        else { return nil }
        self.bytes = bytes
        self.sentences = sentences
        self.unknown = unknown
        (self.epochs, self.fixes) = (epochs, fixes)
        (self.checksumErrors, self.missingChecksums) = (checksumErrors, missingChecksums)
        (self.overlong, self.truncated) = (overlong, truncated)
        (self.malformed, self.strayBytes) = (malformed, strayBytes)
        outliers = object.int(forKey: "outliers")
        contradictedSpeeds = object.int(forKey: "contradictedSpeeds")
        contradictedCourses = object.int(forKey: "contradictedCourses")
    }
}

extension CorrectionMessage {
    fileprivate init?(reading object: inout ObjectReader) {
        guard let source = object.string(forKey: "source"), let age = object.double(forKey: "age"),
            let rate = object.double(forKey: "rate"), let bytes = object.int(forKey: "bytes")
        else { return nil }
        self.source = source
        self.age = age
        self.rate = rate
        self.bytes = bytes
    }
}

extension UnconfirmedPortMessage {
    fileprivate init?(reading object: inout ObjectReader) {
        guard let name = object.string(forKey: "name"), let port = object.string(forKey: "port"),
            let state = object.value(of: ReceiverHealth.self, forKey: "state"),
            let cause = object.value(of: UnavailableCause.self, forKey: "cause"),
            let detail = object.string(forKey: "detail")
        else { return nil }
        self.name = name
        self.port = port
        self.state = state
        self.cause = cause
        self.detail = detail
    }
}
