package store

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	osexec "os/exec"
	"sync"
	"testing"
	"time"
)

// childDir is the environment variable that makes the test binary a child that
// writes to the store in that directory until it is killed.
const childDir = "TIDINGS_STORE_CHILD"

// TestChild is the child of TestKill. It says what was acknowledged on its standard
// output, a line each: "subscribed URL" or "update ID what it says".
func TestChild(t *testing.T) {
	dir := os.Getenv(childDir)
	if dir == "" {
		t.Skip("it is the child process of TestKill")
	}
	s := mustOpen(t, Config{Dir: dir, TouchDelay: 5 * time.Millisecond})
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for n := 0; ; n++ {
				url := channelURL(worker) // known since an earlier process
				if n%6 < 2 {              // new, and then its first version
					url = fmt.Sprintf("https://p%d.example.org/%d/%d", os.Getpid(), worker, n/6)
				}
				u, err := step(t, s, url)
				if err != nil {
					fmt.Printf("error %s: %v\n", url, err)
					return
				}
				line := "subscribed " + url
				if u != nil {
					line = fmt.Sprintf("update %d %s", u.ID, said(u))
				}
				if _, err := os.Stdout.WriteString(line + "\n"); err != nil { // one write: lines stay whole
					return
				}
				s.Touch(Record{URL: url})
			}
		})
	}
	wg.Wait()
}

// kill -9 at random moments during load, a hundred times on one directory: no
// acknowledged subscription and no acknowledged update is lost, none is there twice,
// no number is used again, and what the fetcher remembers is of the version that is stored.
// hostile 51.
func TestKill(t *testing.T) {
	rounds := 100
	if testing.Short() {
		rounds = 5
	}
	const seed = 20260301
	r := rand.New(rand.NewPCG(seed, seed))
	dir := dataDir(t)
	l := newLedger("")
	highest, acknowledged := int64(0), 0
	for round := range rounds {
		fresh := killChild(t, dir, l, time.Duration(r.IntN(60_000))*time.Microsecond)
		for id := range fresh {
			if id <= highest {
				t.Errorf("number %d was given again after %d", id, highest)
			}
		}
		acknowledged += len(fresh)
		if highest = l.verify(t, dir); t.Failed() {
			t.Fatalf("seed %d, kill %d", seed, round+1)
		}
	}
	if acknowledged < rounds || len(l.subscribed) < rounds {
		t.Errorf("only %d updates and %d subscriptions were acknowledged in %d rounds", acknowledged, len(l.subscribed), rounds)
	}
	t.Logf("%d kills, %d updates, %d subscriptions", rounds, acknowledged, len(l.subscribed))
}

// killChild starts a child, kills it some time after its first acknowledged update,
// and enters in the ledger what it said. It returns the updates that are new.
func killChild(t *testing.T, dir string, l *ledger, after time.Duration) map[int64]bool {
	t.Helper()
	cmd := osexec.Command(os.Args[0], "-test.run=^TestChild$")
	cmd.Env = append(os.Environ(), childDir+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	var said []byte
	for !bytes.Contains(said, []byte("update ")) {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			t.Fatalf("the child ended: %q, %v, %v", said, err, cmd.Wait())
		}
		said = append(said, line...)
	}
	var rest []byte
	var wg sync.WaitGroup
	wg.Go(func() { rest, err = io.ReadAll(lines) })
	time.Sleep(after) // the moment is the point of the test
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	if err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it says that it was killed

	fresh := make(map[int64]bool)
	for line := range bytes.Lines(append(said, rest...)) {
		var id int64
		if url, ok := bytes.CutPrefix(line, []byte("subscribed ")); ok {
			l.subscribed[string(bytes.TrimSpace(url))] = true
		} else if _, err := fmt.Sscanf(string(line), "update %d", &id); err == nil {
			_, text, _ := bytes.Cut(bytes.TrimPrefix(line, []byte("update ")), []byte(" "))
			l.updates[id] = string(bytes.TrimSpace(text))
			fresh[id] = true
		} else {
			t.Errorf("the child says %q", line)
		}
	}
	return fresh
}
