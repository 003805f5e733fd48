import SyncModel
import SyncWire

extension Collsync_V1_Frame {
    init(_ message: ClientMessage) {
        switch message {
        case .hello(let message):
            hello.magic = "collsync"
            hello.minVersion = message.minimumVersion
            hello.maxVersion = message.maximumVersion
            hello.features = message.features.rawValue
            hello.token = message.token.shown
            hello.agent = message.agent
        case .revoke(let message): revoke = Collsync_V1_Revoke(message)
        case .renew(let message):
            renew.request = message.request
            renew.token = message.token.shown
        case .join(let message):
            join.request = message.request
            join.room = message.room.text
            join.client = message.client.text
            join.secret.append(contentsOf: message.secret)
            if let from = message.from { join.from = from }
            join.everyRevision = message.everyRevision
            join.viewOnly = message.viewOnly
            join.presence = message.presence
            if let origin = message.origin { join.origin = Collsync_V1_Origin(origin) }
            join.counter = message.counter
            if let counter = message.answeredThrough { join.answeredThrough = counter }
            join.authors = message.authors
        case .leave(let message):
            leave = Collsync_V1_Leave()
            leave.request = message.request
            leave.room = message.room
        case .submit(let message):
            submit.room = message.room
            submit.counter = message.counter
            submit.transaction = Collsync_V1_Transaction(unpacked(message.transaction))
            if let origin = message.origin { submit.origin = Collsync_V1_Origin(origin) }
        case .heartbeat(let message): heartbeat = Collsync_V1_Heartbeat(message)
        case .listRooms(let message):
            listRooms = Collsync_V1_ListRooms()
            listRooms.request = message.request
        case .readStats(let message): readStats = Collsync_V1_RoomRequest(message)
        case .deleteRoom(let message): deleteRoom = Collsync_V1_RoomRequest(message)
        case .readSnapshot(let message):
            readSnapshot.request = message.request
            readSnapshot.room = message.room.text
            if let revision = message.revision { readSnapshot.revision = revision }
            if let origin = message.origin { readSnapshot.origin = Collsync_V1_Origin(origin) }
        case .readHistory(let message):
            readHistory.request = message.request
            readHistory.room = message.room.text
            readHistory.from = message.from
            if let until = message.until { readHistory.until = until }
            readHistory.everyRevision = message.everyRevision
            if let origin = message.origin { readHistory.origin = Collsync_V1_Origin(origin) }
        case .readItems(let message): readItems = Collsync_V1_ReadItems(message)
        case .view(let message): view = Collsync_V1_ViewRequest(message)
        case .presence(let message): presence = Collsync_V1_Presence(message)
        case .drag(let message): drag = Collsync_V1_Drag(message)
        }
    }

    init(_ message: ServerMessage) {
        switch message {
        case .welcome(let message): welcome = Collsync_V1_Welcome(message)
        case .renewed(let message):
            renewed.request = message.request
            renewed.tokenMilliseconds = message.tokenMilliseconds
        case .joined(let message): joined = Collsync_V1_Joined(message)
        case .snapshot(let message): snapshot = Collsync_V1_SnapshotPart(message)
        case .ack(let message):
            ack = Collsync_V1_Ack(message)
        case .reject(let message):
            reject = Collsync_V1_Reject(message)
        case .batch(let message): batch = Collsync_V1_BatchMessage(message)
        case .authors(let message): authors = Collsync_V1_BatchAuthors(message)
        case .heartbeat(let message): heartbeat = Collsync_V1_Heartbeat(message)
        case .roomList(let message): roomList = Collsync_V1_RoomList(message)
        case .stats(let message): stats = Collsync_V1_Stats(message)
        case .items(let message): items = Collsync_V1_Items(message)
        case .done(let message):
            done = Collsync_V1_Done()
            done.request = message.request
        case .error(let message): error = Collsync_V1_ErrorMessage(message)
        case .viewUpdate(let message):
            viewUpdate = Collsync_V1_ViewUpdate(message)
            viewHead = Collsync_V1_ViewHead()
            viewHead.room = message.room
            viewHead.view = message.view
            viewHead.number = message.number
            viewHead.serial = message.serial
        case .presenceUpdate(let message):
            presenceUpdate = Collsync_V1_PresenceUpdate(message)
        case .dragTarget(let message): dragTarget = Collsync_V1_DragTarget(message)
        case .nearLimit(let message):
            nearLimit.room = message.room
            let what = Collsync_V1_Quota(rawValue: Int(message.use.quota.rawValue))
            nearLimit.what = what ?? .unknown
            nearLimit.used = message.use.used
            nearLimit.limit = message.use.limit
        }
    }
}

extension Collsync_V1_RoomRequest {
    init(_ message: RoomRequest) {
        request = message.request
        room = message.room.text
    }
}

extension Collsync_V1_Heartbeat {
    init(_ message: Heartbeat) {
        rooms = message.rooms.map { held in
            var form = Collsync_V1_Held()
            form.room = held.room
            form.revision = held.revision
            if let origin = held.origin { form.origin = Collsync_V1_Origin(origin) }
            return form
        }
    }
}

extension Collsync_V1_Welcome {
    init(_ message: Welcome) {
        version = message.version
        features = message.features.rawValue
        agent = message.agent
        heartbeatMilliseconds = message.heartbeatMilliseconds
        limits.frameBytes = UInt32(message.limits.frameBytes)
        limits.transactionBytes = UInt32(message.limits.transactionBytes)
        limits.transactionOperations = UInt32(message.limits.transactionOperations)
        limits.contentBytes = UInt32(message.limits.contentBytes)
        limits.contentFields = UInt32(message.limits.contentFields)
        limits.unansweredTransactions = UInt32(message.limits.unansweredTransactions)
        limits.views = UInt32(message.limits.views)
        limits.viewElements = UInt32(message.limits.viewElements)
        limits.transactionSteps = UInt32(message.limits.transactionSteps)
        user = message.user
        tokenMilliseconds = message.tokenMilliseconds
    }
}

extension Collsync_V1_Joined {
    init(_ message: Joined) {
        request = message.request
        handle = message.handle
        room = message.room.text
        client = message.client.text
        user = message.user
        switch message.role {
        case .viewer: role = .viewer
        case .editor: role = .editor
        case .admin: role = .admin
        }
        revision = message.revision
        resumed = message.resumed
        identity = Collsync_V1_Identity(message.identity)
        changed = message.changed
        counter = message.counter
        acks = message.acks.map(Collsync_V1_Ack.init)
        rejects = message.rejects.map(Collsync_V1_Reject.init)
        answeredThrough = message.answeredThrough
    }
}

extension Collsync_V1_BatchAuthors {
    init(_ message: BatchAuthors) {
        room = message.room
        authors = message.authors.map { author in
            var form = Collsync_V1_Author()
            form.client = author.client.text
            form.user = author.user
            return form
        }
        transactions = message.transactions.map { transaction in
            var form = Collsync_V1_AuthoredTransaction()
            form.revision = transaction.revision
            form.counter = transaction.counter
            form.author = UInt32(transaction.author)
            return form
        }
    }
}

extension Collsync_V1_Ack {
    init(_ message: Ack) {
        room = message.room
        counter = message.counter
        revision = message.commit.revision
        superseded = message.commit.superseded.map(Collsync_V1_Superseded.init)
    }
}

extension Collsync_V1_Reject {
    init(_ message: Reject) {
        room = message.room
        counter = message.counter
        rejection = Collsync_V1_Rejection(message.rejection)
    }
}

extension Collsync_V1_RoomList {
    init(_ message: RoomList) {
        request = message.request
        rooms = message.rooms.map { entry in
            var form = Collsync_V1_RoomEntry()
            form.name = entry.name.text
            form.revision = entry.revision
            form.members = entry.members
            return form
        }
        more = message.hasMore
    }
}

extension Collsync_V1_Stats {
    init(_ message: Stats) {
        request = message.request
        room = message.room.text
        revision = message.revision
        horizon = message.horizon
        oldestRevision = message.oldestRevision
        snapshotRevision = message.snapshotRevision
        identity = Collsync_V1_Identity(message.identity)
        figures = message.figures.all.map(Collsync_V1_Figure.init)
        server = message.server.all.map(Collsync_V1_Figure.init)
        account = message.account.all.map(Collsync_V1_Figure.init)
    }
}

extension Collsync_V1_Figure {
    init(_ figure: Figure) {
        name = figure.name
        value = figure.value
    }
}

extension Collsync_V1_ErrorMessage {
    init(_ message: ErrorMessage) {
        code = Collsync_V1_ErrorCode(rawValue: Int(message.code.number)) ?? .unknown
        text = message.text
        retry = message.retry
        retryAfterMilliseconds = message.retryAfterMilliseconds
        switch message.subject {
        case .request(let id): request = id
        case .room(let handle): room = handle
        case .transaction(let counter, let handle):
            transaction.room = handle
            transaction.counter = counter
        case .view(let number, let serial, let handle):
            view.room = handle
            view.view = number
            view.serial = serial
        case .drag(let number, let handle):
            drag.room = handle
            drag.drag = number
        case .presence(let handle): presence = handle
        case nil: break
        }
    }
}

extension Collsync_V1_Revoke {
    init(_ message: Revoke) {
        request = message.request
        switch message.subject {
        case .token(let id): token = id.text
        case .user(let name): user = name.text
        case .key(let id): key = id.text
        case .all: all = true
        case .role(let name, let room):
            role = .with {
                $0.user = name.text
                $0.room = room.text
            }
        }
    }
}
