import Chronology
import Glibc
import SimulatedMachine

/// A USB device with a serial port, as the machine's device manager lists it.
struct USBPort {
    /// The place among the devices of the machine: each port has three.
    let index: Int32
    let vendor: String
    let product: String
    let serial: String
    let driver: String

    fileprivate var usb: Int32 { index * 3 }
    fileprivate var interface: Int32 { index * 3 + 1 }
    fileprivate var terminal: Int32 { index * 3 + 2 }
}

// Devices that come and go, users that log in, and clocks.
extension Machine {
    private var core: UnsafeMutablePointer<machine> { pointer }

    /// Adds a serial line with a driver. Returns its number.
    func addLine(_ path: String, driver: String, major: UInt32, minor: UInt32) throws(RunFailure) -> Int32 {
        let line = machine_add_terminal(core, root, path, driver, major, minor)
        guard line >= 0 else { throw RunFailure("the machine has no room for \(path)") }
        return line
    }

    /// Whether a device has this path.
    func hasLine(at path: String) -> Bool {
        (0..<Int32(MACHINE_TERMINALS)).contains { index in
            machine_terminal_at(core, index)?.pointee.is_present == 1
                && machine_terminal_path(core, index).map { String(cString: $0) } == path
        }
    }

    /// Lists a port in the device tree, with the numbers of its line.
    func list(_ port: USBPort, as name: String, line number: Int32) {
        let bus = "/sys/devices/usb1/1-\(port.index + 1)"
        let line = machine_terminal_at(core, number)
        let usb = machine_device_at(core, port.usb)
        machine_set_device(usb, bus, "1-\(port.index + 1)", "usb", "usb_device", "", "usb")
        for (key, value) in [("idVendor", port.vendor), ("idProduct", port.product), ("serial", port.serial)] {
            _ = machine_add_attribute(usb, key, value)
        }
        let interface = machine_device_at(core, port.interface)
        machine_set_device(interface, "\(bus)/1.0", "1.0", "usb", "usb_interface", "", port.driver)
        interface?.pointee.parent = port.usb
        _ = machine_add_attribute(interface, "bInterfaceNumber", "00")
        let terminal = machine_device_at(core, port.terminal)
        machine_set_device(terminal, "\(bus)/1.0/\(name)", name, "tty", "", "/dev/\(name)", "")
        terminal?.pointee.parent = port.interface
        terminal?.pointee.major = line?.pointee.major ?? 0
        terminal?.pointee.minor = line?.pointee.minor ?? 0
    }

    /// Removes a port from the device tree.
    func unlist(_ port: USBPort) {
        for index in [port.usb, port.interface, port.terminal] {
            machine_device_at(core, index)?.pointee.is_present = 0
        }
    }

    /// Tells the monitors of devices that a port was added or removed.
    func announce(_ port: USBPort, _ action: String) { machine_announce(core, port.terminal, action) }

    /// Whether udev runs.
    var hasUdev: Bool {
        get { core.pointee.has_udev != 0 }
        set { core.pointee.has_udev = newValue ? 1 : 0 }
    }

    /// Whether the kernel calls the clock synchronized.
    var isClockSynchronized: Bool {
        get { core.pointee.is_synchronized != 0 }
        set { core.pointee.is_synchronized = newValue ? 1 : 0 }
    }

    /// Lets another program hold the lock of a line, or nobody.
    func lock(line number: Int32, byOther isLocked: Bool) {
        guard let line = machine_terminal_at(core, number) else { return }
        if isLocked {
            line.pointee.lock_owner = -2
        } else if line.pointee.lock_owner == -2 {
            line.pointee.lock_owner = -1
        }
    }

    /// How many descriptors of the daemon have a line open.
    func openCount(ofLine number: Int32) -> Int { Int(machine_terminal_at(core, number)?.pointee.open_count ?? 0) }

    /// Whether the kernel reports descriptors that are ready together in any order.
    func setOrderRandom(_ isRandom: Bool) { core.pointee.is_order_random = isRandom ? 1 : 0 }

    // MARK: Users

    /// Whether logind runs.
    func setLogind(_ isRunning: Bool) {
        core.pointee.has_logind = isRunning ? 1 : 0
        core.pointee.login_changes += 1
    }

    /// Gives a user a session that is active or not, or none.
    func setSession(of user: UInt32, at index: Int32, isActive: Bool?) {
        guard let entry = machine_user_at(core, index) else { return }
        entry.pointee.is_present = 1
        entry.pointee.user = user
        entry.pointee.group = user
        let state = isActive.map { $0 ? MACHINE_USER_ACTIVE : MACHINE_USER_ONLINE } ?? MACHINE_USER_OFFLINE
        entry.pointee.state = Int32(state.rawValue)
        core.pointee.login_changes += 1
    }
}
