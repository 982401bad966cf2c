import Glibc
import Places

extension PlacesFolder {
    /// The folder of this process.
    static var ofProcess: PlacesFolder { PlacesFolder(named: Environment.value("SEXTANT_PLACES")) }

    /// Opens the file of places and calls `body`. Errors of the data become errors of the command.
    func withFile<R>(_ body: (PlacesFile) throws -> R) throws -> R {
        do {
            return try body(try PlacesFile(self))
        } catch let error as PlacesError {
            throw CommandError(error)
        }
    }
}

extension CommandError {
    /// Creates the error of a file of places.
    init(_ error: PlacesError) {
        let status: ExitStatus =
            switch error {
            case .tooBroad, .importing: .failure
            case .noPlaces, .file, .otherFormat: .noInput
            }
        self.init(error.description, exitStatus: status)
    }
}

/// The language of the user.
enum UserLanguage {
    /// The letters of the language in the order of locale(7); nil for the C locale.
    static var code: String? { code { Environment.value($0) } }

    /// The letters of the language that the environment states.
    static func code(environment: (String) -> String?) -> String? {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty }
        guard let letters = locale?.prefix(while: { $0.isLetter }), (2...3).contains(letters.count) else { return nil }
        return letters.lowercased()
    }
}
