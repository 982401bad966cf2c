import Glibc
import NMEA

/// The dilution of precision: how the geometry of the used satellites amplifies ranging errors.
package struct DilutionOfPrecision: Sendable, Equatable {
    /// The dilutions of precision (PDOP, HDOP, VDOP, TDOP).
    package var position, horizontal, vertical, time: Double

    /// Computes the dilutions from the directions of the used satellites; nil with fewer than four,
    /// or if all lie on a cone.
    ///
    /// It takes the diagonal of the inverse normal matrix of unit vectors (E. Kaplan and C.
    /// Hegarty, "Understanding GPS/GNSS", 3rd ed., section 11.2), with one clock for all
    /// constellations.
    package init?(satellites: [SentenceEncoder.Satellite]) {
        var counted: Set<[Int]> = []
        var normal = Array(repeating: Array(repeating: 0.0, count: 4), count: 4)
        for satellite in satellites
        where satellite.isUsed && counted.insert([satellite.system.rawValue, satellite.number]).inserted {
            guard let elevation = satellite.elevation, let azimuth = satellite.azimuth else { continue }
            let (e, a) = (Double(elevation) * .pi / 180, Double(azimuth) * .pi / 180)
            let row = [cos(e) * sin(a), cos(e) * cos(a), sin(e), 1]
            for i in 0..<4 { for j in 0..<4 { normal[i][j] += row[i] * row[j] } }
        }
        guard counted.count >= 4, let inverse = DilutionOfPrecision.diagonalOfInverse(normal) else { return nil }
        horizontal = (inverse[0] + inverse[1]).squareRoot()
        vertical = inverse[2].squareRoot()
        position = (inverse[0] + inverse[1] + inverse[2]).squareRoot()
        time = inverse[3].squareRoot()
    }

    /// Inverts the matrix by Gauss-Jordan elimination with the largest pivot and returns the
    /// diagonal.
    private static func diagonalOfInverse(_ matrix: [[Double]]) -> [Double]? {
        let n = matrix.count
        var rows = (0..<n).map { i in matrix[i] + (0..<n).map { $0 == i ? 1.0 : 0 } }
        for column in 0..<n {
            let largest = (column..<n).max { abs(rows[$0][column]) < abs(rows[$1][column]) }
            guard let pivot = largest, abs(rows[pivot][column]) > 1e-6 else { return nil }
            rows.swapAt(column, pivot)
            let scale = rows[column][column]
            rows[column] = rows[column].map { $0 / scale }
            for other in 0..<n where other != column {
                let factor = rows[other][column]
                rows[other] = zip(rows[other], rows[column]).map { $0 - factor * $1 }
            }
        }
        let diagonal = (0..<n).map { rows[$0][n + $0] }
        return diagonal.allSatisfy { $0 > 0 && $0.isFinite } ? diagonal : nil
    }
}
