package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"tidings"
	"tidings/cmd/cli"
	"tidings/view"
)

// The demonstration, as a newcomer sees it. It names a page, and that page answers. Changes are found by other nodes
// within the time. Ctrl-C ends it, and nothing is left behind.
func TestDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("starts eight nodes")
	}
	if runtime.GOOS == "windows" {
		t.Skip("a signal ends it")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	program, temporary := filepath.Join(dir, "tidings"), filepath.Join(dir, "t")
	if err := os.Symlink(self, program); err != nil { // TestMain runs the program under this name
		t.Fatal(err)
	}
	if err := os.Mkdir(temporary, 0o700); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "demo", "--no-open", "--interval", "2s", "--every", "500ms")
	cmd.Env = append(os.Environ(), "TMPDIR="+temporary, "HOME="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	page := awaitLine(t, lines, `One is yours: (http://127\.0\.0\.1:\d+)$`)[1]
	if text := fetched(t, page+"/channels"); !strings.Contains(text, "The Harbour Gazette") {
		t.Errorf("the page of channels says %s", text)
	}
	awaitLine(t, lines, `^ +(Ada|Bruno|Chidi|Dora|Emil|Fumi|Gwen)'s node saw it [0-9.]+ s after it was published; all its [56] readers had it after [0-9.]+ s$`)
	awaitLine(t, lines,
		`^  Of \d+ that you follow, others found [1-9]\d* for you\. The origin got [0-9.]+ requests a second`)
	var status view.Status
	if err := json.Unmarshal([]byte(fetched(t, page+"/api/v1/status")), &status); err != nil {
		t.Fatal(err)
	}
	// it may have seen all changes so far itself, just before it was notified
	for foundByOthers(t, page, status.ID) == 0 {
		if ctx.Err() != nil {
			t.Fatal("no update was found by another node")
		}
		time.Sleep(100 * time.Millisecond)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() { // until it has ended
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	left, err := os.ReadDir(temporary)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// foundByOthers counts updates that a node shows as found by another.
func foundByOthers(t *testing.T, page, self string) (count int) {
	t.Helper()
	var updates []tidings.Update
	if err := json.Unmarshal([]byte(fetched(t, page+"/api/v1/updates?limit=1000")), &updates); err != nil {
		t.Fatal(err)
	}
	for _, u := range updates {
		if u.FoundBy != "" && u.FoundBy != self {
			count++
		}
	}
	return count
}

func awaitLine(t *testing.T, lines *bufio.Scanner, pattern string) []string {
	t.Helper()
	wanted := regexp.MustCompile(pattern)
	var said []string
	for lines.Scan() {
		if found := wanted.FindStringSubmatch(lines.Text()); found != nil {
			return found
		}
		said = append(said, lines.Text())
	}
	t.Fatalf("no line is like %q in:\n%s", pattern, strings.Join(said, "\n"))
	return nil
}

func fetched(t *testing.T, url string) string {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", url, resp.Status, err)
	}
	return string(body)
}

func TestDemoRefuses(t *testing.T) {
	f := newFakeNode()
	for args, want := range map[string]string{
		"demo --interval 1s": "tidings: invalid interval: 1s is not between 2 seconds and 1 minute (see: " +
			"tidings demo --help)\n",
		"demo --every 0s": "tidings: invalid time between changes: 0s is not between 100 ms and 1 minute " +
			"(see: tidings demo --help)\n",
		"demo --http nowhere":  "tidings: invalid address: \"nowhere\" is not HOST:PORT (see: tidings demo --help)\n",
		"demo --nodes 9":       "tidings: unknown flag --nodes (see: tidings --help)\n",
		"demo --interval soon": "--interval",
	} {
		if _, errOut, status := f.command(t, "", strings.Fields(args)...); status != cli.Misused ||
			!strings.Contains(errOut, want) {
			t.Errorf("%s: status %d, %q", args, status, errOut)
		}
	}
}
