import SextantClient

for try await update in Client().locations(.fitness) {
    if let location = update.location {
        print(location.latitude, location.longitude, "±\(location.horizontalAccuracy) m")
    } else {
        print(update.detail ?? "no position")
    }
    if update.stationary == true { print("at rest") }
}
