@preconcurrency import Glibc
import SextantClient

setvbuf(stdout, nil, _IOLBF, 0)
do {
    for try await update in Client().locations(.fitness) {
        if let location = update.location {
            print(location.latitude, location.longitude, "±\(location.horizontalAccuracy) m")
        } else {
            print(update.detail ?? "no position")
        }
        if update.stationary == true { print("at rest") }
    }
} catch {
    fputs("where-am-i: \(error)\n", stderr)
    exit(69)
}
