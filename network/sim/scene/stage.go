package scene

import (
	"os"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"tidings/network/engine"
	"tidings/network/sim"
)

// Stage is what the scenes of a protocol have in common: what its nodes run and what a
// script can ask of them.
type Stage struct {
	// Vocabularies are of all protocols that run on the stage.
	Vocabularies []engine.Vocabulary

	// Start makes the protocols of a node. What it returns is what On finds.
	Start sim.Start

	// Roles make nodes that run something else, such as a liar: `add c1 role=liar`.
	Roles map[string]sim.Start

	// Commands are the protocol's own, by name. A name may be of two words
	// ("show leafset"). None may have the name of one of the harness's.
	Commands map[string]Command

	// Configure changes the world before it begins; nil: it stays Default, with Wire.
	Configure func(*sim.Config)
}

// Play plays the script at path, or every script in that folder and below, each in a world of its own. It fails where
// the output differs from the script's, where a script does not begin with a comment, and where there is no script at
// all.
func Play(t *testing.T, path string, stage Stage) {
	t.Helper()
	played := 0
	datadriven.Walk(t, path, func(t *testing.T, script string) {
		played++
		playFile(t, script, stage)
	})
	if played == 0 {
		t.Fatalf("no scenes in %s", path)
	}
}

func playFile(t testing.TB, script string, stage Stage) {
	t.Helper()
	text, err := os.ReadFile(script)
	if err != nil {
		t.Fatalf("reading a scene: %v", err)
	}
	s := newScene(t, script, string(text), stage)
	datadriven.RunTestAny(t, script, s.play)
}

// playText plays a script that is no file; for tests of the harness.
func playText(t testing.TB, text string, stage Stage) {
	t.Helper()
	s := newScene(t, "<string>", text, stage)
	datadriven.RunTestFromStringAny(t, text, s.play)
}

// guards returns the comment at a script's beginning: what it guards.
func guards(text string) string {
	var comment []string
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "#")
		if !ok {
			break
		}
		comment = append(comment, strings.TrimSpace(rest))
	}
	return strings.TrimSpace(strings.Join(comment, " "))
}
