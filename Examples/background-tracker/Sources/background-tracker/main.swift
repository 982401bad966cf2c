// Appends the track of the device to a file, as a service. A restart continues the track: the lease
// of the program lasts for a minute without it.
import CoreLocation

let path = CommandLine.arguments.dropFirst().first ?? "track.csv"
guard !path.hasPrefix("-") else {
    print(
        "usage: background-tracker [FILE]\nAppends time, latitude, longitude and accuracy to FILE (default: track.csv)."
    )
    exit(path == "--help" || path == "-h" ? 0 : 64)
}
let file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o644)
guard file >= 0 else {
    perror("background-tracker: \(path)")
    exit(73)
}
let track = FileHandle(fileDescriptor: file)

let session = CLServiceSession(authorization: .always)
let activity = CLBackgroundActivitySession()
let warnings = Task {
    for try await diagnostic in activity.diagnostics where diagnostic.insufficientlyInUse {
        print("start this program while its user is logged in, or set in_use = true for it")
        fflush(nil)
    }
}

do {
    for try await update in CLLocationUpdate.liveUpdates(.otherNavigation) {
        guard let location = update.location else { continue }
        let time = ISO8601DateFormatter().string(from: location.timestamp)
        let place = location.coordinate
        let line = "\(time),\(place.latitude),\(place.longitude),\(location.horizontalAccuracy)\n"
        try track.write(contentsOf: Data(line.utf8))
    }
} catch {
    FileHandle.standardError.write(Data("background-tracker: \(error)\n".utf8))
    exit(69)
}
warnings.cancel()
activity.invalidate()
session.invalidate()
