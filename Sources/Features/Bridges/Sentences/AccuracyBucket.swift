/// The HDOP from which GeoClue computes an accuracy.
///
/// GeoClue knows accuracies of 0, 1, 3, 50, 100 and 300 m and takes them from HDOP up to 1, 2, 5,
/// 10, 20 and above (gclue-nmea-utils.c of GeoClue 2.6). While the device does not move, it ignores
/// positions with a larger accuracy than the last. The bucket therefore changes down only when the
/// accuracy is clearly better.
struct AccuracyBucket {
    private struct Bucket {
        let accuracy: Double
        let dilution: Double
    }

    /// The largest R68 in metres that GeoClue can express. It would take a larger one as this one.
    static let maxAccuracy = 300.0

    private static let buckets = [
        Bucket(accuracy: 3, dilution: 5), Bucket(accuracy: 50, dilution: 10), Bucket(accuracy: 100, dilution: 20),
        Bucket(accuracy: maxAccuracy, dilution: 25),
    ]
    /// The factor by which an accuracy must be better than the limit of a smaller bucket.
    private static let margin = 0.8

    private var current = 0

    /// Returns HDOP for an R68 in metres.
    mutating func dilution(forAccuracy accuracy: Double) -> Double {
        let least = AccuracyBucket.buckets.firstIndex { accuracy <= $0.accuracy } ?? AccuracyBucket.buckets.count - 1
        let clear =
            AccuracyBucket.buckets.firstIndex { accuracy <= $0.accuracy * AccuracyBucket.margin }
            ?? AccuracyBucket.buckets.count - 1
        current = current < least ? least : min(current, max(clear, least))
        return AccuracyBucket.buckets[current].dilution
    }
}
