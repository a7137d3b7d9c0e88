// Package desktop lets tests read feeds with unmodified desktop readers that others wrote: [Liferea] and [RSSGuard].
// They run on a display that nobody sees, with a home and a session bus of their own.
package desktop

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// patience bounds how long a program may need to begin or to end, on any machine.
const patience = 10 * time.Minute

// busConfig is a session bus on which nothing is started on demand: what such services start would outlive the test.
const busConfig = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:tmpdir=%s</listen>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy></busconfig>
`

// Item is an item as a reader has it.
type Item struct {
	ID            string // by which the reader knows it
	Read, Starred bool
}

// desktop is a display, a session bus and a home.
type desktop struct {
	t      *testing.T
	home   string
	sqlite string
	env    []string
}

// newDesktop starts a desktop, or skips the test where a program for it is missing.
func newDesktop(t *testing.T) *desktop {
	t.Helper()
	d := &desktop{t: t, sqlite: need(t, "sqlite3")}
	display, bus := need(t, "Xvfb"), need(t, "dbus-daemon")
	var err error
	// The addresses of sockets have to be short, and those in a test's own folder are not.
	if d.home, err = os.MkdirTemp("", "desktop"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(d.home); err != nil {
			t.Error(err)
		}
	})
	d.write("bus.conf", fmt.Sprintf(busConfig, d.home))
	d.env = []string{"HOME=" + d.home, "XDG_RUNTIME_DIR=" + d.home, "PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8",
		"NO_AT_BRIDGE=1", "GSETTINGS_BACKEND=memory"}
	number := d.announced(display, "-displayfd", "3", "-screen", "0", "1024x768x24", "-nolisten", "tcp")
	address := d.announced(bus, "--config-file="+filepath.Join(d.home, "bus.conf"), "--nofork", "--print-address=3")
	d.env = append(d.env, "DISPLAY=:"+number, "DBUS_SESSION_BUS_ADDRESS="+address)
	return d
}

func need(t *testing.T, program string) string {
	t.Helper()
	file, err := exec.LookPath(program)
	if err != nil {
		t.Skipf("needs %s: %v", program, err)
	}
	return file
}

// write writes a file below the home.
func (d *desktop) write(name, text string) {
	d.t.Helper()
	file := filepath.Join(d.home, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

// announced starts a program that runs until the test ends, and returns the line that it writes to descriptor 3.
func (d *desktop) announced(program string, args ...string) string {
	d.t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		d.t.Fatal(err)
	}
	defer r.Close()
	d.t.Cleanup(d.start(w, program, args...))
	if err := r.SetReadDeadline(time.Now().Add(patience)); err != nil {
		d.t.Fatal(err)
	}
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		d.t.Fatalf("%s names no address: %v", program, err)
	}
	return strings.TrimSpace(line)
}

// start starts a program in a process group of its own. The returned function ends it, and may be called twice. The
// program gets extra, if that is not nil, as descriptor 3.
func (d *desktop) start(extra *os.File, program string, args ...string) (stop func()) {
	d.t.Helper()
	c := exec.Command(program, args...)
	c.Env, c.Dir = d.env, d.home
	output, err := os.OpenFile(filepath.Join(d.home, filepath.Base(program)+".log"),
		os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		d.t.Fatal(err)
	}
	defer output.Close()
	c.Stdout, c.Stderr = output, output
	if extra != nil {
		defer extra.Close()
		c.ExtraFiles = []*os.File{extra}
	}
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	started, ended := make(chan error), make(chan struct{})
	go func() {
		runtime.LockOSThread() // it is killed when the thread that has started it ends, as all threads do with the test
		defer close(ended)
		err := c.Start()
		started <- err
		if err == nil {
			_ = c.Wait() // it is ended by a signal
		}
	}()
	if err := <-started; err != nil {
		d.t.Fatal(err)
	}
	return func() {
		_ = c.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(patience):
			d.t.Errorf("%s does not end when it is asked to", program)
		}
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) // what it has started
		<-ended
	}
}

// log returns the end of what a program has printed, for messages.
func (d *desktop) log(program string) string {
	text, err := os.ReadFile(filepath.Join(d.home, program+".log"))
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-4000):])
}

// query runs a statement in a reader's database, which it may be writing to, and returns the rows as fields. A database
// that is not there yet has none.
func (d *desktop) query(file, sql string) (rows [][]string) {
	d.t.Helper()
	if _, err := os.Stat(file); err != nil {
		return nil
	}
	out, err := exec.Command(d.sqlite, "-batch", "-separator", "\t", "-cmd", ".timeout 60000", file,
		sql).CombinedOutput()
	if err != nil {
		if strings.Contains(string(out), "no such table") { // the reader has just begun
			return nil
		}
		d.t.Fatalf("%s: %v\n%s", sql, err, out)
	}
	for line := range strings.Lines(string(out)) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return rows
}

// items returns what a statement finds that selects title, ID, read and starred, by title.
func (d *desktop) items(file, sql string) map[string]Item {
	d.t.Helper()
	all := make(map[string]Item)
	for _, row := range d.query(file, sql) {
		all[row[0]] = Item{ID: row[1], Read: row[2] == "1", Starred: row[3] == "1"}
	}
	return all
}
