/// A series `c1 sin 2s + c2 sin 4s + ... + c6 sin 12s`, the correction term of a geodesic integral.
struct SineSeries {
    let coefficients: InlineArray<6, Double>

    /// Returns the value at an angle, by Clenshaw's recurrence.
    func callAsFunction(_ angle: UnitAngle) -> Double {
        let twiceCosine = 2 * (angle.cosine - angle.sine) * (angle.cosine + angle.sine)
        var current = 0.0
        var previous = 0.0
        for i in stride(from: 5, through: 0, by: -1) {
            (current, previous) = (coefficients[i] + twiceCosine * current - previous, current)
        }
        return 2 * angle.sine * angle.cosine * current
    }
}

/// The expansions of the geodesic integrals to sixth order in the parameter epsilon.
///
/// Equation numbers are those of C. F. F. Karney, "Algorithms for geodesics", Journal of Geodesy 87
/// (2013) 43-55, doi:10.1007/s00190-012-0578-z. On the WGS-84 ellipsoid the omitted terms are below
/// a nanometre.
enum GeodesicSeries {
    /// Returns the distance along the geodesic, I1: factor A1 (17) and sines C1 (18).
    static func distance(_ e: Double) -> (factor: Double, sines: SineSeries) {
        let e2 = e * e
        let factor = (1 + e2 * (1.0 / 4 + e2 * (1.0 / 64 + e2 / 256))) / (1 - e)
        return (
            factor,
            SineSeries(coefficients: [
                e * (-1.0 / 2 + e2 * (3.0 / 16 - e2 / 32)),
                e2 * (-1.0 / 16 + e2 * (1.0 / 32 - e2 * 9 / 2048)),
                e2 * e * (-1.0 / 48 + e2 * 3 / 256),
                e2 * e2 * (-5.0 / 512 + e2 * 3 / 512),
                e2 * e2 * e * -7 / 1280,
                e2 * e2 * e2 * -7 / 2048,
            ])
        )
    }

    /// Returns the reversion of the distance series, C1' (21): from scaled distance to arc length.
    static func arc(_ e: Double) -> SineSeries {
        let e2 = e * e
        return SineSeries(coefficients: [
            e * (1.0 / 2 + e2 * (-9.0 / 32 + e2 * 205 / 1536)),
            e2 * (5.0 / 16 + e2 * (-37.0 / 96 + e2 * 1335 / 4096)),
            e2 * e * (29.0 / 96 - e2 * 75 / 128),
            e2 * e2 * (539.0 / 1536 - e2 * 2391 / 2560),
            e2 * e2 * e * 3467 / 7680,
            e2 * e2 * e2 * 38081 / 61440,
        ])
    }

    /// Returns the second integral of the reduced length, I2: factor A2 (42) and sines C2 (43).
    static func reducedLength(_ e: Double) -> (factor: Double, sines: SineSeries) {
        let e2 = e * e
        let factor = (1 - e) * (1 + e2 * (1.0 / 4 + e2 * (9.0 / 64 + e2 * 25 / 256)))
        return (
            factor,
            SineSeries(coefficients: [
                e * (1.0 / 2 + e2 * (1.0 / 16 + e2 / 32)),
                e2 * (3.0 / 16 + e2 * (1.0 / 32 + e2 * 35 / 2048)),
                e2 * e * (5.0 / 48 + e2 * 5 / 256),
                e2 * e2 * (35.0 / 512 + e2 * 7 / 512),
                e2 * e2 * e * 63 / 1280,
                e2 * e2 * e2 * 77 / 2048,
            ])
        )
    }

    /// Returns the longitude along the geodesic, I3: factor A3 (24) and sines C3 (25), with the
    /// third flattening of WGS-84.
    static func longitude(_ e: Double) -> (factor: Double, sines: SineSeries) {
        let n = Ellipsoid.thirdFlattening
        let n2 = n * n
        let a1 = 1.0 / 2 - n / 2
        let a2 = 1.0 / 4 + n / 8 - n2 * 3 / 8
        let a3 = 1.0 / 16 + n * 3 / 16 + n2 / 16
        let factor = 1 - e * (a1 + e * (a2 + e * (a3 + e * (3.0 / 64 + n / 32 + e * 3 / 128))))
        let b1 = 1.0 / 4 - n / 4
        let b2 = 1.0 / 8 - n2 / 8
        let b3 = 3.0 / 64 + n * 3 / 64 - n2 / 64
        let c2 = 1.0 / 16 - n * 3 / 32 + n2 / 32
        let c3 = 3.0 / 64 - n / 32 - n2 * 3 / 64
        let d3 = 5.0 / 192 - n * 3 / 64 + n2 * 5 / 192
        return (
            factor,
            SineSeries(coefficients: [
                e * (b1 + e * (b2 + e * (b3 + e * (5.0 / 128 + n / 64 + e * 3 / 128)))),
                e * e * (c2 + e * (c3 + e * (3.0 / 128 + n / 128 + e * 5 / 256))),
                e * e * e * (d3 + e * (3.0 / 128 - n * 5 / 192 + e * 7 / 512)),
                e * e * e * e * (7.0 / 512 - n * 7 / 256 + e * 7 / 512),
                e * e * e * e * e * 21 / 2560,
                0,
            ])
        )
    }
}
