package browser

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Axe returns axe-core from the tools in a folder of artefacts. If it is missing, Axe logs that and returns "".
func Axe(t *testing.T, artefacts string) string {
	t.Helper()
	file := os.Getenv("TIDINGS_AXE")
	if file == "" {
		file = filepath.Join(artefacts, "tools/node_modules/axe-core/axe.min.js")
	}
	source, err := os.ReadFile(file)
	if err != nil {
		t.Logf("axe-core is missing, so accessibility is not judged (npm install --prefix artefacts/tools "+
			"axe-core, or set TIDINGS_AXE): %v", err)
		return ""
	}
	return string(source)
}

// Judge fails the test for everything that axe-core objects to, under all of its rules.
func Judge(t *testing.T, ctx context.Context, axe string) {
	t.Helper()
	Eval[bool](t, ctx, axe+"; true")
	text := Eval[string](t, ctx, `axe.run().then((r) => JSON.stringify({
		passes: r.passes.length,
		found: r.violations.map((v) => v.id + ": " + v.help + "\n  " + v.nodes.map((n) => n.html.slice(0, 200) + " — " + n.failureSummary.replace(/\s+/g, " ")).join("\n  ")),
	}))`)
	var result struct {
		Passes int
		Found  []string
	}
	if err := json.Unmarshal([]byte(text), &result); err != nil {
		t.Fatal(err)
	}
	if result.Passes < 10 {
		t.Errorf("axe-core judged only %d rules: is there a page?", result.Passes)
	}
	if len(result.Found) > 0 {
		t.Errorf("axe-core objects:\n%s", strings.Join(result.Found, "\n"))
	}
}
