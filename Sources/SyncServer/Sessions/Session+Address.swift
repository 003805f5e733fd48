import SyncIO
import SyncRoom
import SyncWire

// What a connection's address has and does, and how a proxy says whose it is.
extension Session {
    /// Counts what has come, and the messages read since. While its address is over a rate nothing more is
    /// read.
    ///
    /// - Parameter bytes: what came and was not counted yet.
    func charge(bytes: Int) {
        guard let account = address.account else { return }
        let (messages, inflated) = (address.messagesRead, address.inflatedRead)
        (address.messagesRead, address.inflatedRead) = (0, 0)
        let wait = account.charge(
            bytes: bytes + inflated, messages: messages, at: loop.loop.nowMilliseconds)
        // What ended the connection counts, too; there is nothing more to read.
        guard wait > 0, !address.isOverRate, phase == .greeting || phase == .open else { return }
        address.isOverRate = true
        pauseReading(true)
        loop.schedule(afterMilliseconds: wait) { [weak self] in self?.rateAllows() }
    }

    private func rateAllows() {
        address.isOverRate = false
        switch phase {
        case .greeting: resumeReading()
        case .open: loop.flush(self)
        case .leaving, .closed: break
        }
    }

    // MARK: Proxies

    /// Takes what comes before the first frame.
    func receiveProxyHeader(_ bytes: UnsafeRawBufferPointer) {
        guard var header = address.proxyHeader else { return }
        let before = header.count
        header.append(contentsOf: bytes.prefix(ProxyHeader.maximumBytes - before))
        switch header.withUnsafeBytes({ ProxyHeader($0) }) {
        case .incomplete: address.proxyHeader = header
        case .malformed(let text): fail(.badHandshake, text)
        case .whole(let source, let count):
            address.proxyHeader = nil
            if let source, !isIntroduced(by: source) { return }
            receive(UnsafeRawBufferPointer(rebasing: bytes[(count - before)...]))
        }
    }

    /// Goes by the address that a proxy tells; `false` if that has too many connections.
    private func isIntroduced(by source: ProxyHeader.Source) -> Bool {
        loop.context.log.log(
            .debug, "a proxy names a client", ["peer": source.text, "proxy": peer])
        peer = source.text
        let account = loop.account(of: source.address)
        guard address.become(account) else {
            fail(.tooManyConnections, loop.tooManyOfOneAddress)
            return false
        }
        holder = Holder(
            in: loop.context.pots, within: account?.holder, limits: configuration.holderLimits)
        charge.move(to: holder.connection)
        return true
    }
}
