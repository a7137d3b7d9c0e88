// Package demo shows a newcomer within a minute what the network does. It runs eight nodes in one process, and an
// origin with feeds and pages that change every few seconds. It prints which node found which change, how soon, and how
// many nodes have received it.
//
// Nothing in it is recorded or pretended. The nodes are whole ones with stores and pages of their own. They find each
// other and poll over real connections, and the report comes from their streams of updates. Only the news is made up,
// and the polling interval is short.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"

	"tidings"
	"tidings/cluster"
	"tidings/delivery/api"
	"tidings/node"
)

// Config says how the demonstration is to be. Start from Default.
type Config struct {
	HTTP     string        // address of the first node's page; port 0: any free one
	Interval time.Duration // how often a node that polls alone polls a channel; 2 s to 1 min
	Every    time.Duration // about how often something changes; 100 ms to 1 min
	Open     bool          // open the page in the browser
	Out      io.Writer
}

// Default returns a demonstration that one can follow with the eyes.
func Default() Config {
	return Config{HTTP: "127.0.0.1:0", Interval: 10 * time.Second, Every: 3 * time.Second}
}

// Validate reports the first setting that cannot be used, in words for the user.
func (c Config) Validate() error {
	if c.Interval < 2*time.Second || c.Interval > time.Minute {
		return fmt.Errorf("%w interval: %s is not between 2 seconds and 1 minute", tidings.ErrInvalid, c.Interval)
	}
	if c.Every < 100*time.Millisecond || c.Every > time.Minute {
		return fmt.Errorf("%w time between changes: %s is not between 100 ms and 1 minute", tidings.ErrInvalid, c.Every)
	}
	if _, _, err := net.SplitHostPort(c.HTTP); err != nil {
		return fmt.Errorf("%w address: %q is not HOST:PORT", tidings.ErrInvalid, c.HTTP)
	}
	return nil
}

// names are the nodes' names in the report; the first is the newcomer's own.
var names = []string{"you", "Ada", "Bruno", "Chidi", "Dora", "Emil", "Fumi", "Gwen"}

// demo is a demonstration that runs.
type demo struct {
	config  Config
	began   time.Time
	base    string       // the origin's address
	asked   atomic.Int64 // requests at the origin
	members []*cluster.Member
	clients []*api.Client
	ids     map[string]string // the nodes' names, by ID
	all     []*document
	readers map[string][]int // nodes, by document
}

// Run runs the demonstration until ctx ends, and removes what was stored.
func Run(ctx context.Context, c Config) (err error) {
	if err := c.Validate(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "tidings-demo-")
	if err != nil {
		return fmt.Errorf("making a folder to work in: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	d := &demo{config: c, ids: make(map[string]string), all: documents(), readers: make(map[string][]int)}
	stopOrigin, err := d.serve()
	if err != nil {
		return err
	}
	defer stopOrigin()
	fmt.Fprintf(c.Out, "Starting %d nodes …\n", len(names))
	config := cluster.Default()
	config.Nodes, config.HTTP, config.Dir = len(names), c.HTTP, dir
	config.Change = func(_ int, n *node.Config) { n.Interval = c.Interval }
	nodes, err := cluster.Start(ctx, config)
	if err != nil {
		return ended(ctx, err)
	}
	defer func() { err = errors.Join(err, nodes.Close()) }()
	d.members = nodes.Members()
	if err := d.settle(ctx, nodes); err != nil {
		return ended(ctx, err)
	}
	defer func() {
		for _, client := range d.clients {
			client.Close()
		}
	}()
	return ended(ctx, d.show(ctx))
}

// ended makes nothing of an error that only says that the demonstration was ended.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// answerWithin bounds how long the origin reads a request, and how long it answers.
const answerWithin = 10 * time.Second

// serve starts the origin and returns what stops it.
func (d *demo) serve() (stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("starting the origin: %w", err)
	}
	d.base = "http://" + listener.Addr().String() + "/"
	server := &http.Server{Handler: d.site(), ReadTimeout: answerWithin, WriteTimeout: answerWithin}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(listener) // polls that fail are on the page
	}()
	return func() { _ = server.Close(); <-served }, nil
}

// site is what the origin serves. It counts requests.
func (d *demo) site() http.Handler {
	documents := http.NewServeMux()
	for _, doc := range d.all {
		documents.Handle("GET /"+doc.name, doc)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		d.asked.Add(1)
		documents.ServeHTTP(w, r)
	})
}

// formWithin is how long the nodes may need to form one ring.
const formWithin = 5 * time.Minute

// settle waits for one ring, and has the nodes subscribe.
func (d *demo) settle(ctx context.Context, nodes *cluster.Cluster) error {
	forming, cancel := context.WithTimeout(ctx, formWithin)
	defer cancel()
	if err := nodes.Await(forming); err != nil {
		return err
	}
	for i, m := range d.members {
		view, err := m.Node().Network(ctx)
		if err != nil {
			return err
		}
		d.ids[view.ID] = names[i]
		d.clients = append(d.clients, api.Dial(api.SocketPath(m.Data)))
	}
	for k, doc := range d.all {
		for i := range d.members {
			if !follows(i, k) {
				continue
			}
			d.readers[doc.name] = append(d.readers[doc.name], i)
			if _, err := d.clients[i].Subscribe(ctx,
				tidings.SubscribeRequest{URL: d.base + doc.name, Folder: doc.folder}); err != nil {
				return fmt.Errorf("subscribing to %s: %w", doc.title, err)
			}
		}
	}
	return nil
}

// follows reports whether a node reads a document. The first reads two of three, and each document has five or six
// readers.
func follows(node, document int) bool { return (node+document)%3 != 2 }
