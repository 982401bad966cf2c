import Varlink

/// An error in the interface files or in `forms.json`.
struct GenerationError: Error, CustomStringConvertible {
    var description: String
}

/// The declarations of the generated files.
struct APIModel {
    indirect enum MemberType: Equatable {
        case bool, int, float, string, time, object
        case structure(String)
        case enumeration(String)
        case array(MemberType)
    }

    /// A member of a struct, or a parameter of an error.
    struct Member: Equatable {
        var name: String
        var type: MemberType
        var isOptional: Bool
        var documentation: [String]

        /// The range of a number that its comment states as ", at least 0.2, at most 3600". Without
        /// the first it begins at 0.
        var range: String? {
            guard type == .float, isOptional, let text = documentation.first,
                let start = text.firstRange(of: ", at most ")?.upperBound
            else { return nil }
            let digits = text[start...].prefix(while: \.isNumber)
            guard !digits.isEmpty, let next = text[digits.endIndex...].first, ".,;:".contains(next) else { return nil }
            // Digits in groups of three, as `swift format` wants them.
            let groups = digits.indices.map { index in
                let rest = digits.distance(from: index, to: digits.endIndex)
                return rest % 3 == 0 && index > digits.startIndex && digits.count > 6
                    ? "_\(digits[index])" : String(digits[index])
            }
            let minimum = text.firstRange(of: ", at least ").map {
                text[$0.upperBound...].prefix { $0.isNumber || $0 == "." }
            }
            return "\(minimum ?? "0.0")...\(groups.joined())"
        }

        static func == (a: Member, b: Member) -> Bool {
            a.name == b.name && a.type == b.type && a.isOptional == b.isOptional
        }
    }

    struct Structure {
        var name: String
        var documentation: [String]
        var members: [Member]
        /// The methods whose parameters or reply it is; empty for a declared type.
        var users: [String] = []

        var isParameters: Bool { users.contains { $0.hasSuffix("()") } }
        var isReply: Bool { documentation.isEmpty && !isParameters }
    }

    struct Enumeration {
        var name: String
        var documentation: Documentation
        var values: [String]
    }

    /// An error or a method.
    struct Entry {
        var name: String
        var fullName: String
        var documentation: [String]
        var members: [Member] = []
        var parameters = ""
        var reply = ""
    }

    struct Interface {
        var name: String
        var summary: String
        var errorType: String
        var methods: [Entry] = []
        var errors: [Entry] = []
        var structures: [Structure] = []
        var enumerations: [Enumeration] = []

        var shortName: String { name.split(separator: ".").last.map(String.init) ?? name }
        /// The last part of the name, as the name of a case.
        var caseName: String { swiftName(InterfaceBuilder.lowercased(shortName)) }
    }

    let forms: Forms
    private(set) var interfaces: [Interface] = []

    /// The interfaces that the daemon serves, in the order of `GetInfo`.
    var servedByDaemon: [Interface] { interfaces.filter { !forms.otherServices.contains($0.name) } }
    var servedByOthers: [Interface] { interfaces.filter { forms.otherServices.contains($0.name) } }

    /// - Parameter texts: The texts of the interface files.
    init(_ texts: [String], forms: Forms) throws {
        self.forms = forms
        let all = try texts.map { try InterfaceDescription(parsing: $0) }
        let order = forms.interfaces.compactMap { name in all.first { $0.name == name } }
        for description in order + all.filter({ !forms.interfaces.contains($0.name) }) {
            var builder = InterfaceBuilder(description, forms: forms)
            interfaces.append(try builder.build())
        }
        for (name, form) in forms.enumerations.sorted(by: { $0.key < $1.key }) where !form.values.isEmpty {
            guard let index = interfaces.firstIndex(where: { $0.name == form.interface }) else { continue }
            interfaces[index].enumerations.append(
                Enumeration(name: name, documentation: Documentation(form.documentation), values: form.values))
        }
        try mergeStructures()
        try mergeEnumerations()
    }

    /// Keeps one of the structs with the same name, which must have the same members.
    private mutating func mergeStructures() throws {
        var kept: [String: (interface: Int, index: Int)] = [:]
        for (number, interface) in interfaces.enumerated() {
            interfaces[number].structures = []
            for structure in interface.structures {
                guard let place = kept[structure.name] else {
                    kept[structure.name] = (number, interfaces[number].structures.count)
                    interfaces[number].structures.append(structure)
                    continue
                }
                guard interfaces[place.interface].structures[place.index].members == structure.members else {
                    throw GenerationError(description: "\(structure.name) of \(interface.name) has other members")
                }
                interfaces[place.interface].structures[place.index].users += structure.users
            }
        }
    }

    /// Keeps the best documented one of the enumerations with the same name.
    private mutating func mergeEnumerations() throws {
        var best: [String: Enumeration] = [:]
        for enumeration in interfaces.flatMap(\.enumerations) {
            guard let other = best[enumeration.name] else {
                best[enumeration.name] = enumeration
                continue
            }
            // A place that takes part of the values refers to a declared enumeration.
            if other.values.count < enumeration.values.count
                || other.values == enumeration.values
                    && other.documentation.items.count < enumeration.documentation.items.count
            {
                best[enumeration.name] = enumeration
            }
        }
        var written: Set<String> = []
        for (number, interface) in interfaces.enumerated() {
            interfaces[number].enumerations = []
            for enumeration in interface.enumerations {
                guard let chosen = best[enumeration.name], Set(enumeration.values).isSubset(of: chosen.values) else {
                    throw GenerationError(description: "\(enumeration.name) of \(interface.name) has other values")
                }
                if written.insert(chosen.name).inserted { interfaces[number].enumerations.append(chosen) }
            }
        }
    }
}
