package main

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"tidings/lab/cost"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"tidings-lab": main})
}

// TestScripts runs the scripts of testdata/script. The condition [raced] holds under the race detector, where most of
// the time goes into starting the program.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireUniqueNames:  true,
		RequireExplicitExec: true,
		Condition: func(name string) (bool, error) {
			if name != "raced" {
				return false, fmt.Errorf("there is no condition %q", name)
			}
			return cost.RaceDetector(), nil
		},
	})
}
