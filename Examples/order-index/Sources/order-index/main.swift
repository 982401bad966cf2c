// Indexes orders and finds them again:
//
//     order-index add FILE     lines such as: 17,Latte for Ana,51.84,5.85
//     order-index find WORDS
//
// The state of the index is the number of lines that are indexed: after a crash, or with more lines
// in the file, the program continues there. On iOS the same source builds with Apple's module.
import CoreSpotlight
import Foundation

let orders = CSSearchableIndex(name: "orders")

/// The item of a line; nil if the line is incomplete.
func item(_ line: Substring) -> CSSearchableItem? {
    let fields = line.split(separator: ",").map(String.init)
    guard fields.count == 4, let latitude = Double(fields[2]), let longitude = Double(fields[3]) else { return nil }
    let attributes = CSSearchableItemAttributeSet(contentType: .item)
    attributes.title = fields[1]
    attributes.keywords = ["coffee", "order"]
    attributes.latitude = NSNumber(value: latitude)
    attributes.longitude = NSNumber(value: longitude)
    let item = CSSearchableItem(uniqueIdentifier: fields[0], domainIdentifier: "orders", attributeSet: attributes)
    item.expirationDate = Date(timeIntervalSinceNow: 365 * 86_400)
    return item
}

func add(_ path: String) async throws {
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    let state = try await orders.fetchLastClientState()
    let first = Int(String(decoding: state, as: UTF8.self)) ?? 0
    for start in stride(from: first, to: lines.count, by: 100) {
        let end = min(start + 100, lines.count)
        orders.beginBatch()
        try await orders.indexSearchableItems(lines[start..<end].compactMap(item))
        try await orders.endBatch(withClientState: Data("\(end)".utf8))
    }
    print("indexed the lines from \(first) to \(max(first, lines.count))")
}

func find(_ words: String) async throws {
    let query = CSUserQuery(userQueryString: words, userQueryContext: nil)
    for try await response in query.responses {
        if case .item(let found) = response {
            print(found.item.uniqueIdentifier, found.item.attributeSet.title ?? "")
        }
    }
}

do {
    switch CommandLine.arguments.dropFirst().first {
    case "add" where CommandLine.arguments.count == 3: try await add(CommandLine.arguments[2])
    case "find": try await find(CommandLine.arguments.dropFirst(2).joined(separator: " "))
    default:
        print("usage: order-index add FILE | order-index find WORDS")
        exit(64)
    }
} catch {
    FileHandle.standardError.write(Data("order-index: \(error.localizedDescription)\n".utf8))
    exit(69)
}
