/// What the owner of ``GPSDServer`` must do.
package enum ServerEffect: Equatable {
    /// Send these bytes to these clients as one piece, or drop them for a client that does not
    /// read.
    case send([ClientID], [UInt8])
    /// The client has a request: call ``GPSDServer/answerRequest(of:at:)`` when it is its turn.
    case answer(ClientID)
    /// Request the newest location of the receiver at this port, or of the device, and give it to
    /// ``GPSDServer/receive(newest:ofDevice:at:)``.
    case requestLocation(device: String?)
    /// Close a connection.
    case close(ClientID)
    /// Store the connection of a client that watches, for a later process; nil to store it no
    /// longer.
    case store(ClientID, StoredClient?)
}
