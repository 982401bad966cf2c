/// A moment on the machine's monotonic clock, in nanoseconds of `CLOCK_BOOTTIME`. This clock also
/// counts while the machine sleeps.
///
/// The event loop reads the clock once per wakeup and passes the instant on; no later stage reads a
/// clock. An instant has no calendar date; see ``UTCTime``.
///
/// Results outside the range of `Int64` are clamped, because times and durations come from clients
/// and receivers.
public struct Instant: Sendable, Hashable, Comparable {
    /// Nanoseconds since boot.
    public var nanoseconds: Int64

    /// Creates an instant `nanoseconds` after boot.
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The moment of boot; also the start of simulated time.
    public static let zero = Instant(nanoseconds: 0)

    /// Returns whether `a` is earlier than `b`.
    @inlinable public static func < (a: Instant, b: Instant) -> Bool { a.nanoseconds < b.nanoseconds }
    /// Returns the instant `span` after `a`.
    @inlinable public static func + (a: Instant, span: Span) -> Instant {
        Instant(nanoseconds: a.nanoseconds.clampedSum(span.nanoseconds))
    }
    /// Returns the instant `span` before `a`.
    @inlinable public static func - (a: Instant, span: Span) -> Instant {
        Instant(nanoseconds: a.nanoseconds.clampedDifference(span.nanoseconds))
    }
    /// Returns the time from `b` to `a`; negative if `b` is later.
    @inlinable public static func - (a: Instant, b: Instant) -> Span {
        Span(nanoseconds: a.nanoseconds.clampedDifference(b.nanoseconds))
    }
}

extension Int64 {
    /// Returns the sum, clamped to the range of the type.
    @inlinable func clampedSum(_ other: Int64) -> Int64 {
        let (sum, isOutside) = addingReportingOverflow(other)
        return isOutside ? (other < 0 ? .min : .max) : sum
    }

    /// Returns the difference, clamped to the range of the type.
    @inlinable func clampedDifference(_ other: Int64) -> Int64 {
        let (difference, isOutside) = subtractingReportingOverflow(other)
        return isOutside ? (other < 0 ? .max : .min) : difference
    }

    /// Returns the product with a positive factor, clamped to the range of the type.
    @inlinable func clampedProduct(_ factor: Int64) -> Int64 {
        let (product, isOutside) = multipliedReportingOverflow(by: factor)
        return isOutside ? (self < 0 ? .min : .max) : product
    }
}

extension Instant {
    /// A duration in nanoseconds. The range is about 292 years in both directions.
    public struct Span: Sendable, Hashable, Comparable {
        /// The length in nanoseconds; negative durations point to the past.
        public var nanoseconds: Int64

        /// Creates a span of `nanoseconds`.
        @inlinable public init(nanoseconds: Int64) {
            self.nanoseconds = nanoseconds
        }

        /// Returns a span of `count` seconds, rounded to nanoseconds.
        ///
        /// Clamps values outside +-9e9 s. Returns ``zero`` for NaN.
        @inlinable public static func seconds(_ count: Double) -> Span {
            count.isNaN ? .zero : Span(nanoseconds: Int64((min(max(count, -9e9), 9e9) * 1e9).rounded()))
        }

        /// Returns a span of `count` milliseconds, clamped to the range.
        @inlinable public static func milliseconds(_ count: Int64) -> Span {
            Span(nanoseconds: count.clampedProduct(1_000_000))
        }

        /// A span of length zero.
        public static let zero = Span(nanoseconds: 0)

        /// The span in seconds.
        @inlinable public var seconds: Double { Double(nanoseconds) / 1e9 }

        /// Returns whether `a` is shorter than `b`.
        @inlinable public static func < (a: Span, b: Span) -> Bool { a.nanoseconds < b.nanoseconds }
        /// Returns the sum of both spans.
        @inlinable public static func + (a: Span, b: Span) -> Span {
            Span(nanoseconds: a.nanoseconds.clampedSum(b.nanoseconds))
        }
        /// Returns `a` minus `b`.
        @inlinable public static func - (a: Span, b: Span) -> Span {
            Span(nanoseconds: a.nanoseconds.clampedDifference(b.nanoseconds))
        }
        /// Returns the span `count` times, for a count of 0 or more.
        @inlinable public static func * (span: Span, count: Int) -> Span {
            Span(nanoseconds: span.nanoseconds.clampedProduct(Int64(count)))
        }
    }
}

/// Returns the earlier of two optional deadlines, or nil if both are nil.
@inlinable public func earliest(_ a: Instant?, _ b: Instant?) -> Instant? {
    guard let a else { return b }
    guard let b else { return a }
    return min(a, b)
}
