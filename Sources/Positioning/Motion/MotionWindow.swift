import Chronology

/// The last minutes of epochs in a ring of fixed size, and robust sums of them. Allocates once.
struct MotionWindow: Sendable {
    /// More than the longest patience holds at the densest rate that is kept: 180 s at 0.8 s.
    static let capacity = 256

    private var ring = [MotionSample](repeating: MotionSample(at: .zero), count: capacity)
    private var scratch = [Double](repeating: 0, count: capacity)
    private var next = 0
    private(set) var count = 0

    /// The sample that many before the newest.
    subscript(_ back: Int) -> MotionSample { ring[(next &- 1 &- back) & (MotionWindow.capacity - 1)] }

    mutating func append(_ sample: MotionSample) {
        ring[next] = sample
        next = (next &+ 1) & (MotionWindow.capacity - 1)
        count = min(count + 1, MotionWindow.capacity)
    }

    mutating func clear() { count = 0 }

    /// How many samples are no older than a span; at least three where there are so many.
    func recent(_ span: Instant.Span) -> Int {
        guard count > 0 else { return 0 }
        let start = self[0].at - span
        var length = 0
        while length < count, length < 3 || self[length].at >= start { length += 1 }
        return length
    }

    /// How many samples reach back over a whole span: those within it and the one before; nil while none is so old.
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

    /// The median speed of the newest samples; nil where fewer than half of those with a position state one.
    mutating func medianSpeed(_ length: Int) -> Double? {
        var (stated, positions) = (0, 0)
        for back in 0..<length where self[back].hasPosition {
            positions += 1
            guard self[back].speed >= 0 else { continue }
            scratch[stated] = self[back].speed
            stated += 1
        }
        guard stated > 0, stated * 2 >= positions else { return nil }
        return median(stated)
    }

    /// The middle of the newest samples and their typical radius, each component by its median; nil without a position among them.
    mutating func middle(_ length: Int) -> (east: Double, north: Double, radius: Double)? {
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

    /// Metres that Doppler says were driven in the last span; speeds within its noise count for nothing. Nil without Doppler.
    func driven(_ span: Instant.Span, above noise: Double) -> Double? {
        var (metres, isStated) = (0.0, false)
        for back in 0..<max(count - 1, 0) {
            let sample = self[back]
            guard self[0].at - sample.at < span else { break }
            guard sample.hasPosition, sample.speed >= 0 else { continue }
            isStated = true
            if sample.speed > noise { metres += sample.speed * min((sample.at - self[back + 1].at).seconds, 5) }
        }
        return isStated ? metres : nil
    }

    /// The value in the middle of the first `length` of the scratch paper, which is sorted so far as that takes.
    private mutating func median(_ length: Int) -> Double {
        let wanted = length / 2
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
            if wanted <= right { high = right } else if wanted >= left { low = left } else { break }
        }
        return scratch[wanted]
    }
}

/// What the speed that receivers measure by Doppler is worth.
enum Doppler {
    /// Metres per second. Parked receivers state up to 0.25 m/s in 95 of 100 epochs under an open sky (six static logs of hours).
    static let noise = 0.3
}
