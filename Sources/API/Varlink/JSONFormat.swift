/// The JSON format of this project: one line, sorted keys and unescaped slashes. Equal values give
/// equal text on every machine.
package enum JSONFormat {
    /// Returns a value as one line of JSON without a line break.
    ///
    /// - Throws: ``EncodingFailure`` for a number that is not finite.
    package static func line(_ value: some Encodable) throws(EncodingFailure) -> [UInt8] {
        try JSONValue(encoding: value).bytes
    }

    /// Returns a message as one line of JSON without a line break.
    package static func line(_ message: some Message) -> [UInt8] { EncodedObject(message).bytes }
}
