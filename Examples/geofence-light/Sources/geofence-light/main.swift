// Switches a light on while the device is at a place:
//
//     geofence-light LATITUDE LONGITUDE METRES FILE
//
// FILE is the brightness of an LED, such as /sys/class/leds/ACT/brightness. A crossing while this
// program does not run is delivered when it starts again.
import CoreLocation

let numbers = CommandLine.arguments.dropFirst().prefix(3).compactMap(Double.init)
guard CommandLine.arguments.count == 5, numbers.count == 3, let file = CommandLine.arguments.last else {
    print("usage: geofence-light LATITUDE LONGITUDE METRES FILE")
    exit(64)
}
let center = CLLocationCoordinate2D(latitude: numbers[0], longitude: numbers[1])
let monitor = await CLMonitor("light")
await monitor.add(
    CLMonitor.CircularGeographicCondition(center: center, radius: numbers[2]), identifier: "place",
    assuming: .unsatisfied)

do {
    for try await event in monitor.events {
        switch event.state {
        case .satisfied: try "1\n".write(toFile: file, atomically: false, encoding: .utf8)
        case .unsatisfied: try "0\n".write(toFile: file, atomically: false, encoding: .utf8)
        default: break  // Why the place is not monitored now: see the properties of the event.
        }
        print(event.date, event.state)
        fflush(nil)
    }
} catch {
    FileHandle.standardError.write(Data("geofence-light: \(error)\n".utf8))
    exit(69)
}
