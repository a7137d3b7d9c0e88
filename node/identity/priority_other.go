//go:build !linux

package identity

// lowerPriority does nothing where priorities are those of whole programs.
func lowerPriority(int) {}
