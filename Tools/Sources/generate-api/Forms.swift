import Varlink

/// What `forms.json` adds to the interface files: Swift names, and the forms of values that Varlink
/// cannot express.
struct Forms {
    /// An enumeration that an interface declares inside a struct, or as a string.
    struct Enumeration {
        var interface: String
        var documentation: String
        var values: [String]
    }

    /// The first interfaces of the daemon, in the order of `GetInfo`. Others follow by their names.
    var interfaces: [String]
    var otherServices: [String]
    /// The parameters and replies that programs compare. Others are not `Equatable`, which keeps
    /// programs small.
    var equatable: [String]
    /// The modules of interfaces whose messages are not in `SextantAPI`, which they import.
    var modules: [String: String]
    /// Swift names of types (`io.sextant.Agent.Request`), of parameters (`...Answer()`), of replies
    /// (`...Serve->`) and of an interface's errors (`io.sextant.Places`).
    var names: [String: String]
    /// Swift names of methods.
    var methods: [String: String]
    /// The methods whose streams are sent and read without a parsed form.
    var frequent: [String]
    /// The type of members that are times. Times in parameters stay texts: their service refuses
    /// invalid ones with errors of its own.
    static let time = "UTCTime"
    /// The types of members that the interface declares as a string or in place.
    var types: [String: String]
    /// Swift names of values, by the Swift name of the enumeration.
    var values: [String: [String: String]]
    var enumerations: [String: Enumeration]
    /// What the replies are that clients use as values, by Swift name.
    var documentation: [String: String]
    /// The Boolean members that are flags of one set, with its type and the name of the member.
    var flags: [String]
    var flagsType: String
    var flagsMember: String
    /// The number of decimals, by `Type.member`.
    var decimals: [String: String]

    init(parsing text: [UInt8]) throws {
        let json = try JSONValue(parsing: text)
        interfaces = Forms.texts(json["interfaces"])
        otherServices = Forms.texts(json["otherServices"])
        equatable = Forms.texts(json["equatable"])
        modules = Forms.names(json["modules"])
        names = Forms.names(json["names"])
        methods = Forms.names(json["methods"])
        frequent = Forms.texts(json["frequent"])
        types = Forms.names(json["types"])
        values = (json["values"]?.object ?? [:]).mapValues { Forms.names($0) }
        enumerations = (json["enumerations"]?.object ?? [:]).mapValues {
            Enumeration(
                interface: $0["interface"]?.string ?? "", documentation: $0["documentation"]?.string ?? "",
                values: Forms.texts($0["values"]))
        }
        documentation = Forms.names(json["documentation"])
        flags = Forms.texts(json["flags"]?["names"])
        flagsType = json["flags"]?["type"]?.string ?? ""
        flagsMember = json["flags"]?["member"]?.string ?? ""
        decimals = [:]
        for (count, members) in json["decimals"]?.object ?? [:] {
            for member in Forms.texts(members) { decimals[member] = count }
        }
    }

    private static func texts(_ value: JSONValue?) -> [String] { (value?.array ?? []).compactMap(\.string) }

    private static func names(_ value: JSONValue?) -> [String: String] {
        (value?.object ?? [:]).compactMapValues(\.string)
    }
}
