import SyncIO
import SyncSim
import TLSSupport

@testable import SyncTLS

/// TLS between the machines of a run. Everybody has a certificate with the name of the machine.
///
/// With certificates of clients there are no tickets, whose lengths would differ from run to run.
final class SimulatedSecurity {
    private let authority: TestAuthority
    private let streams = SecuredStreams()
    let server: any ServerSecurity

    init() throws {
        authority = try TestAuthority()
        server = KeptServer(
            server: try authority.makeServer(asksForCertificates: true), streams: streams)
    }

    func makeClient(named name: String) throws -> any ClientSecurity {
        KeptClient(client: try authority.makeClient(named: name), streams: streams)
    }

    /// Lets one end of a connection change the keys in the middle of everything.
    ///
    /// - Returns: whether a connection was open.
    func updateKeys(of pick: UInt64) -> Bool {
        let open = streams.all.filter { stream in
            (stream.below as? SimulatedStream)?.connection.isOpen == true && stream.phase == .open
        }
        guard !open.isEmpty else { return false }
        return open[Int(pick % UInt64(open.count))].updateKeys()
    }

    /// Why TLS has ended connections that were open. In this network nobody changes bytes, so it
    /// never may.
    var failures: [IOError] {
        streams.all.compactMap { stream in
            guard case .connectionLost = stream.closeReason else { return nil }
            return stream.closeReason
        }
    }
}

/// All secured streams of a run, of clients and servers, in the order of their beginning.
private final class SecuredStreams: @unchecked Sendable {
    // Sendable, as a simulation has one thread.
    private(set) var all: [TLSStream] = []

    func add(_ stream: any ByteStream) {
        if let stream = stream as? TLSStream { all.append(stream) }
    }
}

private struct KeptServer: ServerSecurity {
    let server: TLSServer
    let streams: SecuredStreams

    func secure(_ stream: any ByteStream, on loop: any EventLoop) -> any SecuredStream {
        let secured = server.secure(stream, on: loop)
        streams.add(secured)
        return secured
    }

    var handshakeMicroseconds: Int { server.handshakeMicroseconds }
}

private struct KeptClient: ClientSecurity {
    let client: TLSClient
    let streams: SecuredStreams

    func connect(
        to address: SocketAddress, on loop: any EventLoop,
        completion: @escaping (Result<any ByteStream, IOError>) -> Void
    ) {
        client.connect(to: address, on: loop) { result in
            if case .success(let stream) = result { streams.add(stream) }
            completion(result)
        }
    }
}
