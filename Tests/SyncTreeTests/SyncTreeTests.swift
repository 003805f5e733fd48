// SyncTreeTests
