package xmpp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"tidings"
	"tidings/delivery/outbox"
	"tidings/delivery/xmpp/xmpptest"
)

// memberVariable has the settings of a process that is one of several nodes.
const memberVariable = "TIDINGS_TEST_MEMBER"

func TestMain(m *testing.M) {
	if settings := os.Getenv(memberVariable); settings != "" {
		if err := beMember(settings); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// memberSettings are those of a process that is one of several nodes.
type memberSettings struct {
	Account, Server, Certificate, Password, Name string
	Addresses                                    []string
}

// beMember is a node with an account that it shares, and an outbox in memory. Each line of its standard input is an
// item, which is delivered to all addresses. It says when it has joined, and when its outbox is empty.
func beMember(text string) error {
	var s memberSettings
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return err
	}
	config, err := Settings{Account: s.Account, Server: s.Server, CAFile: s.Certificate, Secret: s.Password}.Stream()
	if err != nil {
		return err
	}
	config.Resource, config.FirstWait, config.MostWait = ResourceOf(s.Name), 20*time.Millisecond, 200*time.Millisecond
	directory := &fakeDirectory{}
	b, err := Open(Config{
		Stream: config, Directory: directory, Shared: &fakeShared{of: directory},
		Logger: slog.New(slog.NewTextHandler(os.Stdout, nil)),
		Limits: Limits{Messages: 60_000, MessagesPerSecond: 1000},
		Word:   func(_ tidings.Target, m outbox.Message) Wording { return Wording{Title: m.Item.Title} },
	})
	if err != nil {
		return err
	}
	box := &memoryBox{jobs: make(map[int64][]tidings.DeliveryJob), problem: make(map[int64]time.Time)}
	go b.Run(context.Background())
	go func() {
		if err := outbox.Run(context.Background(), outbox.Config{Store: box, Sender: b}); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}()
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		if lines.Text() == "empty?" {
			go box.sayEmpty()
			continue
		}
		for i, address := range s.Addresses {
			box.put(tidings.Target{ID: int64(i + 1), Kind: tidings.XMPP, URL: URLOf(address)}, lines.Text())
		}
	}
	return nil
}

// memoryBox is an outbox in memory.
type memoryBox struct {
	mu      sync.Mutex
	ready   func(int64)
	last    int64
	jobs    map[int64][]tidings.DeliveryJob
	problem map[int64]time.Time
	changed chan struct{}
}

func (m *memoryBox) put(t tidings.Target, name string) {
	m.mu.Lock()
	m.last++
	u := tidings.Update{Channel: "https://example.org/feed",
		Items: []tidings.Item{{ID: name, Title: name, Change: tidings.New}}}
	m.jobs[t.ID] = append(m.jobs[t.ID], tidings.DeliveryJob{
		Target: t, Deliveries: []int64{m.last}, Made: time.Now(), Ready: time.Now(),
		Parts: []tidings.DeliveryPart{{Update: u, Item: &u.Items[0]}},
	})
	ready := m.ready
	m.mu.Unlock()
	if ready != nil {
		ready(t.ID)
	}
}

func (m *memoryBox) sayEmpty() {
	for {
		m.mu.Lock()
		left := 0
		for _, jobs := range m.jobs {
			left += len(jobs)
		}
		if m.changed == nil {
			m.changed = make(chan struct{})
		}
		changed := m.changed
		m.mu.Unlock()
		if left == 0 {
			fmt.Println("empty")
			return
		}
		<-changed
	}
}

func (m *memoryBox) Listen(ready func(int64)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ready = ready
}

func (m *memoryBox) Waiting(context.Context) (all []int64, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for t := range m.jobs {
		all = append(all, t)
	}
	return all, nil
}

func (m *memoryBox) Next(_ context.Context, target int64) (j tidings.DeliveryJob, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.jobs[target]) == 0 {
		return j, tidings.ErrNotFound
	}
	j = m.jobs[target][0]
	j.Due = m.problem[target]
	return j, nil
}

func (m *memoryBox) Delivered(_ context.Context, j tidings.DeliveryJob) error {
	target := j.Target.ID
	m.mu.Lock()
	defer m.mu.Unlock()
	m.jobs[target] = m.jobs[target][1:]
	if m.changed != nil {
		close(m.changed)
		m.changed = nil
	}
	return nil
}

func (m *memoryBox) Postpone(_ context.Context, target int64, _ []int64, problem string, _ time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.problem[target] = time.Now().Add(100 * time.Millisecond)
	fmt.Println("postponed:", problem)
	return nil
}

func (m *memoryBox) Forgotten(context.Context, tidings.DeliveryJob) error { return nil }
func (m *memoryBox) GiveUp(context.Context, int64, []int64, string, time.Time) error {
	panic("nothing is given up")
}
func (m *memoryBox) Suspend(context.Context, int64, string) error { panic("nothing is suspended") }

// member is a process that is one of several nodes.
type member struct {
	t     *testing.T
	name  string
	run   *exec.Cmd
	in    io.WriteCloser
	lines chan string
	log   strings.Builder
	ended chan struct{}
}

func startMember(t *testing.T, s memberSettings) *member {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	m := &member{t: t, name: s.Name, lines: make(chan string, 100_000), ended: make(chan struct{})}
	m.run = exec.Command(os.Args[0])
	m.run.Env = append(os.Environ(), memberVariable+"="+string(text))
	m.run.Stderr = os.Stderr
	out, err := m.run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if m.in, err = m.run.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := m.run.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(m.ended)
		defer close(m.lines)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			m.lines <- lines.Text()
		}
	}()
	t.Cleanup(func() {
		m.kill()
		if t.Failed() {
			for line := range m.lines {
				m.log.WriteString(line + "\n")
			}
			t.Logf("%s:\n%s", m.name, m.log.String())
		}
	})
	return m
}

// kill ends the process at once, as a power cut does.
func (m *member) kill() {
	_ = m.run.Process.Kill()
	<-m.ended
	_ = m.run.Wait()
}

// say writes a line. The process may have been killed.
func (m *member) say(line string) { _, _ = io.WriteString(m.in, line+"\n") }

// await waits for a line that has a text.
func (m *member) await(text string) {
	m.t.Helper()
	deadline := time.After(10 * time.Minute) // only what never comes exceeds it, on any machine
	for {
		select {
		case line, open := <-m.lines:
			if !open {
				m.t.Fatalf("%s has ended", m.name)
			}
			m.log.WriteString(line + "\n")
			if strings.Contains(line, text) {
				return
			}
		case <-deadline:
			m.t.Fatalf("%s does not say %q", m.name, text)
		}
	}
}

// Two nodes share an account. Items come in turn. At any moment one of the nodes is killed, again and again, and starts
// anew with all items since the beginning in its outbox. Every item arrives once at every address.
func TestNodesThatShareAnAccountAreKilled(t *testing.T) {
	const rounds, perRound = 12, 8
	names := []string{"alice", "bob", "carol"}
	p := xmpptest.Start(t, append([]string{"news"}, names...)...)
	var users []*xmpptest.User
	s := memberSettings{Account: "news@" + xmpptest.Host, Server: p.Clients, Certificate: p.Certificate(),
		Password: xmpptest.Password}
	for _, name := range names {
		u := p.NewUser(t, name)
		u.Online()
		users, s.Addresses = append(users, u), append(s.Addresses, u.Address)
	}
	start := func(which int) *member {
		c := s
		c.Name = fmt.Sprint("node", which)
		return startMember(t, c)
	}
	members := []*member{start(0), start(1)}
	for _, m := range members {
		m.await("the XMPP account is shared")
	}
	var items []string
	got := make([]map[string]int, len(users))
	for i := range got {
		got[i] = make(map[string]int)
	}
	// receive waits until a user has an item.
	receive := func(i int, item string) {
		for got[i][item] == 0 {
			body := users[i].Await("message").Body
			got[i][strings.Trim(body, "*")]++
		}
	}
	for round := range rounds {
		dies := round % 2
		moment := time.Duration(rand.IntN(60)) * time.Millisecond
		var killed sync.WaitGroup
		killed.Go(func() {
			time.Sleep(moment) // no event is awaited here: the moment is to be any
			members[dies].kill()
		})
		for i := range perRound {
			item := fmt.Sprintf("item-%d-%d", round, i)
			items = append(items, item)
			for _, m := range rand.Perm(2) {
				members[m].say(item)
			}
			time.Sleep(time.Duration(rand.IntN(10)) * time.Millisecond)
		}
		killed.Wait()
		for i := range users {
			for _, item := range items[len(items)-perRound:] {
				receive(i, item)
			}
		}
		members[dies] = start(dies)
		for _, item := range items {
			members[dies].say(item)
		}
		members[dies].await("the XMPP account is shared")
	}
	for _, m := range members {
		m.say("empty?")
		m.await("empty")
	}
	for _, m := range members {
		m.say("the end")
	}
	again := 0
	for i := range users {
		receive(i, "the end")
		for _, item := range items {
			if n := got[i][item]; n != 1 {
				again += n - 1
				t.Logf("%s received %s %d times", names[i], item, n)
			}
		}
	}
	t.Logf("%d kills, %d items for %d addresses, %d came twice", rounds, len(items), len(users), again)
	if again > 0 {
		t.Errorf("%d messages came twice, while one of two nodes was always there", again)
	}
}
