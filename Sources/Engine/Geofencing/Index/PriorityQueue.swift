/// A priority queue of slots, smallest key first: a binary heap with 16 bytes per entry.
///
/// Entries cannot be removed individually. If a key no longer applies, its entry is stale; the
/// caller that pops it must detect that.
struct PriorityQueue<Key: Comparable & Sendable>: Sendable {
    struct Entry: Sendable {
        var key: Key
        var slot: Int32
    }

    private var heap: [Entry] = []

    var isEmpty: Bool { heap.isEmpty }
    var count: Int { heap.count }
    /// The entry with the smallest key, valid or stale.
    var first: Entry? { heap.first }

    mutating func push(_ slot: Int32, key: Key) {
        let entry = Entry(key: key, slot: slot)
        heap.append(entry)
        var index = heap.count - 1
        while index > 0, key < heap[(index - 1) / 2].key {
            heap[index] = heap[(index - 1) / 2]
            index = (index - 1) / 2
        }
        heap[index] = entry
    }

    /// Removes and returns the first entry.
    mutating func pop() -> Entry? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        if !heap.isEmpty { sink(last) }
        return first
    }

    /// Drops the stale entries.
    mutating func filter(where isValid: (Entry) -> Bool) {
        let kept = heap.filter(isValid)
        heap.removeAll(keepingCapacity: kept.count > heap.count / 4)
        for entry in kept { push(entry.slot, key: entry.key) }
    }

    /// Moves an entry down from the root to its position.
    private mutating func sink(_ entry: Entry) {
        var index = 0
        while true {
            var child = 2 * index + 1
            guard child < heap.count else { break }
            if child + 1 < heap.count, heap[child + 1].key < heap[child].key { child += 1 }
            guard heap[child].key < entry.key else { break }
            heap[index] = heap[child]
            index = child
        }
        heap[index] = entry
    }
}
