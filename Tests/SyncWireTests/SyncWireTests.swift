// SyncWireTests
