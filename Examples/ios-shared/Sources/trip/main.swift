import TripRecorder

try await TripRecorder().run { trip in
    print("\(Int(trip.distance)) m", trip.isResting ? "resting" : "", trip.problem ?? "")
}
