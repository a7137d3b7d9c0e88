// Package labtest tries experiments in tests.
package labtest

import (
	"errors"
	"testing"

	"tidings/lab"
)

// Try tries an experiment at the scale tiny, on so many seeds from 1 on. Where the experiment cannot be run, the test
// is skipped.
func Try(t *testing.T, e lab.Entry, seeds int) *lab.Result {
	t.Helper()
	r, err := lab.Try(t.Context(), e, lab.Options{Scale: lab.Tiny, Seed: 1, Seeds: seeds})
	var skipped *lab.Skipped
	if errors.As(err, &skipped) {
		t.Skip(skipped.Why)
	}
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
