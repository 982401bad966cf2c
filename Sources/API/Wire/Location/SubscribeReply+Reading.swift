import Locator
import Positioning
import Varlink

// The counterpart of the encoding in `UpdateMessage.swift`, for clients with streams.

extension SubscribeReply {
    /// Reads the reply as the daemon writes it; nil for another form.
    init?(reading object: inout ObjectReader) {
        guard let sequence = object.int(forKey: "sequence"), let dropped = object.int(forKey: "dropped") else {
            return nil
        }
        (self.sequence, self.dropped) = (sequence, dropped)
        location = object.object(forKey: "location", reading: LocationMessage.init(reading:))
        age = object.double(forKey: "age")
        stationary = object.bool(forKey: "stationary")
        restingSince = object.string(forKey: "restingSince")
        locationUnavailable = object.bool(forKey: "locationUnavailable")
        cause = object.value(forKey: "cause")
        detail = object.string(forKey: "detail")
        readPermission(from: &object)
    }
}

extension WatchHeadingReply {
    /// Reads the reply as ``text`` writes it; nil for another form.
    init?(reading object: inout ObjectReader) {
        heading = object.object(forKey: "heading", reading: HeadingMessage.init(reading:))
        cause = object.value(forKey: "cause")
        detail = object.string(forKey: "detail")
        readPermission(from: &object)
    }
}

extension LocationMessage {
    fileprivate init?(reading object: inout ObjectReader) {
        timestamp = object.string(forKey: "timestamp")
        guard let latitude = object.double(forKey: "latitude"), let longitude = object.double(forKey: "longitude"),
            let horizontalAccuracy = object.double(forKey: "horizontalAccuracy"),
            let accuracySource = object.value(of: AccuracySource.self, forKey: "accuracySource")
        else { return nil }
        (self.latitude, self.longitude) = (latitude, longitude)
        (self.horizontalAccuracy, self.accuracySource) = (horizontalAccuracy, accuracySource)
        altitude = object.double(forKey: "altitude")
        ellipsoidalAltitude = object.double(forKey: "ellipsoidalAltitude")
        verticalAccuracy = object.double(forKey: "verticalAccuracy")
        speed = object.double(forKey: "speed")
        speedAccuracy = object.double(forKey: "speedAccuracy")
        course = object.double(forKey: "course")
        courseAccuracy = object.double(forKey: "courseAccuracy")
        guard let mode = object.value(of: FixMode.self, forKey: "mode"),
            let quality = object.value(of: FixQuality.self, forKey: "quality")
        else { return nil }
        (self.mode, self.quality) = (mode, quality)
        satellitesUsed = object.int(forKey: "satellitesUsed")
        hdop = object.double(forKey: "hdop")
        datum = object.string(forKey: "datum")
        simulated = object.bool(forKey: "simulated")
        accessory = object.bool(forKey: "accessory")
        guard let receiver = object.string(forKey: "receiver") else { return nil }
        self.receiver = receiver
    }
}

extension HeadingMessage {
    fileprivate init?(reading object: inout ObjectReader) {
        timestamp = object.string(forKey: "timestamp")
        trueHeading = object.double(forKey: "trueHeading")
        magneticHeading = object.double(forKey: "magneticHeading")
        headingAccuracy = object.double(forKey: "headingAccuracy")
        guard let source = object.value(of: HeadingSource.self, forKey: "source") else { return nil }
        self.source = source
        variation = object.double(forKey: "variation")
        variationSource = object.value(forKey: "variationSource")
        simulated = object.bool(forKey: "simulated")
        guard let receiver = object.string(forKey: "receiver") else { return nil }
        self.receiver = receiver
    }
}
