/// The sentences of a receiver that moves north and can be moved to other places: an epoch is GGA
/// and RMC, one second apart on the receiver's clock.
package struct Places {
    /// A position in degrees.
    package struct Place {
        package var latitude: Double
        package var longitude: Double

        package init(latitude: Double, longitude: Double) {
            (self.latitude, self.longitude) = (latitude, longitude)
        }

        /// Returns the place these metres north and east, on a sphere: accurate to one percent over
        /// a few kilometres.
        package func moved(north: Double, east: Double = 0) -> Place {
            Place(latitude: latitude + north / 111_200, longitude: longitude + east / 69_300)
        }
    }

    package static let origin = Place(latitude: 51.5, longitude: -0.1)

    package init() {}

    /// The current position.
    package private(set) var place = Places.origin
    /// Metres per second.
    package var speed = 15.0
    /// Seconds since the first epoch.
    package private(set) var seconds = 0

    /// Moves the receiver while no client is connected; time passes accordingly.
    package mutating func move(to place: Place) {
        self.place = place
        seconds += 300
    }

    /// Returns the bytes of the next epochs.
    package mutating func next(_ count: Int = 1) -> [UInt8] {
        (0..<count).flatMap { _ in epoch() }
    }

    private mutating func epoch() -> [UInt8] {
        defer {
            seconds += 1
            place = place.moved(north: speed)
        }
        let clock = 36_000 + seconds
        let day = 1 + clock / 86_400 % 28
        let time = "\(padded(clock / 3600 % 24, 2))\(padded(clock / 60 % 60, 2))\(padded(clock % 60, 2)).00"
        let position = angle(place.latitude, 2) + (place.latitude < 0 ? ",S," : ",N,") + angle(place.longitude, 3)
        let point = position + (place.longitude < 0 ? ",W" : ",E")
        let knots = Int((speed / 0.514444 * 10).rounded())
        let text =
            sentence("GPGGA,\(time),\(point),1,09,0.92,8.1,M,45.9,M,,")
            + sentence(
                "GPRMC,\(time),A,\(point),\(padded(knots / 10, 3)).\(knots % 10),000.0,\(padded(day, 2))0326,,,A")
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
