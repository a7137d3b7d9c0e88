//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// otherUser is a user, and stranger another, that this machine need not know.
const otherUser, stranger = 64999, 64998

// userTest has a node that runs as another user than root, which runs the commands.
type userTest struct {
	*testing.T
	program, data, private string // private: a directory that root alone can enter
}

// A node of another user's, as a systemd unit and a container have it, and commands that root runs. Keys that they make
// are the node's, and files that they name are opened by them. The errors name what the node cannot read.
func TestCommandsOfRootForANodeOfAnother(t *testing.T) {
	if testing.Short() {
		t.Skip("needs seconds")
	}
	if os.Geteuid() != 0 {
		t.Skip("needs root, to have two users")
	}
	u := newUserTest(t)
	feed := filepath.Join(u.private, "feed.xml")
	u.write(feed, `<rss version="2.0"><channel><title>A blog</title><item><guid>1</guid><title>One</title></item></channel></rss>`)

	// Before the node has started, and while it runs.
	u.says(0, "It belongs to user 64999, like its directory", "key", "new", "first")
	stop := u.start()
	u.says(0, "It belongs to user 64999", "key", "new", "my-blog")
	u.says(0, "It belongs to user 64999", "zone", "create", "/eu")
	u.says(0, "Published 1 item", "publish", feed, "--feed-url", "https://blog.example/feed.xml", "--key", "my-blog")
	u.says(0, "is another now", "key", "rotate", "my-blog")
	u.says(0, "Nothing new", "publish", feed, "--feed-url", "https://blog.example/feed.xml", "--key", "my-blog")
	u.says(1, "the node cannot read what is to be sent: open "+feed+
		": permission denied (it runs as user 64999; let that user read",
		"publish", feed, "--feed-url", "https://blog.example/feed.xml", "--key", "my-blog", "--watch")
	u.says(1, "open "+u.private+": permission denied (it runs as user 64999",
		"publish", feed, "--feed-url", "https://blog.example/feed.xml", "--key", "my-blog", "--full-content", u.private)

	// A backup is root's.
	copied := filepath.Join(u.private, "copy.db")
	u.says(0, "with 3 keys to publish with", "backup", copied)
	if info, err := os.Stat(copied); err != nil || info.Mode() != 0o600 || info.Sys().(*syscall.Stat_t).Uid != 0 {
		t.Errorf("the backup is %v, %v", info, err)
	}
	u.says(1, copied+" is there already", "backup", copied)
	if left, err := os.ReadDir(u.private); err != nil || len(left) != 2 {
		t.Errorf("beside it is %v, %v", left, err)
	}

	// A key that root has made with other means is found.
	key := filepath.Join(u.data, "keys", "my-blog.key")
	if err := os.Chown(key, 0, 0); err != nil {
		t.Fatal(err)
	}
	u.says(1, "(the node runs as user 64999, to whom its keys must belong; see: tidings doctor)",
		"publish", feed, "--feed-url", "https://blog.example/feed.xml", "--key", "my-blog")
	u.says(1, "(see: tidings doctor; to leave the keys out: --no-keys)", "backup", copied+".2")
	u.says(0, "Backed up", "backup", copied+".2", "--no-keys")
	u.says(1, "The node cannot read "+key+
		": it belongs to root, and the node runs as user 64999.\n         as root: chown 64999:64999 "+key, "doctor",
		"--no-network")
	u.says(2, u.data+" belongs to user 64999: give the command as that user, or as root", "as stranger", "status")
	u.says(2, u.data+" belongs to user 64999: give the command as that user, or as root", "as stranger", "key", "list")
	u.says(2, u.data+" belongs to user 64999: give the command as that user, or as root", "as stranger", "key",
		"new", "mine")
	stop()

	password := filepath.Join(filepath.Dir(u.private), "password")
	u.write(password, "correct horse\n")
	u.says(1, "the node runs as user 64999; as root: chown 64999:64999 "+password, "as other", "up", "--http",
		"127.0.0.1:0", "--no-network", "--password-file", password)
	u.says(1, "The node cannot read "+password+": it belongs to root", "doctor", "--no-network", "--password-file",
		password)
}

// Root may be led to a directory by a link of the node's user. What it makes there does not become that user's.
func TestKeysOfRootFollowNoLinks(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, to have two users")
	}
	u := newUserTest(t)
	if err := os.Symlink(u.private, filepath.Join(u.data, "keys")); err != nil {
		t.Fatal(err)
	}
	u.says(0, "Made key trap", "key", "new", "trap")
	for _, name := range []string{"", "trap.key"} {
		if info, err := os.Stat(filepath.Join(u.private, name)); err != nil || info.Sys().(*syscall.Stat_t).Uid != 0 {
			t.Errorf("%q: %v, %v", name, info, err)
		}
	}
}

func newUserTest(t *testing.T) *userTest {
	dir, err := os.MkdirTemp("", "td") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	u := &userTest{t, filepath.Join(dir, "tidings"), filepath.Join(dir, "data"), filepath.Join(dir, "private")}
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		os.Chmod(dir, 0o755), os.Mkdir(u.data, 0o700), os.Chown(u.data, otherUser, otherUser),
		os.Mkdir(u.private, 0o700),
		copyFile(own, u.program), // its directory is closed to others
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return u
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE, 0o755)
	if err != nil {
		return err
	}
	if _, err = io.Copy(out, in); err != nil {
		return fmt.Errorf("copying the program: %w", err)
	}
	return out.Close()
}

func (u *userTest) write(file, text string) {
	u.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		u.Fatal(err)
	}
}

// command returns a command as a user.
func (u *userTest) command(user uint32, args ...string) *exec.Cmd {
	cmd := exec.Command(u.program, args...)
	cmd.Env = []string{"TIDINGS_DATA=" + u.data}
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: user, Gid: user}}
	return cmd
}

// start starts the node as the other user.
func (u *userTest) start() (stop func()) {
	u.Helper()
	cmd := u.command(otherUser, "up", "--lab-origins", "--http", "127.0.0.1:0", "--no-mdns", "--listen",
		"/ip4/127.0.0.1/tcp/0", "--log-level", "warn")
	var log strings.Builder
	cmd.Stderr = &log
	out, err := cmd.StdoutPipe()
	if err != nil {
		u.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		u.Fatal(err)
	}
	if line, _ := bufio.NewReader(out).ReadString('\n'); !strings.HasPrefix(line, "Tidings is up") {
		_ = cmd.Wait()
		u.Fatalf("the node said %q; %s", line, &log)
	}
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		_ = cmd.Process.Signal(syscall.SIGTERM)
		if err := cmd.Wait(); err != nil {
			u.Errorf("the node: %v; %s", err, &log)
		}
	}
	u.Cleanup(stop)
	return stop
}

// says runs a command, and checks its exit status and that it prints a text. The first argument may name the user, else
// it is root.
func (u *userTest) says(status int, want string, args ...string) {
	u.Helper()
	user := uint32(0)
	switch args[0] {
	case "as other":
		user, args = otherUser, args[1:]
	case "as stranger":
		user, args = stranger, args[1:]
	}
	cmd := u.command(user, args...)
	out, _ := cmd.CombinedOutput()
	if got := cmd.ProcessState.ExitCode(); got != status || !strings.Contains(string(out), want) {
		u.Errorf("tidings %s: status %d, want %d; it says %s\nwant %s", strings.Join(args, " "), got, status, out, want)
	}
}
