import Foundation
import TripRecorder

do {
    try await TripRecorder().run { trip in
        print("\(Int(trip.distance)) m", trip.isResting ? "resting" : "", trip.problem ?? "")
        fflush(nil)
    }
} catch {
    FileHandle.standardError.write(Data("trip: \(error)\n".utf8))
    exit(69)
}
