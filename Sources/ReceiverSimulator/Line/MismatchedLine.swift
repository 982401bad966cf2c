/// What a UART makes of bytes sent at another speed than it listens at.
///
/// The bits of the sender are sampled as the hardware does: a start bit is a falling edge, then the middle of each bit time counts. A
/// character whose stop bit is low is a framing error and read as zero, which is what Linux gives to a reader in raw mode.
public enum MismatchedLine {
    /// The bytes read from a line that was idle before and after.
    ///
    /// - Parameters:
    ///   - bytes: As sent, back to back.
    ///   - sender: Bits per second of the sender, above 0.
    ///   - listener: Bits per second of the reader, above 0.
    /// - Returns: At most four times as many bytes as were sent.
    public static func read(_ bytes: [UInt8], sender: Int, listener: Int) -> [UInt8] {
        guard sender > 0, listener > 0, sender != listener else { return bytes }
        let total = bytes.count * 10
        let ratio = Double(sender) / Double(listener)
        func level(_ time: Double) -> Bool {
            let bit = Int(time)
            return bit >= total || bitOf(bytes[bit / 10], bit % 10)
        }
        var read: [UInt8] = []
        // In bit times of the sender.
        var time = 0.0
        while time < Double(total), read.count < bytes.count * 4 {
            guard !level(time) else {
                time += min(ratio, 1) / 8
                continue
            }
            var value: UInt8 = 0
            for bit in 0..<8 where level(time + ratio * (Double(bit) + 1.5)) { value |= 1 << bit }
            let framed = level(time + ratio * 9.5)
            read.append(framed ? value : 0)
            time += ratio * 9.5
            // After a framing error the line has to rise before another character can begin.
            while !framed, time < Double(total), !level(time) { time += min(ratio, 1) / 8 }
        }
        return read
    }

    /// Start bit low, eight data bits with the lowest first, stop bit high.
    private static func bitOf(_ byte: UInt8, _ place: Int) -> Bool {
        place == 9 || (place > 0 && byte & (1 << (place - 1)) != 0)
    }
}
