/// Writes declarations in Swift.
struct DeclarationWriter {
    typealias Member = APIModel.Member
    typealias MemberType = APIModel.MemberType

    let forms: Forms

    /// Returns the names of the interfaces of the daemon, and of those of other services.
    func names(_ model: APIModel) -> [SwiftText] {
        var text = SwiftText()
        text.comment([
            "A Varlink interface of the daemon. Raw values are the names on the wire, in the order of `GetInfo`.",
            "The texts in `Interfaces/` document the protocol of the socket. The targets of the services embed them, "
                + "so that programs with the libraries do not have them.",
        ])
        text.line("package enum Interface: String, Sendable, CaseIterable {")
        for interface in model.servedByDaemon {
            text.comment([interface.summary], 1)
            text.line("case \(interface.caseName) = \"\(interface.name)\"", 1)
        }
        text.line()
        text.comment(["Returns the full name of a method or an error: \"io.sextant.Location.Subscribe\"."], 1)
        text.line("package func name(of member: String) -> String { \"\\(rawValue).\\(member)\" }", 1)
        text.line("}")
        return [text]
            + model.servedByOthers.map { interface in
                var text = SwiftText()
                text.comment(["The interface `\(interface.name)` of another service."])
                text.line("package enum \(interface.shortName)Interface {")
                text.comment(["The name of the interface."], 1)
                text.line("package static let name = \"\(interface.name)\"", 1)
                text.line("}")
                return text
            }
    }

    /// Returns the texts of the interfaces of the daemon.
    func texts(_ model: APIModel) -> SwiftText {
        var text = SwiftText()
        text.line("extension Interface {")
        text.comment(["The text of the interface. It is not cached, because requests are rare."], 1)
        text.line("package var text: String {", 1)
        text.line("let bytes =", 2)
        text.line("switch self {", 3)
        for interface in model.servedByDaemon {
            let resource = interface.name.map { $0 == "." ? "_" : String($0) }.joined()
            text.line("case .\(interface.caseName): PackageResources.\(resource)_varlink", 3)
        }
        text.line("}", 3)
        text.line("return String(decoding: bytes, as: UTF8.self)", 2)
        text.line("}", 1)
        text.line("}")
        return text
    }

    func methods(_ interface: APIModel.Interface) -> SwiftText {
        var text = SwiftText()
        text.comment(["The methods of `\(interface.name)`."])
        text.line("public enum \(interface.shortName)Methods {")
        for method in interface.methods {
            text.comment(method.documentation, 1)
            let frequent = forms.frequent.contains(method.fullName) ? ", isFrequent: true" : ""
            let name = "public static let \(swiftName(method.name)) = Method<\(method.parameters), \(method.reply)>("
            text.list(name, ["named: \"\(method.fullName)\"\(frequent)"], ")", 1)
        }
        text.line("}")
        return text
    }

    func errors(_ interface: APIModel.Interface) -> SwiftText {
        var text = SwiftText()
        text.comment(["The errors of `\(interface.name)`."])
        text.line("public enum \(interface.errorType): Error, Equatable, Sendable {")
        for error in interface.errors {
            text.comment(error.documentation, 1)
            let members = error.members.map { "\($0.name): \(type($0))" }
            let name = swiftName(error.name)
            text.list("case \(name)" + (members.isEmpty ? "" : "("), members, members.isEmpty ? "" : ")", 1)
        }
        text.line()
        text.comment(["The error in the form of a reply."], 1)
        text.line("public var reply: VarlinkError {", 1)
        text.line("switch self {", 2)
        for error in interface.errors {
            let names = error.members.map { "let \($0.name)" }.joined(separator: ", ")
            text.line("case .\(error.name)" + (names.isEmpty ? ":" : "(\(names)):"), 2)
            guard !error.members.isEmpty else {
                text.line("VarlinkError(name: \"\(error.fullName)\")", 3)
                continue
            }
            text.line("VarlinkError(name: \"\(error.fullName)\") { object in", 3)
            for member in error.members { text.line(writing(member, of: "", to: "object"), 4) }
            text.line("}", 3)
        }
        text.line("}", 2)
        text.line("}", 1)
        text.line()
        text.comment(["Creates the error from a reply; nil for any other error."], 1)
        text.line("public init?(_ error: VarlinkError) {", 1)
        let hasMembers = interface.errors.contains { !$0.members.isEmpty }
        if hasMembers { text.line("var members = MemberReader(error.parameters, strict: false)", 2) }
        text.line("switch error.name {", 2)
        for error in interface.errors {
            text.line("case \"\(error.fullName)\":", 2)
            let members = error.members.map { "\($0.name): members.\(reading($0))" }
            text.list("self = .\(error.name)" + (members.isEmpty ? "" : "("), members, members.isEmpty ? "" : ")", 3)
        }
        text.line("default: return nil", 2)
        text.line("}", 2)
        if hasMembers { text.line("if members.failure != nil { return nil }", 2) }
        text.line("}", 1)
        text.line("}")
        return text
    }

    func enumeration(_ enumeration: APIModel.Enumeration) -> SwiftText {
        var text = SwiftText()
        let spellings = forms.values[enumeration.name] ?? [:]
        text.comment(enumeration.documentation.paragraphs)
        let printing = spellings.isEmpty ? "" : ", CustomStringConvertible"
        text.line("public enum \(enumeration.name): String, Sendable, CaseIterable\(printing) {")
        for value in enumeration.values {
            let item = enumeration.documentation.items[value]?.first
            text.comment([item.map(Documentation.sentence) ?? "The value `\(value)`."], 1)
            let name = spellings[value] ?? value
            text.line("case \(swiftName(name))" + (name == value ? "" : " = \"\(value)\""), 1)
        }
        if !enumeration.values.contains("unknown") {
            text.comment(["A value of a later version, whose text is not kept. It is read and never written."], 1)
            text.line("case unknown", 1)
            text.line()
            text.comment(["The values of this version, in the order of the interface."], 1)
            let names = enumeration.values.map { ".\(spellings[$0] ?? $0)" }
            text.list("public static let allCases: [\(enumeration.name)] = [", names, "]", 1)
            text.line()
            text.comment(["Returns the value of this version with a name; nil if there is none."], 1)
            text.line("public init?(rawValue: String) {", 1)
            let search = "Self.allCases.first(where: { $0.rawValue == rawValue })"
            text.line("guard let value = \(search) else { return nil }", 2)
            text.line("self = value", 2)
            text.line("}", 1)
        }
        if !spellings.isEmpty {
            text.line()
            text.comment(["The value on the socket."], 1)
            text.line("public var description: String { rawValue }", 1)
        }
        text.line("}")
        return text
    }

    func structure(_ structure: APIModel.Structure) -> SwiftText {
        var text = SwiftText()
        text.comment(documentation(of: structure))
        let isValue = !structure.documentation.isEmpty || forms.documentation[structure.name] != nil
        let isEquatable = isValue || forms.equatable.contains(structure.name)
        text.line("public struct \(structure.name): Message\(isEquatable ? ", Equatable" : "") {")
        let properties = properties(of: structure)
        for property in properties {
            text.comment(property.documentation, 1)
            text.line("public var \(swiftName(property.name)): \(property.type)", 1)
        }
        text.line()
        text.comment(["Creates the value from its members."], 1)
        let parameters = properties.map { property in
            "\(property.name): \(property.type)\(property.standard.map { " = \($0)" } ?? "")"
        }
        text.list("public init(", parameters, ") {", 1)
        for property in properties { text.line("self.\(property.name) = \(swiftName(property.name))", 2) }
        text.line("}", 1)
        text.line()
        text.comment(["Reads the value from its members."], 1)
        text.line("public init(_ members: inout MemberReader) {", 1)
        if properties.contains(where: { $0.name == forms.flagsMember && $0.type == forms.flagsType }) {
            text.line("\(forms.flagsMember) = []", 2)
        }
        for member in structure.members {
            text.line(
                isFlag(member)
                    ? "\(forms.flagsMember).read(.\(member.name), \"\(member.name)\", from: &members)"
                    : "\(swiftName(member.name)) = members.\(reading(member))", 2)
        }
        text.line("}", 1)
        text.line()
        text.comment(["Writes the members, in the order of the interface."], 1)
        text.line("public func write(to object: inout ObjectWriter) {", 1)
        for member in structure.members { text.line(writing(member, of: structure.name, to: "object"), 2) }
        text.line("}", 1)
        if structure.isParameters { writeRanges(of: structure, to: &text) }
        text.line("}")
        return text
    }

    /// Writes the ranges that the comments of numbers state, and the check of them.
    private func writeRanges(of structure: APIModel.Structure, to text: inout SwiftText) {
        let limits = structure.members.compactMap { member in member.range.map { (name: member.name, range: $0) } }
        guard !limits.isEmpty else { return }
        text.line()
        for (name, range) in limits {
            text.comment(["The allowed values of ``\(name)``."], 1)
            text.line("package static let \(name)Range = \(range)", 1)
        }
        text.line()
        text.comment(["Throws the error for the first number that is not in its range. NaN is in none."], 1)
        text.line("package func checkRanges() throws(ServiceError) {", 1)
        for (name, _) in limits {
            text.line("if let \(name), !Self.\(name)Range.contains(\(name)) {", 2)
            text.line("throw .invalidParameter(parameter: \"\(name)\")", 3)
            text.line("}", 2)
        }
        text.line("}", 1)
    }

    private func documentation(of structure: APIModel.Structure) -> [String] {
        guard structure.documentation.isEmpty else { return structure.documentation }
        if let text = forms.documentation[structure.name] { return [text] }
        let names = structure.users.map { "`\($0.prefix { !"(-".contains($0) })`" }
        let list = names.dropLast().joined(separator: ", ") + (names.count > 1 ? " and " : "") + (names.last ?? "")
        let isReply = structure.users.contains { $0.hasSuffix("->") }
        return [isReply ? "A reply to \(list)." : "The parameters of \(list)."]
    }

    // MARK: Members

    /// A stored property: a member, or all flags.
    private struct Property {
        var name: String
        var type: String
        var standard: String?
        var documentation: [String]
    }

    private func isFlag(_ member: Member) -> Bool {
        member.type == .bool && member.isOptional && forms.flags.contains(member.name)
    }

    private func properties(of structure: APIModel.Structure) -> [Property] {
        var properties: [Property] = []
        for member in structure.members {
            if !isFlag(member) {
                properties.append(
                    Property(
                        name: member.name, type: type(member), standard: member.isOptional ? "nil" : nil,
                        documentation: member.documentation))
            } else if !properties.contains(where: { $0.name == forms.flagsMember }) {
                properties.append(
                    Property(
                        name: forms.flagsMember, type: forms.flagsType, standard: "[]",
                        documentation: ["Why the program may not know the full location; empty if it may."]))
            }
        }
        return properties
    }

    private func type(_ member: Member) -> String { name(member.type) + (member.isOptional ? "?" : "") }

    private func name(_ type: MemberType) -> String {
        switch type {
        case .bool: "Bool"
        case .int: "Int"
        case .float: "Double"
        case .string: "String"
        case .time: Forms.time
        case .object: "[String: JSONValue]"
        case .structure(let name), .enumeration(let name): name
        case .array(let element): "[\(name(element))]"
        }
    }

    private func reading(_ member: Member) -> String {
        let ending = member.isOptional ? "IfPresent" : ""
        let function =
            switch member.type {
            case .bool: "bool"
            case .int: "int"
            case .float: "double"
            case .string: "string"
            case .time: "time"
            case .object: "object"
            case .structure: "message"
            case .enumeration: "name"
            case .array(.string): "strings"
            case .array(.int): "ints"
            case .array(.array): "messageArrays"
            case .array: "messages"
            }
        var unknown = ""
        if case .enumeration = member.type { unknown = ", unknown: .unknown" }
        return "\(function)\(ending)(\"\(member.name)\"\(unknown))"
    }

    private func writing(_ member: Member, of structure: String, to object: String) -> String {
        if isFlag(member) {
            return "\(forms.flagsMember).write(.\(member.name), \"\(member.name)\", to: &\(object))"
        }
        var value = swiftName(member.name)
        if case .enumeration = member.type { value += (member.isOptional ? "?" : "") + ".rawValue" }
        let decimals = forms.decimals["\(structure).\(member.name)"].map { ", decimals: \($0)" } ?? ""
        return "\(object).append(\(value), forKey: \"\(member.name)\"\(decimals))"
    }
}
