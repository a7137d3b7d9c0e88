// Package suspend says how long a machine has been suspended: Go's clock stands still meanwhile on Linux and macOS.
package suspend
