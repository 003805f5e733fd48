/// What a connection has of its address's limits, and what it still has to pay there.
struct AddressUse {
    /// The address's account; `nil` if the address is trusted.
    var account: AddressAccount?
    /// How many rooms the account counts for this connection.
    var roomsTaken = 0
    /// Messages that the address is still to be charged for.
    var messagesRead = 0
    /// Bytes beyond their own that deflated frames came to, and that it is still to be charged for.
    var inflatedRead = 0
    /// Whether the address has sent so much that reading waits.
    var isOverRate = false
    /// The bytes so far of the header that a proxy sends first; `nil` if none is awaited.
    var proxyHeader: [UInt8]?
}
