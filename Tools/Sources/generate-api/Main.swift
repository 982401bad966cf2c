import Glibc

/// Writes `Sources/API/SextantAPI/Generated`.
@main
enum Main {
    static func main() {
        do {
            let folder = CommandLine.arguments.dropFirst().first ?? "."
            let files = try Inputs(repository: folder).generate()
            for file in files { try Inputs.write(file.text, to: "\(folder)/\(Inputs.output)/\(file.name)") }
            let current = Set(files.map(\.name))
            for name in Inputs.names(in: "\(folder)/\(Inputs.output)") where !current.contains(name) {
                unlink("\(folder)/\(Inputs.output)/\(name)")
            }
            print("generate-api: \(files.count) files")
        } catch {
            perror("generate-api: \(error)")
            exit(1)
        }
    }
}

/// The files that the generator reads.
struct Inputs {
    static let interfaces = "Sources/API/SextantAPI/Interfaces"
    static let forms = "Tools/Sources/generate-api/forms.json"
    static let output = "Sources/API/SextantAPI/Generated"

    private let repository: String

    init(repository: String) { self.repository = repository }

    func generate() throws -> [Generator.File] {
        let names = Inputs.names(in: "\(repository)/\(Inputs.interfaces)").filter { $0.hasSuffix(".varlink") }
        return try Generator.files(
            interfaces: names.map { try Inputs.contents("\(repository)/\(Inputs.interfaces)/\($0)") },
            forms: Inputs.contents("\(repository)/\(Inputs.forms)"))
    }

    /// Returns the names of the files in a folder, sorted.
    static func names(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(withUnsafePointer(to: &entry.pointee.d_name.0) { String(cString: $0) })
        }
        return names.filter { !$0.hasPrefix(".") }.sorted()
    }

    static func contents(_ path: String) throws -> [UInt8] {
        guard let file = fopen(path, "r") else { throw GenerationError(description: "cannot read \(path)") }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
        return bytes
    }

    static func write(_ text: String, to path: String) throws {
        let bytes = Array(text.utf8)
        guard let file = fopen(path, "w") else { throw GenerationError(description: "cannot write \(path)") }
        let count = fwrite(bytes, 1, bytes.count, file)
        guard fclose(file) == 0, count == bytes.count else {
            throw GenerationError(description: "cannot write \(path)")
        }
    }
}
