package experiments

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"tidings/delivery/api"
	"tidings/lab"
	"tidings/lab/crowd"
	"tidings/lab/origin"
	"tidings/node"
)

// liveTown is the origin, and the nodes that look at it.
type liveTown struct {
	run   *lab.Run
	work  *liveWork
	sizes liveSizes

	ctx    context.Context
	stop   context.CancelFunc
	parts  sync.WaitGroup
	dir    string
	base   string // address of the origin
	origin *origin.Origin
	looks  *liveLooks
	began  time.Time // when the first subscribes

	crowd *crowd.Crowd
	nodes []*liveNode // the killed ones first, those that join last
}

// liveNode is one node as whoever listens at its door sees it.
type liveNode struct {
	member   *crowd.Member  // nil: it is a process of its own
	process  *crowd.Process // nil: it is not
	client   *api.Client
	channels []int // that it subscribes to
	id       string
	stream   *liveStream
	up       []liveSpan
}

// liveSpan is a time in which a node was up, since the beginning.
type liveSpan struct{ from, to time.Duration }

const endless = time.Duration(1<<63 - 1)

func startLiveTown(run *lab.Run, work *liveWork, s liveSizes) (_ *liveTown, err error) {
	t := &liveTown{run: run, work: work, sizes: s}
	t.ctx, t.stop = context.WithCancel(run.Context())
	defer func() {
		if err != nil {
			err = errors.Join(err, t.close())
		}
	}()
	if t.dir, err = os.MkdirTemp("", "tidings-live-"); err != nil {
		return nil, fmt.Errorf("making a folder to work in: %w", err)
	}
	run.Stage("starting the nodes", 0.04)
	if err := t.startNodes(); err != nil {
		return nil, err
	}
	return t, t.serve()
}

// serve starts the origin.
func (t *liveTown) serve() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("starting the origin: %w", err)
	}
	t.base = "http://" + listener.Addr().String() + "/"
	t.began = time.Now()
	t.looks = newLiveLooks(t)
	t.origin = origin.New(origin.Config{Start: t.began.Add(t.sizes.Calm), Speed: t.sizes.Speed, LogSize: 1, Observe: t.looks.observe})
	for i := range t.work.channels {
		c := &t.work.channels[i]
		if err := t.origin.Add(c.name, c.replayed(), origin.Options{}); err != nil {
			return errors.Join(err, listener.Close())
		}
	}
	t.parts.Go(func() { _ = t.origin.Serve(t.ctx, listener) }) // looks that fail are counted
	return nil
}

// looksAtATime is how many looks a node makes at a time: the origin answers at once, and all nodes share a
// machine, so that more would only wait for each other; some wait for the disk.
const looksAtATime = 16

// startNodes starts the nodes and waits for one ring.
func (t *liveTown) startNodes() error {
	s := t.sizes
	c := crowd.Default()
	c.Nodes, c.HTTP, c.Dir, c.Seed = s.Nodes-s.Killed, "127.0.0.1:0", t.dir, t.run.Seed()
	c.Change = func(_ int, c *node.Config) { c.Interval, c.Looks = s.Interval, looksAtATime }
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
	for i := range s.Killed {
		p := &crowd.Process{Program: program, Data: filepath.Join(t.dir, fmt.Sprint("process-", i)), Join: join, Looks: s.Interval}
		if err := p.Start(t.ctx); err != nil {
			return err
		}
		t.nodes = append(t.nodes, &liveNode{process: p, client: p.Client()})
	}
	for _, m := range members {
		t.nodes = append(t.nodes, &liveNode{member: m, client: api.Dial(api.SocketPath(m.Data))})
	}
	for i := range t.work.channels {
		for _, n := range t.work.channels[i].readers {
			t.nodes[n].channels = append(t.nodes[n].channels, i)
		}
	}
	return t.awaitRing()
}

// awaitRing waits until all nodes that run form one ring.
func (t *liveTown) awaitRing() error {
	ctx, cancel := context.WithTimeout(t.ctx, 5*time.Minute)
	defer cancel()
	var clients []*api.Client
	for _, n := range t.nodes {
		clients = append(clients, n.client)
	}
	return crowd.AwaitRing(ctx, clients)
}

func (t *liveTown) now() time.Duration { return time.Since(t.began) }

// live lets everything happen, until the end and some time more.
func (t *liveTown) live() error {
	s := t.sizes
	t.run.Stage("polling together", 0.95)
	for i, n := range t.nodes {
		if err := t.open(n); err != nil {
			return err
		}
		t.follow(n, s.Subscribe, time.Duration(i)*min(subscribeEvery, s.Subscribe)/time.Duration(len(t.nodes)))
	}
	if err := t.wait(s.half()); err != nil {
		return err
	}
	for _, n := range t.nodes[:s.Killed] {
		n.process.Kill()
		n.up[len(n.up)-1].to = t.now()
	}
	if err := t.join(); err != nil {
		return err
	}
	if err := t.wait(s.back()); err != nil {
		return err
	}
	for _, n := range t.nodes[:s.Killed] {
		if err := n.process.Start(t.ctx); err != nil {
			return err
		}
		n.up = append(n.up, liveSpan{t.now(), endless})
	}
	return t.wait(s.For + s.grace())
}

// join starts nodes beside the others; each subscribes to what one of the others does.
func (t *liveTown) join() error {
	for i := range t.sizes.Joined {
		m, err := t.crowd.Add(t.ctx)
		if err != nil {
			return err
		}
		n := &liveNode{member: m, client: api.Dial(api.SocketPath(m.Data)), channels: t.nodes[i].channels}
		t.nodes = append(t.nodes, n)
		if err := t.open(n); err != nil {
			return err
		}
		t.follow(n, t.sizes.follow(), 0)
	}
	return nil
}

// open begins to listen at a node's door.
func (t *liveTown) open(n *liveNode) error {
	view, err := n.client.Network(t.ctx)
	if err != nil {
		return err
	}
	n.id = view.ID
	n.up = append(n.up, liveSpan{t.now(), endless})
	n.stream = newLiveStream(t, n)
	t.parts.Go(func() { n.stream.listen(t.ctx, n.client) })
	return nil
}

// subscribeEvery is how much time passes between two lists of channels that a node subscribes to.
const subscribeEvery = 5 * time.Second

// follow has a node subscribe to its channels, list by list, in a time that begins after a delay.
func (t *liveTown) follow(n *liveNode, within, delay time.Duration) {
	begin := time.Now().Add(delay)
	t.parts.Go(func() {
		lists := max(int(within/subscribeEvery), 1)
		for i := range lists {
			if sleep(t.ctx, begin.Add(time.Duration(i)*subscribeEvery)) != nil {
				return
			}
			from, to := i*len(n.channels)/lists, (i+1)*len(n.channels)/lists
			if err := t.subscribe(n, n.channels[from:to]); err != nil && t.ctx.Err() == nil {
				n.stream.fail(err)
				return
			}
		}
	})
}

// subscribe has a node follow channels, as from a list of another reader.
func (t *liveTown) subscribe(n *liveNode, channels []int) error {
	var list bytes.Buffer
	list.WriteString("<opml version=\"2.0\"><body>\n")
	for _, c := range channels {
		fmt.Fprintf(&list, "<outline type=\"rss\" xmlUrl=\"%s\"/>\n", t.base+t.work.channels[c].name)
	}
	list.WriteString("</body></opml>\n")
	last, err := n.client.Import(t.ctx, &list, false, func(api.ImportProgress) {})
	if err == nil && last.Failed > 0 {
		err = fmt.Errorf("%d of %d channels cannot be followed", last.Failed, last.Total)
	}
	return err
}

// wait waits until so much time has passed.
func (t *liveTown) wait(until time.Duration) error {
	whole := t.sizes.For + t.sizes.grace()
	for t.now() < until {
		if err := sleep(t.ctx, time.Now().Add(min(time.Second, until-t.now()))); err != nil {
			return err
		}
		t.run.Part(int(t.now()/time.Millisecond), int(whole/time.Millisecond))
	}
	for _, n := range t.nodes {
		if err := n.stream.err(); err != nil {
			return err
		}
	}
	return nil
}

func sleep(ctx context.Context, until time.Time) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Until(until)):
		return nil
	}
}

// close ends everything and removes what was stored.
func (t *liveTown) close() error {
	t.stop()
	for _, n := range t.nodes {
		if n.process != nil {
			n.process.Kill()
		}
		n.client.Close()
	}
	var err error
	if t.crowd != nil {
		err = t.crowd.Close()
	}
	t.parts.Wait()
	return errors.Join(err, os.RemoveAll(t.dir))
}
