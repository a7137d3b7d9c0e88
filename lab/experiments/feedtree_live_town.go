package experiments

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"tidings"
	"tidings/delivery/api"
	"tidings/lab"
	"tidings/lab/crowd"
	"tidings/lab/origin"
	"tidings/node"
)

// pushTown is an origin, publishers, and their readers.
type pushTown struct {
	run   *lab.Run
	sizes pushSizes

	ctx    context.Context
	stop   context.CancelFunc
	parts  sync.WaitGroup
	deafen context.CancelFunc // ends listening
	ears   sync.WaitGroup
	dir    string
	base   string // address of the origin
	origin *origin.Origin

	crowd     *crowd.Crowd
	publisher *api.Client    // of the first node
	victim    *crowd.Process // the publisher that is killed
	readers   []*pushReader  // all nodes but the first
	watched   *pushSite
	entries   *pushSite // its file is never edited
	killed    *pushSite
	results   pushResults
}

// publisherKey is how all publishers call their key.
const publisherKey = "me"

func startPushTown(run *lab.Run, s pushSizes) (_ *pushTown, err error) {
	t := &pushTown{run: run, sizes: s, deafen: func() {}}
	t.ctx, t.stop = context.WithCancel(run.Context())
	defer func() {
		if err != nil {
			err = errors.Join(err, t.close())
		}
	}()
	if t.dir, err = os.MkdirTemp("", "tidings-push-"); err != nil {
		return nil, fmt.Errorf("making a folder to work in: %w", err)
	}
	run.Stage("starting the nodes", 0.1)
	for _, start := range []func() error{t.serve, t.startNodes, t.announce, t.follow} {
		if err := start(); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// serve starts the origin.
func (t *pushTown) serve() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("starting the origin: %w", err)
	}
	t.base = "http://" + listener.Addr().String() + "/"
	t.origin = origin.New(origin.Config{})
	t.parts.Go(func() { _ = t.origin.Serve(t.ctx, listener) }) // looks that fail show in what is missing
	return nil
}

// startNodes starts the nodes and waits for one ring. Nobody looks of his own accord while the
// experiment runs: what comes is pushed.
func (t *pushTown) startNodes() error {
	c := crowd.Default()
	c.Nodes, c.HTTP, c.Dir, c.Seed = t.sizes.Nodes, "127.0.0.1:0", t.dir, t.run.Seed()
	c.Change = func(_ int, c *node.Config) { c.Interval = rareLooks }
	var err error
	if t.crowd, err = crowd.Start(t.ctx, c); err != nil {
		return err
	}
	members := t.crowd.Members()
	join, err := members[0].Address(t.ctx)
	if err != nil {
		return err
	}
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding this program: %w", err)
	}
	t.victim = &crowd.Process{Program: program, Data: filepath.Join(t.dir, "process"), Join: join, Looks: rareLooks}
	if err := t.victim.Start(t.ctx); err != nil {
		return err
	}
	t.publisher = api.Dial(api.SocketPath(members[0].Data))
	clients := []*api.Client{t.publisher, t.victim.Client()}
	for _, m := range members[1:] {
		r := &pushReader{member: m, client: api.Dial(api.SocketPath(m.Data)), told: make(map[string]pushTold)}
		t.readers, clients = append(t.readers, r), append(clients, r.client)
	}
	ctx, cancel := context.WithTimeout(t.ctx, 5*time.Minute)
	defer cancel()
	return crowd.AwaitRing(ctx, clients)
}

const rareLooks = time.Hour

// announce makes the publishers' keys, and has them publish what their sites have.
func (t *pushTown) announce() error {
	key, err := node.KeysIn(t.crowd.Members()[0].Data).New(publisherKey, "")
	if err != nil {
		return err
	}
	other, err := node.KeysIn(t.victim.Data).New(publisherKey, "")
	if err != nil {
		return err
	}
	for _, site := range []struct {
		at   **pushSite
		name string
		key  node.PublisherKey
		by   *api.Client
	}{{&t.watched, "watched", key, t.publisher}, {&t.entries, "entries", key, t.publisher}, {&t.killed, "killed", other, t.victim.Client()}} {
		s, err := newPushSite(t, site.name, site.key)
		if err != nil {
			return err
		}
		*site.at = s
		order := tidings.PublishOrder{Source: s.file, Channel: s.url, Watch: site.name != "entries"}
		issued, err := site.by.Publish(t.ctx, order)
		if err != nil {
			return err
		}
		if len(issued.Items) != oldStories || !issued.Announced {
			return fmt.Errorf("a site of %d stories that announces its key was published as %+v", oldStories, issued)
		}
	}
	return nil
}

// follow has the readers subscribe, waits until they rely on pushes, and listens to them.
func (t *pushTown) follow() error {
	var following errgroup.Group
	following.SetLimit(8)
	for i, r := range t.readers {
		following.Go(func() error {
			for _, s := range t.sites(i) {
				if _, err := r.client.Subscribe(t.ctx, tidings.Order{URL: s.url}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := following.Wait(); err != nil {
		return err
	}
	for i, r := range t.readers {
		for _, s := range t.sites(i) {
			if err := t.awaitGood(r, s); err != nil {
				return err
			}
		}
	}
	t.listen(t.readers)
	for i, r := range t.readers {
		for _, s := range t.sites(i) {
			if ok, err := t.hear([]*pushReader{r}, s.story(0), pushPatience); err != nil || !ok {
				return errors.Join(err, errors.New("whoever listens to a node hears nothing"))
			}
		}
	}
	return nil
}

// listen begins to listen at the doors of nodes, from the beginning of what they have to tell.
func (t *pushTown) listen(readers []*pushReader) {
	var ctx context.Context
	ctx, t.deafen = context.WithCancel(t.ctx)
	for _, r := range readers {
		t.ears.Go(func() { r.listen(ctx) })
	}
}

// sites are what the i-th reader follows.
func (t *pushTown) sites(i int) []*pushSite {
	if i < t.sizes.Readers {
		return []*pushSite{t.watched, t.entries, t.killed}
	}
	return []*pushSite{t.entries}
}

// pushPatience is how long anything may take that is to happen.
const pushPatience = 3 * time.Minute

// awaitGood waits until a reader relies on a publisher.
func (t *pushTown) awaitGood(r *pushReader, s *pushSite) error {
	for deadline := time.Now().Add(pushPatience); ; {
		f, err := r.client.Channel(t.ctx, s.url)
		if err != nil || f.Push != nil && f.Push.State == tidings.PushGood {
			return err
		}
		if time.Now().After(deadline) {
			return t.unready(s)
		}
		if err := sleep(t.ctx, time.Now().Add(50*time.Millisecond)); err != nil {
			return err
		}
	}
}

// unready tells how it stands with a site whose publisher is not relied on.
func (t *pushTown) unready(s *pushSite) error {
	states := make(map[tidings.PushState]int)
	for i, r := range t.readers {
		if !slices.Contains(t.sites(i), s) {
			continue
		}
		f, err := r.client.Channel(t.ctx, s.url)
		switch {
		case err != nil:
			return err
		case f.Push == nil:
			states["none"]++
		default:
			states[f.Push.State]++
		}
	}
	by := t.publisher
	if s == t.killed {
		by = t.victim.Client()
	}
	published, err := by.Publications(t.ctx)
	if err != nil {
		return err
	}
	return fmt.Errorf("readers of %s do not all rely on its publisher: their states are %v; it publishes %+v", s.name, states, published)
}

// close ends everything and removes what was stored.
func (t *pushTown) close() error {
	t.stop()
	t.ears.Wait()
	if t.victim != nil {
		t.victim.Kill()
		t.victim.Client().Close()
	}
	for _, r := range t.readers {
		r.client.Close()
	}
	if t.publisher != nil {
		t.publisher.Close()
	}
	var err error
	if t.crowd != nil {
		err = t.crowd.Close()
	}
	t.parts.Wait()
	return errors.Join(err, os.RemoveAll(t.dir))
}
