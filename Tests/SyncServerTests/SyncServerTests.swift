// SyncServerTests
