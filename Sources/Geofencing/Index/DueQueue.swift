/// Slots in the order in which they are due, soonest first: a binary heap of 16 bytes for each.
///
/// Nothing is taken out but by falling due. What was put in for a moment that does not hold any more is void; whoever takes it out knows.
struct DueQueue<Key: Comparable & Sendable>: Sendable {
    struct Entry: Sendable {
        var key: Key
        var slot: Int32
    }

    private var heap: [Entry] = []

    var isEmpty: Bool { heap.isEmpty }
    var count: Int { heap.count }
    /// What is due first, void or not.
    var first: Entry? { heap.first }

    mutating func push(_ key: Key, _ slot: Int32) {
        let entry = Entry(key: key, slot: slot)
        heap.append(entry)
        var at = heap.count - 1
        while at > 0, key < heap[(at - 1) / 2].key {
            heap[at] = heap[(at - 1) / 2]
            at = (at - 1) / 2
        }
        heap[at] = entry
    }

    /// Takes the first out.
    mutating func pop() -> Entry? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        if !heap.isEmpty { sink(last) }
        return first
    }

    /// Lets go of what is void.
    mutating func keep(where isValid: (Entry) -> Bool) {
        let kept = heap.filter(isValid)
        heap.removeAll(keepingCapacity: kept.count > heap.count / 4)
        for entry in kept { push(entry.key, entry.slot) }
    }

    /// Finds the place of what is to lie below the hole at the top.
    private mutating func sink(_ entry: Entry) {
        var at = 0
        while true {
            var child = 2 * at + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1].key < heap[child].key { child += 1 }
            guard heap[child].key < entry.key else { break }
            heap[at] = heap[child]
            at = child
        }
        heap[at] = entry
    }
}
