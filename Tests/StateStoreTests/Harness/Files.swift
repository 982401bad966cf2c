import Glibc

/// Returns the bytes of a file; empty if the file does not exist.
func bytes(of path: String) -> [UInt8] {
    guard let file = fopen(path, "r") else { return [] }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
    return bytes
}

/// Replaces the bytes of a file.
func write(_ bytes: [UInt8], to path: String) {
    guard let file = fopen(path, "w") else { return }
    defer { fclose(file) }
    fwrite(bytes, 1, bytes.count, file)
}
