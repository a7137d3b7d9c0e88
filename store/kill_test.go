package store

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	osexec "os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"

	"tidings/store/content"
	"tidings/store/db"
)

// childDir is the environment variable that makes the test binary a child that
// writes to the store in that directory until it is killed.
const childDir = "TIDINGS_STORE_CHILD"

// TestChild is a process of its own for other tests. It says what was acknowledged on its standard
// output, a line each: "subscribed URL" or "update ID what it says".
func TestChild(t *testing.T) {
	dir := os.Getenv(childDir)
	if dir == "" {
		t.Skip("it is the child process of other tests")
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
				s.Content.RecordUnchanged(content.Record{URL: url})
			}
		})
	}
	wg.Wait()
}

// kill -9 at random moments during load, a hundred times, on four directories beside one another. No acknowledged
// subscription and no acknowledged update is lost, and none is there twice. No number is used again. The fetcher's
// memory is that of the stored version. hostile 51.
func TestKill(t *testing.T) {
	const seed = 20260301
	dirs, rounds := 4, 25
	if testing.Short() {
		dirs, rounds = 2, 2
	}
	for i := range dirs {
		t.Run(fmt.Sprint("seed ", seed+i), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, uint64(seed+i)))
			// the moment is the point of the test
			killOften(t, rounds, func(string) { time.Sleep(time.Duration(r.IntN(60_000)) * time.Microsecond) })
		})
	}
}

// kill -9 while SQLite copies its log into the file, or just after it has begun to write the log anew from its start,
// with another salt. By then the log is long enough for that. Nothing acknowledged is lost. hostile 51.
func TestKillAroundCheckpoints(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 16 MB of a log for each kill")
	}
	t.Parallel()
	const checkpoint = 4000 * 4096 // wal_autocheckpoint, and the length of a page
	r := rand.New(rand.NewPCG(20261123, 1))
	killOften(t, 8, func(dir string) {
		for deadline := time.Now().Add(10 * time.Minute); ; time.Sleep(time.Millisecond) {
			if log, err := os.Stat(filepath.Join(dir, db.FileName+"-wal")); err == nil && log.Size() >= checkpoint {
				break
			}
			if time.Now().After(deadline) {
				t.Fatal("the log never became long enough")
			}
		}
		time.Sleep(time.Duration(r.IntN(300_000)) * time.Microsecond) // the moment is the point of the test
	})
}

// opened is read-locked while this process has a store open, and locked while it forks. Until a child runs its own
// program, it holds its parent's files, and with them the lock of a store that the parent has closed meanwhile.
var opened sync.RWMutex

// killOften kills one child after another on a directory, each after wait has returned.
func killOften(t *testing.T, rounds int, wait func(dir string)) {
	verify := func(l *ledger, dir string) int64 {
		opened.RLock()
		defer opened.RUnlock()
		return l.verify(t, dir)
	}
	dir := dataDir(t)
	l := newLedger("")
	highest, acknowledged := int64(0), 0
	for round := range rounds {
		c := startChild(t, dir)
		wait(dir)
		fresh := c.kill(t, l)
		for id := range fresh {
			if id <= highest {
				t.Errorf("number %d was given again after %d", id, highest)
			}
		}
		acknowledged += len(fresh)
		if highest = verify(l, dir); t.Failed() {
			t.Fatalf("kill %d", round+1)
		}
	}
	if acknowledged < rounds || len(l.subscribed) < rounds {
		t.Errorf("only %d updates and %d subscriptions were acknowledged in %d rounds", acknowledged, len(l.subscribed),
			rounds)
	}
	t.Logf("%d kills, %d updates, %d subscriptions", rounds, acknowledged, len(l.subscribed))
}

// hostile 52: two processes open one file. The second is refused, and learns the number of the process that has it. The
// first goes on. Once the first has died, the directory is free, and all that it had acknowledged is there.
func TestHostile52SecondProcess(t *testing.T) {
	dir := dataDir(t)
	c := startChild(t, dir)
	for range 3 {
		_, err := Open(t.Context(), Config{Dir: dir})
		mustErr(t, err, db.ErrInUse)
		if want := fmt.Sprintf("in use by process %d, started ", c.cmd.Process.Pid); !strings.Contains(err.Error(),
			want) {
			t.Errorf("error %q does not say %q", err, want)
		}
		for stored := latestUpdate(t, dir); c.readUpdate(t) <= stored; {
			continue // what it says has waited in the pipe; the next is from after the refusal
		}
	}
	mustBeSound(t, dir)
	changes, err := Check(context.Background(), dir)
	if want := fmt.Sprintf("process %d,", c.cmd.Process.Pid); err != nil ||
		!strings.Contains(fmt.Sprint(changes), want) {
		t.Errorf("check says %v, %v; want %q", changes, err, want)
	}
	l := newLedger("")
	if fresh := c.kill(t, l); len(fresh) < 4 {
		t.Errorf("only %d updates were acknowledged", len(fresh))
	}
	l.verify(t, dir)
}

// latestUpdate reads the number of the latest update while another process has the store open.
func latestUpdate(t *testing.T, dir string) (id int64) {
	t.Helper()
	conn, err := sqlite.OpenConn(filepath.Join(dir, db.FileName), sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.One(conn, `SELECT max(id) FROM version`, func(r *sqlite.Stmt) { id = r.ColumnInt64(0) })
	if err = errors.Join(err, conn.Close()); err != nil {
		t.Fatal(err)
	}
	return id
}

// child is a process of TestChild.
type child struct {
	cmd  *osexec.Cmd
	out  *bufio.Reader
	said []byte // so far
}

// startChild starts a child on dir and returns after its first acknowledged update.
func startChild(t *testing.T, dir string) *child {
	t.Helper()
	cmd := osexec.Command(os.Args[0], "-test.run=^TestChild$", fmt.Sprint("-test.short=", testing.Short()))
	cmd.Env = append(os.Environ(), childDir+"="+dir)
	return startProcess(t, cmd)
}

func startProcess(t *testing.T, cmd *osexec.Cmd) *child {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	opened.Lock()
	err = cmd.Start()
	opened.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // where the test has not
	c := &child{cmd: cmd, out: bufio.NewReader(out)}
	c.readUpdate(t)
	return c
}

// readUpdate reads what the child says up to its next acknowledged update, and returns
// the update's number.
func (c *child) readUpdate(t *testing.T) (id int64) {
	t.Helper()
	for {
		line, err := c.out.ReadBytes('\n')
		c.said = append(c.said, line...)
		if err != nil {
			t.Fatalf("the child ended: %q, %v, %v", c.said, err, c.cmd.Wait())
		}
		if _, err := fmt.Sscanf(string(line), "update %d", &id); err == nil {
			return id
		}
	}
}

// kill kills the child and enters in the ledger what it said. It returns the updates
// that it acknowledged.
func (c *child) kill(t *testing.T, l *ledger) map[int64]bool {
	t.Helper()
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	rest, err := io.ReadAll(c.out)
	if err != nil {
		t.Fatal(err)
	}
	_ = c.cmd.Wait() // it says that it was killed

	fresh := make(map[int64]bool)
	for line := range bytes.Lines(append(c.said, rest...)) {
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
