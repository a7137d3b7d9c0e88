package query

// Clean is exported for tests.
var Clean = clean
