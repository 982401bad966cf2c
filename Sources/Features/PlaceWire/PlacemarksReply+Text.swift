import Varlink

extension PlacemarksReply {
    /// The reply as JSON.
    package var encoded: EncodedObject {
        EncodedObject(capacity: PlacemarkMessage.usualLength * (placemarks.count + 1)) { write(placemarks, to: &$0) }
    }
}

extension ForwardReply {
    /// The reply as JSON.
    package var encoded: EncodedObject {
        EncodedObject(capacity: PlacemarkMessage.usualLength * (placemarks.count + 1)) { object in
            write(placemarks, to: &object)
            object.append(partial, forKey: "partial")
        }
    }
}

private func write(_ placemarks: [PlacemarkMessage], to object: inout ObjectWriter) {
    object.append(placemarks, forKey: "placemarks") { mark, object in mark.write(to: &object) }
}

extension PlacemarkMessage {
    /// The length of most messages in bytes, at most.
    fileprivate static let usualLength = 384
    /// The decimals of degrees: those of positions in the file, and a tenth of a millimetre of
    /// those in a call.
    private static let degreeDecimals = 9

    /// Writes the members in the order of the interface. A general encoder takes as long for ten
    /// placemarks as the search for them.
    fileprivate func write(to object: inout ObjectWriter) {
        object.append(latitude, forKey: "latitude", decimals: PlacemarkMessage.degreeDecimals)
        object.append(longitude, forKey: "longitude", decimals: PlacemarkMessage.degreeDecimals)
        object.append(horizontalAccuracy, forKey: "horizontalAccuracy", decimals: 0)
        object.append(name, forKey: "name")
        object.append(isoCountryCode, forKey: "isoCountryCode")
        object.append(country, forKey: "country")
        object.append(administrativeArea, forKey: "administrativeArea")
        object.append(subAdministrativeArea, forKey: "subAdministrativeArea")
        object.append(locality, forKey: "locality")
        object.append(subLocality, forKey: "subLocality")
        if let nearby {
            object.appendObject(forKey: "nearby") { object in
                object.append(nearby.name, forKey: "name")
                object.append(nearby.distance, forKey: "distance", decimals: 0)
                object.append(nearby.bearing, forKey: "bearing", decimals: 0)
            }
        }
        object.append(postalCode, forKey: "postalCode")
        object.append(timeZone, forKey: "timeZone")
        object.append(ocean, forKey: "ocean")
        object.append(inlandWater, forKey: "inlandWater")
        object.append(record.map { Int($0) }, forKey: "record")
        if let areasOfInterest { object.append(areasOfInterest, forKey: "areasOfInterest") }
        object.append(identifier, forKey: "identifier")
    }
}
