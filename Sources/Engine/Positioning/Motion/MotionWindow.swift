import Chronology

/// The last minutes of epochs in a ring buffer of fixed size, with robust statistics. Allocates
/// once.
struct MotionWindow: Sendable {
    /// More samples than the longest window needs at the highest rate: 180 s at 0.8 s.
    static let capacity = 256

    private var ring = [MotionSample](repeating: MotionSample(at: .zero), count: capacity)
    private var scratch = [Double](repeating: 0, count: capacity)
    private var next = 0
    private(set) var count = 0

    /// Accesses the sample `back` places before the newest. The index wraps around the ring.
    subscript(_ back: Int) -> MotionSample { ring[(next &- 1 &- back) & (MotionWindow.capacity - 1)] }

    mutating func append(_ sample: MotionSample) {
        ring[next] = sample
        // The index wraps around the ring.
        next = (next &+ 1) & (MotionWindow.capacity - 1)
        count = min(count + 1, MotionWindow.capacity)
    }

    mutating func clear() { count = 0 }

    /// Returns how many samples are at most as old as a span; at least three if there are so many.
    func recent(_ span: Instant.Span) -> Int {
        guard count > 0 else { return 0 }
        let start = self[0].at - span
        var length = 0
        while length < count, length < 3 || self[length].at >= start { length += 1 }
        return length
    }

    /// Returns how many samples cover a whole span: those within it and one before; nil if none is
    /// old enough.
    func covering(_ span: Instant.Span) -> Int? {
        guard count > 0 else { return nil }
        let start = self[0].at - span
        var length = 0
        while length < count {
            length += 1
            if self[length - 1].at <= start { return length }
        }
        return nil
    }

    /// Returns the median speed of the newest samples; nil if fewer than half of those with a
    /// position have a speed.
    mutating func medianSpeed(_ length: Int) -> Double? {
        var (count, positions) = (0, 0)
        for back in 0..<length where self[back].hasPosition {
            positions += 1
            guard self[back].speed >= 0 else { continue }
            scratch[count] = self[back].speed
            count += 1
        }
        guard count > 0, count * 2 >= positions else { return nil }
        return median(count)
    }

    /// Returns the median position and radius of the newest samples, each component separately; nil
    /// without a position.
    mutating func medianPosition(_ length: Int) -> (east: Double, north: Double, radius: Double)? {
        var positions = 0
        for back in 0..<length where self[back].hasPosition {
            scratch[positions] = self[back].east
            positions += 1
        }
        guard positions > 0 else { return nil }
        let east = median(positions)
        positions = 0
        for back in 0..<length where self[back].hasPosition {
            scratch[positions] = self[back].north
            positions += 1
        }
        let north = median(positions)
        positions = 0
        for back in 0..<length where self[back].hasPosition {
            scratch[positions] = self[back].radius
            positions += 1
        }
        return (east, north, median(positions))
    }

    /// Returns the distance in metres travelled in the last span according to Doppler. Speeds
    /// within the noise count as zero. Returns nil without Doppler.
    func dopplerDistance(_ span: Instant.Span, above noise: Double) -> Double? {
        var (metres, hasDoppler) = (0.0, false)
        for back in 0..<max(count - 1, 0) {
            let sample = self[back]
            guard self[0].at - sample.at < span else { break }
            guard sample.hasPosition, sample.speed >= 0 else { continue }
            hasDoppler = true
            if sample.speed > noise { metres += sample.speed * min((sample.at - self[back + 1].at).seconds, 5) }
        }
        return hasDoppler ? metres : nil
    }

    /// Returns the median of the first `length` scratch values by partial sorting.
    private mutating func median(_ length: Int) -> Double {
        let middle = length / 2
        var (low, high) = (0, length - 1)
        while low < high {
            let pivot = scratch[(low + high) / 2]
            var (left, right) = (low, high)
            while left <= right {
                while scratch[left] < pivot { left += 1 }
                while scratch[right] > pivot { right -= 1 }
                guard left <= right else { break }
                scratch.swapAt(left, right)
                left += 1
                right -= 1
            }
            if middle <= right { high = right } else if middle >= left { low = left } else { break }
        }
        return scratch[middle]
    }
}

/// Properties of the speed that receivers measure by Doppler.
enum Doppler {
    /// Metres per second. Parked receivers report up to 0.25 m/s in 95 of 100 epochs under an open
    /// sky (six static logs of hours).
    static let noise = 0.3
}
