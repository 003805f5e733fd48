import Foundation

/// Servers that can be installed by name, each with its work.
enum RivalServer: String, CaseIterable {
    case redis = "Redis stream"
    case nats = "NATS JetStream"
    case yWebsocket = "y-websocket"
    case pycrdtWebsocket = "pycrdt-websocket"

    /// The package to install.
    var package: String {
        switch self {
        case .redis: "Debian redis-server"
        case .nats: "Debian nats-server"
        case .yWebsocket: "Debian node-y-websocket, node-ws"
        case .pycrdtWebsocket: "PyPI pycrdt-websocket, websockets"
        }
    }

    /// What is measured, for people.
    var work: String {
        switch self {
        case .redis: "XADD synced (appendfsync always); every member reads the stream by XREAD"
        case .nats: "published to a file stream, not synced; a consumer for every member"
        case .yWebsocket: "a Yjs array that grows, relayed to every member; in memory"
        case .pycrdtWebsocket: "the same, by pycrdt in Python; in memory"
        }
    }

    var isThere: Bool {
        let question: [String] =
            switch self {
            case .redis: ["redis-server", "--version"]
            case .nats: ["nats-server", "--version"]
            case .yWebsocket: ["node", "-e", "require('\(RivalServer.yWebsocketFolder)/utils.js')"]
            case .pycrdtWebsocket: ["python3", "-c", "import pycrdt.websocket, websockets"]
            }
        return (try? TraceBenchmark.run("env", ["NODE_PATH=/usr/share/nodejs"] + question)) != nil
    }

    private static let yWebsocketFolder = "/usr/share/nodejs/y-websocket/bin"

    /// Starts it on a free port.
    func start(folder: String, on cores: Cores) throws -> MeasuredProcess {
        let port = try MeasuredProcess.freePort()
        let command: [String] =
            switch self {
            case .redis:
                [
                    "redis-server", "--bind", "127.0.0.1", "--port", "\(port)", "--dir", folder,
                    "--save", "", "--appendonly", "yes", "--appendfsync", "always",
                ]
            case .nats: ["nats-server", "-a", "127.0.0.1", "-p", "\(port)", "-js", "-sd", folder]
            case .yWebsocket:
                [
                    "HOST=127.0.0.1", "PORT=\(port)", "NODE_PATH=/usr/share/nodejs", "node",
                    "\(RivalServer.yWebsocketFolder)/server.js",
                ]
            case .pycrdtWebsocket: ["python3", "-c", RivalServer.pycrdtProgram, "\(port)"]
            }
        return try MeasuredProcess(command, onPort: port, cores)
    }

    private static let pycrdtProgram = """
        import asyncio, sys
        from websockets.asyncio.server import serve
        from pycrdt.websocket import WebsocketServer
        class Channel:
            def __init__(self, socket):
                self.socket = socket
                self.path = socket.request.path
            def __aiter__(self):
                return self
            async def __anext__(self):
                try:
                    return await self.recv()
                except Exception:
                    raise StopAsyncIteration()
            async def send(self, message):
                await self.socket.send(message)
            async def recv(self):
                return bytes(await self.socket.recv())
        async def main():
            async with WebsocketServer() as server:
                async def handle(socket):
                    await server.serve(Channel(socket))
                async with serve(handle, '127.0.0.1', int(sys.argv[1]), compression=None):
                    await asyncio.Future()
        asyncio.run(main())
        """
}
