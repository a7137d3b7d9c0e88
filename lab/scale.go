package lab

import "fmt"

// Scale says how large an experiment is run.
type Scale string

// The scales.
const (
	Quick Scale = "quick" // seconds: the shape of the figures
	Paper Scale = "paper" // the sizes of the source: minutes to an hour

	// Tiny is for tests of the experiments themselves: well under a second, too small for its figures to be as
	// expected.
	Tiny Scale = "tiny"
)

// Scales are those that people choose from.
func Scales() []Scale { return []Scale{Quick, Paper} }

// ParseScale reads a scale's name.
func ParseScale(name string) (Scale, error) {
	switch s := Scale(name); s {
	case Quick, Paper, Tiny:
		return s, nil
	}
	return "", fmt.Errorf("there is no scale %q: quick takes seconds, paper has the sizes of the source", name)
}
