/// The sentences of a receiver that is put from place to place: an epoch is GGA and RMC, a second after the one before on its own clock.
struct Places {
    /// Degrees.
    struct Place {
        var latitude: Double
        var longitude: Double

        /// So many metres north and east of it, on the sphere: good to a percent over some kilometres.
        func moved(north: Double, east: Double) -> Place {
            Place(latitude: latitude + north / 111_200, longitude: longitude + east / 69_300)
        }
    }

    static let origin = Place(latitude: 51.5, longitude: -0.1)

    /// Where it is.
    var place = Places.origin
    /// Seconds since its first epoch.
    private(set) var count = 0

    /// The next epoch's bytes.
    mutating func next() -> [UInt8] {
        defer { count += 1 }
        let seconds = 36_000 + count
        let day = 14 + seconds / 86_400
        let time = "\(padded(seconds / 3600 % 24, 2))\(padded(seconds / 60 % 60, 2))\(padded(seconds % 60, 2)).00"
        let north = angle(place.latitude, 2) + (place.latitude < 0 ? ",S" : ",N")
        let east = angle(place.longitude, 3) + (place.longitude < 0 ? ",W" : ",E")
        let text =
            sentence("GPGGA,\(time),\(north),\(east),1,09,0.92,8.1,M,45.9,M,,")
            + sentence("GPRMC,\(time),A,\(north),\(east),000.0,,\(padded(day, 2))0326,,,A")
        return Array(text.utf8)
    }

    /// `DDMM.MMMMM`
    private func angle(_ degrees: Double, _ width: Int) -> String {
        let minutes = Int((abs(degrees) * 60 * 100_000).rounded())
        let (whole, rest) = (minutes / 6_000_000, minutes % 6_000_000)
        return padded(whole, width) + padded(rest / 100_000, 2) + "." + padded(rest % 100_000, 5)
    }

    private func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}
