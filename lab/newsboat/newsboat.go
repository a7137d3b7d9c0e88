// Package newsboat lets tests read feeds with an unmodified newsboat, a feed reader that
// others wrote.
package newsboat

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Boat is a newsboat with a home of its own.
type Boat struct {
	t       *testing.T
	program string
	sqlite  string
	home    string
}

// Launch returns a newsboat that follows feeds, or skips the test where there is none.
func Launch(t *testing.T, feeds ...string) Boat {
	t.Helper()
	return launch(t, "", strings.Join(feeds, "\n")+"\n")
}

// Connect returns a newsboat that reads what a server has for it, as lines of its configuration say.
func Connect(t *testing.T, lines ...string) Boat {
	t.Helper()
	return launch(t, strings.Join(lines, "\n")+"\n", "")
}

func launch(t *testing.T, lines, urls string) Boat {
	t.Helper()
	b := Boat{t: t, program: need(t, "newsboat"), sqlite: need(t, "sqlite3"), home: t.TempDir()}
	for name, text := range map[string]string{
		"urls":   urls,
		"config": "download-timeout 600\ndownload-retries 1\n" + lines,
	} {
		if err := os.WriteFile(filepath.Join(b.home, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func need(t *testing.T, program string) string {
	t.Helper()
	file, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("needs %s: %v", program, err)
	}
	return file
}

// Command runs one of newsboat's commands, such as "reload", and returns what it says.
func (b Boat) Command(what string) string {
	b.t.Helper()
	c := exec.Command(b.program, "-u", filepath.Join(b.home, "urls"), "-c", filepath.Join(b.home, "cache.db"), "-C",
		filepath.Join(b.home, "config"), "-x", what)
	c.Env = []string{"HOME=" + b.home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8"}
	out, err := c.CombinedOutput()
	if err != nil {
		b.t.Fatalf("newsboat -x %s: %v\n%s", what, err, out)
	}
	return strings.TrimSpace(string(out))
}

// Titles returns the titles of all articles in newsboat's own database, sorted.
func (b Boat) Titles() []string {
	b.t.Helper()
	out, err := exec.Command(b.sqlite, filepath.Join(b.home, "cache.db"),
		"SELECT title FROM rss_item WHERE deleted = 0 ORDER BY title").Output()
	if err != nil {
		b.t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}
