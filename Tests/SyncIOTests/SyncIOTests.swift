// SyncIOTests
