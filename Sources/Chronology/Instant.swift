/// A moment on the machine's monotonic clock: nanoseconds of `CLOCK_BOOTTIME`, which goes on counting while the machine sleeps.
///
/// Stamped once per wakeup at the edge and handed down; no stage reads a clock. It says nothing about the calendar: that is ``UTCTime``.
public struct Instant: Sendable, Hashable, Comparable {
    /// Nanoseconds since boot.
    public var nanoseconds: Int64

    /// An instant that many nanoseconds after boot.
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The start of a simulated day, and of a machine.
    public static let zero = Instant(nanoseconds: 0)

    /// Whether `a` comes before `b`.
    @inlinable public static func < (a: Instant, b: Instant) -> Bool { a.nanoseconds < b.nanoseconds }
    /// The instant `span` later.
    @inlinable public static func + (a: Instant, span: Span) -> Instant { Instant(nanoseconds: a.nanoseconds &+ span.nanoseconds) }
    /// The instant `span` earlier.
    @inlinable public static func - (a: Instant, span: Span) -> Instant { Instant(nanoseconds: a.nanoseconds &- span.nanoseconds) }
    /// The time from `b` to `a`; negative when `b` is later.
    @inlinable public static func - (a: Instant, b: Instant) -> Span { Span(nanoseconds: a.nanoseconds &- b.nanoseconds) }
}

extension Instant {
    /// A length of time in nanoseconds; about 292 years either way.
    public struct Span: Sendable, Hashable, Comparable {
        /// Length in nanoseconds; negative means backwards.
        public var nanoseconds: Int64

        /// A span of that many nanoseconds.
        @inlinable public init(nanoseconds: Int64) {
            self.nanoseconds = nanoseconds
        }

        /// A span of `count` seconds; fractions are kept to the nanosecond. Values outside +-9e9 s are clamped; no number at all
        /// (NaN) is no time.
        @inlinable public static func seconds(_ count: Double) -> Span {
            count.isNaN ? .zero : Span(nanoseconds: Int64((min(max(count, -9e9), 9e9) * 1e9).rounded()))
        }

        /// A span of `count` milliseconds.
        @inlinable public static func milliseconds(_ count: Int64) -> Span { Span(nanoseconds: count &* 1_000_000) }

        /// No time at all.
        public static let zero = Span(nanoseconds: 0)

        /// The span in seconds.
        @inlinable public var seconds: Double { Double(nanoseconds) / 1e9 }

        /// Whether `a` is shorter than `b`.
        @inlinable public static func < (a: Span, b: Span) -> Bool { a.nanoseconds < b.nanoseconds }
        /// Both spans one after the other.
        @inlinable public static func + (a: Span, b: Span) -> Span { Span(nanoseconds: a.nanoseconds &+ b.nanoseconds) }
        /// `a` shortened by `b`.
        @inlinable public static func - (a: Span, b: Span) -> Span { Span(nanoseconds: a.nanoseconds &- b.nanoseconds) }
    }
}

/// The earlier of two deadlines, where either may be absent.
@inlinable public func earliest(_ a: Instant?, _ b: Instant?) -> Instant? {
    guard let a else { return b }
    guard let b else { return a }
    return min(a, b)
}
