package homes

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// asVictim has the binary of the tests make an Internet and wait until it is killed.
const asVictim = "TIDINGS_TEST_HOMES_VICTIM"

func TestMain(m *testing.M) {
	if os.Getenv(asVictim) == "" {
		os.Exit(m.Run())
	}
	if err := waitToBeKilled(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// waitToBeKilled runs a program on a machine, says which process it is and where the folder is, and waits.
func waitToBeKilled() error {
	n, err := New(Settings{Forget: time.Second})
	if err != nil {
		return err
	}
	m, err := n.Public("victim")
	if err != nil {
		return err
	}
	cmd := exec.Command("sleep", "1000")
	if err := m.Start(cmd); err != nil {
		return err
	}
	fmt.Println(cmd.Process.Pid, n.Dir())
	return cmd.Wait()
}

// Programs on machines end when the process that made these is killed, and the next one removes what was left.
func TestNothingIsLeftByWhoIsKilled(t *testing.T) {
	if err := Check(); err != nil {
		t.Skip("needs an Internet of network namespaces: ", err)
	}
	victim := exec.Command(os.Args[0])
	victim.Env = append(os.Environ(), asVictim+"=1")
	out, err := victim.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	defer victim.Process.Kill() // it was killed, unless the test has failed
	said, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	program, dir, _ := strings.Cut(strings.TrimSpace(said), " ")
	for _, path := range []string{filepath.Join("/proc", program), dir} {
		if _, err := os.Stat(path); err != nil {
			t.Fatal(err)
		}
	}
	if err := victim.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = victim.Wait() // it was killed
	for deadline := time.Now().Add(soon); ; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(filepath.Join("/proc", program)); os.IsNotExist(err) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the program on the machine still runs")
		}
	}
	n, _ := testNet(t)
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder is still there: %v", err)
	}
	if _, err := os.Stat(n.Dir()); err != nil {
		t.Error(err)
	}
}
