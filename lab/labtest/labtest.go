// Package labtest tries experiments in tests.
package labtest

import (
	"testing"

	"tidings/lab"
)

// Try tries an experiment at the scale tiny, on so many seeds from 1 on.
func Try(t *testing.T, e lab.Entry, seeds int) *lab.Result {
	t.Helper()
	r, err := lab.Try(t.Context(), e, lab.Options{Scale: lab.Tiny, Seed: 1, Seeds: seeds})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Figures returns what Try measures, by name.
func Figures(t *testing.T, e lab.Entry) map[string]float64 {
	t.Helper()
	figures := make(map[string]float64)
	for _, f := range Try(t, e, 2).Figures {
		figures[f.Name] = f.Here
	}
	return figures
}
