// Appends the track of the device to a file, as a service. A restart continues the track: the lease
// of the program lasts for a minute without it.
import CoreLocation

let path = CommandLine.arguments.dropFirst().first ?? "track.csv"
if !FileManager.default.fileExists(atPath: path) { try Data().write(to: URL(fileURLWithPath: path)) }
let track = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
try track.seekToEnd()

let session = CLServiceSession(authorization: .always)
let activity = CLBackgroundActivitySession()
let warnings = Task {
    for try await diagnostic in activity.diagnostics where diagnostic.insufficientlyInUse {
        print("start this program while its user is logged in, or set in_use = true for it")
    }
}

for try await update in CLLocationUpdate.liveUpdates(.otherNavigation) {
    guard let location = update.location else { continue }
    let time = ISO8601DateFormatter().string(from: location.timestamp)
    let place = location.coordinate
    let line = "\(time),\(place.latitude),\(place.longitude),\(location.horizontalAccuracy)\n"
    try track.write(contentsOf: Data(line.utf8))
}
warnings.cancel()
activity.invalidate()
session.invalidate()
