/// Factors from accuracies of 68 % to other confidences, for normally distributed errors that are
/// equal in both horizontal axes. gpsd states its errors with 95 % (gpsd_json(5)).
enum Confidence {
    /// From R68 to the radius of 95 %: the square roots of 2 ln 20 and of 2 ln (1 / 0.32) are 2.448
    /// and 1.510 standard deviations of an axis.
    static let radius95 = 1.62
    /// From R68 to the error of one axis with 95 %: 1.960 / 1.510.
    static let axis95 = 1.30
    /// From R68 to the standard deviation of one axis: 1 / 1.510.
    static let axisDeviation = 0.662
    /// From an error of one dimension with 68 % to that with 95 %: 1.960 / 0.994.
    static let linear95 = 1.97
}
