package shared

// Use is how much is kept, for tests.
var Use = archiveUse
