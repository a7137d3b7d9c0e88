package tidings_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// fakeGo stands for the go command: every pass fails, each in its own way. The argument that it looks at first is the
// one that distinguishes the passes.
const fakeGo = `#!/bin/sh
echo "$*" >>"$CALLS"
case "$*" in
list*) echo tidings/node; echo tidings/store ;;
build*) echo "go: updates to go.mod needed"; exit 1 ;;
vet*) echo "vet: something is wrong"; exit 1 ;;
"tool staticcheck"*) exit 0 ;;
*-cpu*) printf 'panic: test timed out after 30m0s\n\trunning tests:\n\t\tTestHangs/deep (30m0s)\n\ngoroutine 1\nFAIL\ttidings/network/live\t1800.0s\nFAIL\n'; exit 1 ;;
*ReadAtOnce*) printf 'ok  \ttidings/source/feed\t0.1s\n' ;;
*-race*)
	printf -- '--- FAIL: TestFirst (0.01s)\n    --- FAIL: TestFirst/part (0.01s)\n        x_test.go:1: no\n--- FAIL: TestSecond (0.01s)\nFAIL\nFAIL\ttidings/store\t1.0s\n'
	printf -- '--- FAIL: TestLogged (0.00s)\nok  \ttidings/source\t1.0s\nFAIL\ttidings/node [build failed]\nFAIL\n'
	exit 1 ;;
*) printf -- '--- FAIL: TestLast (0.01s)\nFAIL\nFAIL\ttidings/delivery/web\t1.0s\nFAIL\n'; exit 1 ;;
esac
`

// The test command runs every pass whatever fails before it, and ends with one command for each failure.
func TestTheTestCommandRunsEveryPass(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("needs bash: ", err)
	}
	fakes := t.TempDir()
	for name, text := range map[string]string{
		"go": fakeGo, "gofmt": "#!/bin/sh\necho bad.go\n", "id": "#!/bin/sh\necho 1000\n", "npm": "#!/bin/sh\n",
	} {
		if err := os.WriteFile(filepath.Join(fakes, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	calls := filepath.Join(fakes, "calls")
	run := func(args ...string) string {
		command := exec.Command("./test", args...)
		command.Env = append(os.Environ(), "PATH="+fakes+":"+os.Getenv("PATH"), "CALLS="+calls)
		output, err := command.CombinedOutput()
		if err == nil {
			t.Fatalf("test %v succeeded:\n%s", args, output)
		}
		return string(output)
	}

	output := run()
	_, summary, found := strings.Cut(output, "To repeat each:\n")
	if !found {
		t.Fatalf("no summary:\n%s", output)
	}
	got := strings.Split(strings.TrimSpace(summary), "\n")
	want := []struct{ start, end string }{
		{"gofmt -l .", ""},
		{"go vet ./...", ""},
		{"(cd lab/gossipsub && go build ", ""},
		{"go test -race ", " tidings/store -run '^(TestFirst|TestSecond)$'"},
		{"go test -race ", " tidings/node"},
		{"go test -race ", "-cpu 1 tidings/network/live -run '^(TestHangs)$'"},
		{"go test tidings/delivery/web -run '^(TestLast)$'", ""},
	}
	if len(got) != len(want) {
		t.Fatalf("%d commands, not %d:\n%s", len(got), len(want), summary)
	}
	for i, w := range want {
		if line := strings.TrimSpace(got[i]); !strings.HasPrefix(line, w.start) || !strings.HasSuffix(line, w.end) {
			t.Errorf("command %d is %q, not %s…%s", i, line, w.start, w.end)
		}
	}
	for _, pass := range []string{"gofmt: about", "go vet: about", "staticcheck: about", "connections: about",
		"7 failed", "does not build: ./lab/gossipsub/go.mod"} {
		if !strings.Contains(output, pass) {
			t.Errorf("the output does not say %q:\n%s", pass, output)
		}
	}

	short := run("-short")
	if want := "go test -short tidings/delivery/web -run '^(TestLast)$'"; !strings.Contains(short, want) {
		t.Errorf("test -short does not say %q:\n%s", want, short)
	}
	if !strings.Contains(short, "does not build: ./lab/gossipsub/go.mod") {
		t.Errorf("test -short does not build all modules:\n%s", short)
	}
}
