// SyncStoreTests
