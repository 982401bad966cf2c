import Glibc
import SystemCalls

/// The features of a GeoJSON file, read one after the other.
///
/// A feature is an object in an array of the outermost object. Only one is in memory at a time.
struct FeatureReader: ~Copyable {
    /// The length of a feature in bytes, at most.
    static let maxLength = 64 << 20
    /// The depth of a feature: outermost object, array, feature.
    private static let featureDepth = 3

    private var source: ByteReader
    private var chunk: [UInt8] = []
    private var next = 0
    private var depth = 0
    private var isString = false
    private var isEscaped = false

    /// Creates a reader for the file that `source` has opened.
    init(_ source: consuming ByteReader) { self.source = source }

    /// Whether a file begins like an object of JSON.
    static func isObject(_ path: String) throws(SystemError) -> Bool {
        var reader = try ByteReader(path)
        var bytes: [UInt8] = []
        _ = try reader.read(into: &bytes)
        let spaces: Set<UInt8> = [9, 10, 13, 32, 0xEF, 0xBB, 0xBF]
        return bytes.first { !spaces.contains($0) } == UInt8(ascii: "{")
    }

    /// The number of bytes that were read from the file.
    var position: Int64 { source.position }

    /// Whether the outermost object has ended.
    var isComplete: Bool { depth == 0 }

    /// Returns the bytes of the next feature; nil at the end of the file.
    ///
    /// - Throws: `SystemError` with EFBIG for a feature above ``maxLength``.
    mutating func nextFeature() throws(SystemError) -> [UInt8]? {
        var feature: [UInt8] = []
        while true {
            while next < chunk.count {
                let byte = chunk[next]
                next += 1
                let wasInside = depth >= FeatureReader.featureDepth
                let hasEnded = advance(byte)
                if wasInside || depth >= FeatureReader.featureDepth { feature.append(byte) }
                if hasEnded { return feature }
            }
            guard feature.count <= FeatureReader.maxLength else {
                throw SystemError(code: EFBIG, operation: "reading a feature of \(source.path)")
            }
            chunk.removeAll(keepingCapacity: true)
            next = 0
            guard try source.read(into: &chunk) else { return nil }
        }
    }

    /// Follows the nesting. Returns whether a feature ends with this byte.
    private mutating func advance(_ byte: UInt8) -> Bool {
        if isString {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isString = false
            }
            return false
        }
        switch byte {
        case UInt8(ascii: "\""): isString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth = max(0, depth - 1)
            return depth == FeatureReader.featureDepth - 1 && byte == UInt8(ascii: "}")
        default: break
        }
        return false
    }
}
