package homes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"tidings/delivery/api"
	"tidings/lab/homes"
	"tidings/lab/origin"
	"tidings/lab/process"
	"tidings/view"
)

// world is an Internet with two public nodes, and nodes at homes.
type world struct {
	sizes sizes
	net   *homes.Net
	logs  string // folder of their logs
	noted string // how the ring stood when that was noted
	seed  uint64

	relay *member
	plain *member // nil: no other public node is there
	homes []*member

	origin  *origin.Origin // nil: there is none, and nobody follows anything
	changes []change
	began   time.Time // when the nodes at homes were started

	life  context.Context // of the origin, and of those that listen
	stop  context.CancelFunc
	parts sync.WaitGroup
}

// newWorld makes the Internet, so many homes of each kind, and all nodes, which are down. If lone, a relay is the only
// public node. Logs are removed with the world if no folder is named.
func newWorld(ctx context.Context, s sizes, kinds []homes.Kind, each int, lone bool, logs string) (w *world,
	err error) {
	w = &world{sizes: s}
	w.life, w.stop = context.WithCancel(ctx)
	defer func() {
		if err != nil {
			err = errors.Join(err, w.close())
		}
	}()
	if w.net, err = homes.New(homes.Settings{RoundTrip: s.RoundTrip, Forget: s.Forget,
		Names: []string{relay, plain, source}}); err != nil {
		return nil, err
	}
	w.logs = cmp.Or(logs, w.net.Dir())
	if err := os.MkdirAll(w.logs, 0o755); err != nil {
		return nil, fmt.Errorf("making a folder for logs: %w", err)
	}
	if w.relay, err = w.public(relay); err != nil {
		return nil, err
	}
	if !lone {
		if w.plain, err = w.public(plain); err != nil {
			return nil, err
		}
	}
	if err := os.WriteFile(w.notes(), nil, 0o644); err != nil {
		return nil, fmt.Errorf("making a file of what happens: %w", err)
	}
	for _, kind := range kinds {
		for i := range each {
			home, err := w.net.Home(kind)
			if err != nil {
				return nil, err
			}
			m, err := w.member(fmt.Sprintf("%s-%d", kind, i+1), &home.Machine)
			if err != nil {
				return nil, err
			}
			m.home = home
			w.homes = append(w.homes, m)
		}
	}
	return w, nil
}

// public makes a node on a public machine.
func (w *world) public(name string) (*member, error) {
	m, err := w.net.Public(name)
	if err != nil {
		return nil, err
	}
	return w.member(strings.TrimSuffix(name, ".example"), m)
}

// all returns all nodes, the public ones first.
func (w *world) all() []*member { return append(w.publics(), w.homes...) }

// publics returns the public nodes that there are, the relay first.
func (w *world) publics() []*member {
	return slices.DeleteFunc([]*member{w.relay, w.plain}, func(m *member) bool { return m == nil })
}

// startPublic starts the public nodes, and gives all others their addresses, as a node's status first lists them.
func (w *world) startPublic(ctx context.Context) error {
	w.relay.process.Flags = []string{"--relay"}
	if err := w.relay.start(ctx); err != nil {
		return err
	}
	if w.plain != nil {
		first, err := w.relay.address(ctx, "/ip4/")
		if err != nil {
			return err
		}
		w.plain.process.Flags = []string{"--join", first}
		if err := w.plain.start(ctx); err != nil {
			return err
		}
	}
	for _, h := range w.homes {
		family := "/ip4/"
		if h.home.Kind == homes.IPv6 {
			family = "/ip6/"
		}
		h.process.Flags = nil
		for _, public := range w.publics() {
			address, err := public.address(ctx, family)
			if err != nil {
				return err
			}
			h.process.Flags = append(h.process.Flags, "--join", address)
		}
	}
	return nil
}

// startHomes starts all others, at the same time.
func (w *world) startHomes(ctx context.Context) error {
	w.began = time.Now()
	starts, ctx := errgroup.WithContext(ctx)
	for _, h := range w.homes {
		starts.Go(func() error { return h.start(ctx) })
	}
	return starts.Wait()
}

// close ends everything.
func (w *world) close() error {
	w.stop()
	w.parts.Wait()
	for _, m := range w.all() {
		m.process.Kill()
		m.process.Client().Close()
	}
	if w.net == nil {
		return nil
	}
	return w.net.Close()
}

// member is a node on a machine.
type member struct {
	name     string
	machine  *homes.Machine
	home     *homes.Home // nil: it is public
	process  *process.Process
	id       string // empty: it has not run so far
	received received
}

func (w *world) member(name string, machine *homes.Machine) (*member, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program: %w", err)
	}
	log := filepath.Join(w.logs, name+".log")
	if err := os.WriteFile(log, nil, 0o644); err != nil { // not that of a run before
		return nil, fmt.Errorf("making a log: %w", err)
	}
	return &member{name: name, machine: machine, process: &process.Process{
		Program: program, Data: filepath.Join(w.net.Dir(), name), Polls: w.sizes.Interval,
		Launch: machine.Start, Log: log,
	}}, nil
}

// start starts the node and returns when it answers.
func (m *member) start(ctx context.Context) error {
	if err := m.process.Start(ctx); err != nil {
		return fmt.Errorf("%s: %w", m.name, err)
	}
	network, err := m.view(ctx)
	if err == nil {
		m.id = network.ID
	}
	return err
}

func (m *member) client() *api.Client { return m.process.Client() }

// viewWithin bounds how long a node needs to answer with its status.
const viewWithin = 5 * time.Second

func (m *member) view(ctx context.Context) (view.Network, error) {
	ctx, cancel := context.WithTimeout(ctx, viewWithin)
	defer cancel()
	v, err := m.client().Network(ctx)
	if err != nil {
		return v, fmt.Errorf("asking %s how it stands: %w", m.name, err)
	}
	return v, nil
}

// addressWithin bounds how long a node needs to report where it can be reached.
const addressWithin = 10 * time.Second

// address returns the first address that the node's status has which holds a text.
func (m *member) address(ctx context.Context, text string) (string, error) {
	var all []string
	err := poll(ctx, addressWithin, func() (bool, error) {
		v, err := m.view(ctx)
		all = v.Addresses
		return slices.ContainsFunc(all, func(a string) bool { return strings.Contains(a, text) }), err
	})
	if err != nil {
		return "", fmt.Errorf("%s has no address with %s, but %v: %w", m.name, text, all, err)
	}
	return all[slices.IndexFunc(all, func(a string) bool { return strings.Contains(a, text) })], nil
}

// errOver says that what was waited for did not happen in time.
var errOver = errors.New("time is over")

// poll asks until something has happened; in time, or it is errOver.
func poll(ctx context.Context, within time.Duration, happened func() (bool, error)) error {
	for deadline := time.Now().Add(within); ; {
		ok, err := happened()
		switch {
		case err != nil:
			return err
		case ok:
			return nil
		case time.Now().After(deadline):
			return errOver
		}
		if err := pause(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
}
