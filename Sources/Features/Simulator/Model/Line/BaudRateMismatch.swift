/// Simulates a UART that receives at another baud rate than the sender's.
///
/// It samples the sender's bits as the hardware does: a falling edge is a start bit, then each bit
/// is sampled at its middle. A character with a low stop bit is a framing error. It is read as
/// zero, as Linux does in raw mode.
package enum BaudRateMismatch {
    /// Returns the bytes that the reader receives. The line is idle before and after.
    ///
    /// - Parameters:
    ///   - bytes: The bytes as sent, without gaps.
    ///   - sender: Baud rate of the sender, above 0.
    ///   - listener: Baud rate of the reader, above 0.
    /// - Returns: At most four times as many bytes as were sent.
    package static func read(_ bytes: [UInt8], sender: Int, listener: Int) -> [UInt8] {
        guard sender > 0, listener > 0, sender != listener else { return bytes }
        let total = bytes.count * 10
        let ratio = Double(sender) / Double(listener)
        func level(_ time: Double) -> Bool {
            let bit = Int(time)
            return bit >= total || bitValue(at: bit % 10, of: bytes[bit / 10])
        }
        var read: [UInt8] = []
        // Time in bit times of the sender.
        var time = 0.0
        while time < Double(total), read.count < bytes.count * 4 {
            guard !level(time) else {
                time += min(ratio, 1) / 8
                continue
            }
            var value: UInt8 = 0
            for bit in 0..<8 where level(time + ratio * (Double(bit) + 1.5)) { value |= 1 << bit }
            let hasStopBit = level(time + ratio * 9.5)
            read.append(hasStopBit ? value : 0)
            time += ratio * 9.5
            // After a framing error the line must go high before another character can begin.
            while !hasStopBit, time < Double(total), !level(time) { time += min(ratio, 1) / 8 }
        }
        return read
    }

    /// Returns one bit of a character: start bit low, eight data bits with the lowest first, stop
    /// bit high.
    private static func bitValue(at position: Int, of byte: UInt8) -> Bool {
        position == 9 || (position > 0 && byte & (1 << (position - 1)) != 0)
    }
}
