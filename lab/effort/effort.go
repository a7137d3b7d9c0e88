// Package effort reports how much tests are to do. There are three measures: what ./test -short does, which is
// testing.Short of Go; what ./test does, which is everything that may fail, on as many cases as find it; and all cases.
package effort

import "os"

// All reports whether tests are to try all cases that they have: all seeds, sizes and histories. It is so under ./test -all,
// which sets TIDINGS_ALL.
func All() bool { return os.Getenv("TIDINGS_ALL") != "" }
