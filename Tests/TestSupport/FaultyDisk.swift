import CDiskFaults
import Glibc
import Synchronization

/// A directory whose files fail on request, and which can lose its power.
///
/// A file has durable bytes and pending writes. A sync makes the writes durable; a failed one
/// reports this once and forgets them, as Linux does (https://lwn.net/Articles/752063/). The name
/// of a file is durable once its directory was synced after it got the name. No sync of these files
/// waits for the real disk.
package final class FaultyDisk: Sendable {
    /// What can fail.
    package enum Operation: String, CaseIterable, Sendable {
        case read, write, sync
    }

    private static let disks = Mutex<[String: State]>([:])
    private let directory: String

    /// Watches the files of a directory until the object is released.
    package init(_ directory: String) {
        self.directory = directory
        FaultyDisk.disks.withLock { $0[directory] = State() }
        disk_set_hook { call in call.map { FaultyDisk.answer($0.pointee) } ?? 0 }
    }

    deinit { FaultyDisk.disks.withLock { $0[directory] = nil } }

    /// Lets operations of one kind fail from the one with this number on, counted from now and from
    /// 0. With the error -1, reads succeed and deliver garbage.
    package func fail(_ operation: Operation, at first: Int, count: Int = 1, error: Int32 = EIO) {
        change { $0.fault = Fault(operation: operation, numbers: first..<first.addingClamped(count), error: error) }
    }

    /// Lets no operation fail any more. Returns whether any has failed.
    @discardableResult
    package func heal() -> Bool {
        change { state in
            defer { state.fault = nil }
            return state.fault?.hasOccurred ?? false
        }
    }

    /// Copies what is on disk after a power cut to another directory. `keeps` decides for each
    /// pending write whether it reached the disk.
    package func cutPower(copyingTo other: String, keeps: () -> Bool) {
        let files = change { $0.files }
        for (name, id) in files.names {
            var bytes = files.durable[id, default: []]
            for write in files.pending[id, default: []] where keeps() { write.apply(to: &bytes) }
            guard let file = fopen("\(other)/\(name)", "w") else { continue }
            defer { fclose(file) }
            fwrite(bytes, 1, bytes.count, file)
        }
    }

    private func change<R: Sendable>(_ body: (inout State) -> R) -> R {
        FaultyDisk.disks.withLock { body(&$0[directory, default: State()]) }
    }

    /// Answers for a call: 0 if it happens, an error number, or -1 if it is done already.
    private static func answer(_ call: disk_call) -> Int32 {
        disks.withLock { disks in
            guard !disks.isEmpty, let path = path(of: call) else { return 0 }
            for directory in disks.keys where path == directory || path.hasPrefix(directory + "/") {
                return disks[directory]?.answer(call, path: path, in: directory) ?? 0
            }
            return 0
        }
    }

    private static func path(of call: disk_call) -> String? {
        if let name = call.name { return String(cString: name) }
        var buffer = [UInt8](repeating: 0, count: 512)
        let count = readlink("/proc/self/fd/\(call.descriptor)", &buffer, buffer.count)
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }
}

private struct Fault {
    var operation: FaultyDisk.Operation
    var numbers: Range<Int>
    var error: Int32
    var count = 0
    var hasOccurred = false

    mutating func error(of current: FaultyDisk.Operation) -> Int32 {
        guard current == operation else { return 0 }
        defer { count += 1 }
        guard numbers.contains(count) else { return 0 }
        hasOccurred = true
        return error
    }
}

private struct State {
    var fault: Fault?
    var files = Files()

    mutating func answer(_ call: disk_call, path: String, in directory: String) -> Int32 {
        switch call.operation {
        case DISK_READ: return fault?.error(of: .read) ?? 0
        case DISK_WRITE:
            let error = fault?.error(of: .write) ?? 0
            if error == 0 { files.write(call) }
            return error
        case DISK_SYNC:
            let error = fault?.error(of: .sync) ?? 0
            if path == directory {
                if error == 0 { files.keepNames(in: directory) }
            } else {
                files.sync(call.descriptor, hasFailed: error != 0)
            }
            return error == 0 ? -1 : error
        case DISK_TRUNCATE: files.truncate(call)
        case DISK_UNLINK: files.unlink(path)
        default: break
        }
        return 0
    }
}

/// What of the files is on disk.
private struct Files {
    struct ID: Hashable {
        var inode: ino_t
        /// How often a file with this inode was deleted before.
        var generation: Int
    }

    enum Change {
        case write([UInt8], at: Int)
        case truncate(Int)

        func apply(to bytes: inout [UInt8]) {
            switch self {
            case .truncate(let length): Change.resize(&bytes, to: length)
            case .write(let new, let offset):
                if bytes.count < offset + new.count { Change.resize(&bytes, to: offset + new.count) }
                bytes.replaceSubrange(offset..<offset + new.count, with: new)
            }
        }

        private static func resize(_ bytes: inout [UInt8], to length: Int) {
            if length < bytes.count { bytes.removeLast(bytes.count - length) }
            bytes += [UInt8](repeating: 0, count: length - bytes.count)
        }
    }

    var durable: [ID: [UInt8]] = [:]
    var pending: [ID: [Change]] = [:]
    var names: [String: ID] = [:]
    private var deletions: [ino_t: Int] = [:]

    private func id(_ inode: ino_t) -> ID { ID(inode: inode, generation: deletions[inode, default: 0]) }

    private func id(of descriptor: Int32) -> ID {
        var status = stat()
        fstat(descriptor, &status)
        return id(status.st_ino)
    }

    mutating func write(_ call: disk_call) {
        let bytes = Array(UnsafeRawBufferPointer(start: call.bytes, count: call.count))
        pending[id(of: call.descriptor), default: []].append(.write(bytes, at: Int(call.offset)))
    }

    mutating func truncate(_ call: disk_call) {
        pending[id(of: call.descriptor), default: []].append(.truncate(Int(call.offset)))
    }

    mutating func sync(_ descriptor: Int32, hasFailed: Bool) {
        let id = id(of: descriptor)
        let changes = pending.removeValue(forKey: id) ?? []
        if !hasFailed { for change in changes { change.apply(to: &durable[id, default: []]) } }
    }

    mutating func keepNames(in directory: String) {
        names = [:]
        for name in Scratch.names(in: directory) {
            var status = stat()
            if stat("\(directory)/\(name)", &status) == 0 { names[name] = id(status.st_ino) }
        }
    }

    mutating func unlink(_ path: String) {
        var status = stat()
        if stat(path, &status) == 0 { deletions[status.st_ino, default: 0] += 1 }
    }
}

extension Int {
    fileprivate func addingClamped(_ other: Int) -> Int {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? .max : sum
    }
}
