import NMEA

/// Checks that every field of a sentence is in its documented range, and adds it to a digest.
struct SentenceCheck {
    private(set) var digest = Digest()

    mutating func check(_ sentence: Sentence, address: Address) {
        digest.put(UInt64(address.talker))
        digest.put(address.formatter)
        switch sentence {
        case .gga(let gga): check(gga)
        case .rmc(let rmc): check(rmc)
        case .gll(let gll):
            check(time: gll.time, position: gll.position)
            flag(gll.isValid)
            mode(gll.mode)
        case .gns(let gns): check(gns)
        case .gsa(let gsa): check(gsa)
        case .gsv(let gsv): check(gsv)
        case .gst(let gst): check(time: gst.time, errors: gst.latitudeError, gst.longitudeError, gst.altitudeError)
        case .gbs(let gbs): check(time: gbs.time, errors: gbs.latitudeError, gbs.longitudeError, gbs.altitudeError)
        case .gfa(let gfa): check(time: gfa.time, errors: gfa.semiMajorError, gfa.semiMinorError, gfa.altitudeError)
        case .dtm(let dtm):
            numbers(dtm.latitudeOffset, dtm.longitudeOffset, dtm.altitudeOffset)
            flag(dtm.isWGS84)
        case .vtg(let vtg):
            numbers(vtg.course, vtg.speed)
            mode(vtg.mode)
        case .zda(let zda):
            check(time: zda.time, position: nil)
            if let date = zda.date { digest.put(date.daysSince1970) }
        case .txt(let txt):
            integer(txt.severity)
            digest.put(txt.text.string)
            Invariant.check(txt.text.string.unicodeScalars.count <= 80, "a text has at most 80 characters")
            digest.put(txt.antenna?.rawValue ?? "")
        case .pubx00(let pubx): check(pubx)
        case .hdt(let hdt): numbers(hdt.heading)
        case .ths(let ths):
            numbers(ths.heading)
            mode(ths.mode)
        case .hdg(let hdg): numbers(hdg.sensorHeading, hdg.deviation, hdg.variation)
        case .hdm(let hdm): numbers(hdm.heading)
        case .vhw(let vhw): numbers(vhw.trueHeading, vhw.magneticHeading)
        case .hpr(let hpr):
            check(time: hpr.time, position: nil)
            numbers(hpr.heading)
            integer(hpr.quality)
        case .unknown: digest.put(1 as UInt64)
        case .malformed: digest.put(2 as UInt64)
        default: checkFields(of: sentence)
        }
    }

    /// Checks the fields of a value by their types. This is slow, so frequent sentences have checks
    /// of their own.
    private mutating func checkFields(of value: Any) {
        switch value {
        case let number as Reported: numbers(number.wrappedValue)
        case let number as Double: numbers(number)
        case let time as TimeOfDay: check(time: time, position: nil)
        case let position as Position: check(time: nil, position: position)
        case let text as String: digest.put(text)
        case let isSet as Bool: flag(isSet)
        case let number as any FixedWidthInteger: digest.put(Int(truncatingIfNeeded: number))
        default:
            let fields = Mirror(reflecting: value).children
            digest.put(fields.count)
            for field in fields { checkFields(of: field.value) }
        }
    }

    private mutating func check(_ gga: GGA) {
        check(time: gga.time, position: gga.position)
        integer(gga.quality)
        integer(gga.satellitesUsed)
        numbers(gga.hdop, gga.altitude, gga.geoidSeparation, gga.correctionAge)
    }

    private mutating func check(_ rmc: RMC) {
        check(time: rmc.time, position: rmc.position)
        flag(rmc.isValid)
        numbers(rmc.speed, rmc.course, rmc.magneticVariation)
        mode(rmc.mode)
        guard let date = rmc.date else { return }
        Invariant.check(
            date.year <= 99 && (1...12).contains(date.month) && (1...31).contains(date.day),
            "the date is valid: \(date)")
        digest.put(date.civilDate?.daysSince1970 ?? -1)
    }

    private mutating func check(_ gns: GNS) {
        check(time: gns.time, position: gns.position)
        mode(gns.mode)
        integer(gns.satellitesUsed)
        numbers(gns.hdop, gns.altitude, gns.geoidSeparation, gns.correctionAge)
    }

    private mutating func check(_ gsa: GSA) {
        integer(gsa.fixMode)
        Invariant.check(Int(gsa.count) <= GSA.capacity, "at most \(GSA.capacity) satellites: \(gsa.count)")
        for index in 0..<Int(gsa.count) { digest.put(gsa.numbers[index]) }
        numbers(gsa.pdop, gsa.hdop, gsa.vdop)
        integer(gsa.systemID)
        Invariant.check(gsa.systemID.map { (1...6).contains($0) } ?? true, "the system is in 1 ... 6")
    }

    private mutating func check(_ gsv: GSV) {
        Invariant.check(
            gsv.count <= 4 && (1...32).contains(gsv.sentenceIndex) && gsv.sentenceCount <= 32,
            "at most four satellites in each of 32 sentences: \(gsv)"
        )
        digest.put(gsv.sentenceCount)
        digest.put(gsv.sentenceIndex)
        integer(gsv.satellitesInView)
        for index in 0..<Int(gsv.count) {
            let satellite = gsv.satellites[index]
            digest.put(satellite.number)
            digest.put(Int(satellite.elevation ?? -128))
            digest.put(satellite.azimuth ?? 0xFFFF)
            digest.put(satellite.carrierToNoise ?? 0)
        }
        integer(gsv.signalID)
        integer(gsv.systemID)
    }

    private mutating func check(_ pubx: PUBX00) {
        check(time: pubx.time, position: pubx.position)
        numbers(pubx.ellipsoidalAltitude, pubx.horizontalAccuracy, pubx.verticalAccuracy, pubx.speed, pubx.course)
        numbers(pubx.downwardSpeed, pubx.hdop, pubx.vdop)
        digest.put(pubx.status == nil)
        integer(pubx.satellitesUsed)
    }

    private mutating func check(time: TimeOfDay?, errors: Double?...) {
        check(time: time, position: nil)
        for error in errors { numbers(error) }
    }

    private mutating func check(time: TimeOfDay?, position: Position?) {
        digest.put(time?.milliseconds ?? -1)
        Invariant.check((0...86_400_999).contains(time?.milliseconds ?? 0), "the time is within a day")
        guard let position else { return digest.put(false) }
        Invariant.check((-90...90).contains(position.latitude), "the latitude is in range: \(position)")
        Invariant.check((-180...180).contains(position.longitude), "the longitude is in range: \(position)")
        Invariant.check(position.minuteDecimals <= 9, "at most nine decimals: \(position)")
        digest.put(position.latitude)
        digest.put(position.longitude)
        digest.put(position.minuteDecimals)
    }

    private mutating func numbers(_ values: Double?...) {
        for value in values {
            // At most nine digits before the point are read.
            Invariant.check(
                value.map { abs($0) < 1e9 } ?? true, "a number has at most nine digits: \(String(describing: value))")
            digest.put(value ?? -1e300)
        }
    }

    private mutating func integer(_ value: UInt8?) { digest.put(Int(value ?? 0) &+ (value == nil ? -1 : 0)) }
    private mutating func flag(_ value: Bool?) { digest.put(value.map { $0 ? 1 : 0 } ?? 2) }
    private mutating func mode(_ mode: FAAMode?) { integer(mode?.rawValue) }
}
