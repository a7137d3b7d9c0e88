package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"tidings"
	"tidings/cmd/cli"
	lab "tidings/cmd/tidings-lab/commands"
	"tidings/delivery/api"
	"tidings/lab/cost"
	"tidings/view"
)

func TestMain(m *testing.M) {
	stopWithin = patience // of the nodes in this process and in those that scripts start
	testscript.Main(m, map[string]func(){"tidings": main, "tidings-lab": func() { cli.Main(lab.Run) }})
}

// TestScripts runs the scripts of testdata/script. Besides testscript's own commands they have
//
//	origin NAME       serve the folder NAME on loopback; its address is in $ORIGIN
//	node [FLAG]…      start a node on $TIDINGS_DATA that polls every 100 ms; wait until it is up
//	down              stop the node, and wait until it is down; testscript's own stop ends the script
//	status            set $ADDRESS to where other nodes find the node, $ID to its ID
//	pushed STATE URL  wait until a followed channel is pushed in that way
//	zone PATH         wait until the node is in a zone
//	holds URL TITLE   wait until a followed channel has reported an item of that title
//	failed NAME       wait until a delivery to the address of that name has failed
//	knows ID          wait until the node knows the node of an ID; with !, until it does not
//
// A node works alone unless its flags name where to listen for others, or a node to join. Even then it leaves the local
// network alone.
//
// The condition [inspector] holds where the Model Context Protocol's inspector is at hand, with its command in
// $INSPECTOR.
//
// Below $TIDINGS_DATA is room for the data of further nodes. The condition [raced] holds under the race detector.
// There, with -short too, only scripts run in which the program does several things at a time: most of the time goes
// into starting it.
func TestScripts(t *testing.T) {
	inspector, err := filepath.Abs("../../artefacts/tools/node_modules/.bin/mcp-inspector")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(inspector); err != nil || testing.Short() {
		t.Log("the MCP inspector is missing, or tests are short: mcp.txtar is skipped")
		inspector = ""
	}
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireUniqueNames:  true,
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			data, err := os.MkdirTemp("", "td") // a socket's path must be short
			if err != nil {
				return err
			}
			env.Defer(func() { os.RemoveAll(data) })
			env.Setenv("TIDINGS_DATA", data)
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("INSPECTOR", inspector)
			return nil
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "raced":
				return cost.RaceDetector(), nil
			case "inspector":
				return inspector != "", nil
			}
			return false, fmt.Errorf("there is no condition %q", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"origin": serveOrigin,
			"node":   startNode,
			"down":   stopNode,
			"status": readStatus,
			"knows":  waitForPeer,
			"pushed": waitForPush,
			"zone":   waitForZone,
			"holds":  waitForItem,
			"failed": waitForFailure,
		},
	})
}

func serveOrigin(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: origin NAME")
	}
	files := http.FileServer(http.Dir(ts.MkAbs(args[0])))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/limited.xml" {
			w.Header().Set("Retry-After", "3600")
			http.Error(w, "later", http.StatusTooManyRequests)
			return
		}
		r.Header.Del("If-Modified-Since") // files change within a second here
		w.Header().Set("Cache-Control", "no-cache")
		files.ServeHTTP(w, r)
	}))
	ts.Defer(server.Close)
	ts.Setenv("ORIGIN", server.URL)
}

func startNode(ts *testscript.TestScript, neg bool, args []string) {
	data := ts.Getenv("TIDINGS_DATA")
	page, stop, err := launch(data, ts.Getenv, append([]string{company(args)}, args...))
	if err != nil && neg {
		ts.Logf("%v", err)
		return
	}
	ts.Check(err)
	once := sync.OnceFunc(func() {
		if log := stop(); log != "" {
			ts.Logf("%s", log)
		}
	})
	if neg {
		once()
		ts.Fatalf("the node is up")
	}
	ts.Setenv("PAGE", page)
	running.Store(data, once)
	ts.Defer(once)
}

// launch starts a node on a data directory and waits until it is up. It returns the node's page, and a function that
// stops it and says what went wrong meanwhile; "" if nothing did.
func launch(data string, env func(string) string, flags []string) (page string, stop func() string, err error) {
	ctx, cancel := context.WithCancel(context.Background())
	out, print := io.Pipe()
	status, log := make(chan int, 1), &strings.Builder{}
	args := append([]string{"up", "--data", data, "--lab-origins", "--interval", "100ms", "--http", "127.0.0.1:0",
		"--log-level", "warn"}, flags...)
	go func() {
		status <- run(ctx, args, strings.NewReader(""), print, log, env)
		print.Close()
	}()
	line, _ := bufio.NewReader(out).ReadString('\n')
	stop = func() string {
		cancel()
		if got := <-status; got != 0 {
			return fmt.Sprintf("the node ended with status %d: %s", got, log)
		}
		return ""
	}
	if !strings.HasPrefix(line, "Tidings is up: http://127.0.0.1:") {
		return "", nil, fmt.Errorf("the node said %q; %s", line, stop())
	}
	return strings.Fields(line)[3], stop, nil
}

// company is the flag that keeps a script's node from nodes that the script does not know.
func company(args []string) string {
	for _, arg := range args {
		if strings.HasPrefix(arg, "--listen") || strings.HasPrefix(arg, "--join") {
			return "--no-mdns"
		}
	}
	return "--no-network"
}

// running are the functions that stop the scripts' nodes, by their data directories.
var running sync.Map

func stopNode(ts *testscript.TestScript, _ bool, _ []string) {
	stop, ok := running.Load(ts.Getenv("TIDINGS_DATA"))
	if !ok {
		ts.Fatalf("no node was started")
	}
	stop.(func())()
}

func readStatus(ts *testscript.TestScript, _ bool, _ []string) {
	client := api.Dial(api.SocketPath(ts.Getenv("TIDINGS_DATA")))
	defer client.Close()
	status, err := client.Status(context.Background())
	ts.Check(err)
	if len(status.Addresses) == 0 {
		ts.Fatalf("the node has no address for others")
	}
	ts.Setenv("ADDRESS", status.Addresses[0])
	ts.Setenv("ID", status.ID)
}

// patience bounds how long a script waits: so long that only what never comes exceeds it, on any machine.
const patience = 10 * time.Minute

// await asks the node of a script until is reports that what the script waits for is there.
func await(ts *testscript.TestScript, what string, is func(context.Context, *api.Client) (bool, error)) {
	client := api.Dial(api.SocketPath(ts.Getenv("TIDINGS_DATA")))
	defer client.Close()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for {
		there, err := is(ctx, client)
		if ctx.Err() != nil {
			ts.Fatalf("this never came to be: %s", what)
		}
		ts.Check(err)
		if there {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

func waitForPeer(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: knows ID")
	}
	await(ts, "the node knows the other, or with ! does not", func(ctx context.Context, client *api.Client) (bool,
		error) {
		peers, err := client.Peers(ctx)
		return slices.ContainsFunc(peers, func(p view.Peer) bool { return p.ID == args[0] }) != neg, err
	})
}

func waitForPush(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: pushed STATE URL")
	}
	await(ts, "the channel is pushed in that way", func(ctx context.Context, client *api.Client) (bool, error) {
		f, err := client.Channel(ctx, args[1])
		return f.Push != nil && string(f.Push.State) == args[0], err
	})
}

func waitForZone(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: zone PATH")
	}
	await(ts, "the node is in the zone", func(ctx context.Context, client *api.Client) (bool, error) {
		n, err := client.Network(ctx)
		return n.Zones != nil && n.Zones.Own == args[0], err
	})
}

// waitForFailure waits until an attempt at the target of a name has failed.
func waitForFailure(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: failed NAME")
	}
	await(ts, "a delivery fails", func(ctx context.Context, client *api.Client) (bool, error) {
		all, err := client.Notify().Deliveries(ctx, 0, 100)
		return slices.ContainsFunc(all, func(d tidings.Delivery) bool { return d.Name == args[0] && d.Tries > 0 }), err
	})
}

func waitForItem(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: holds URL TITLE")
	}
	await(ts, "the channel has the item", func(ctx context.Context, client *api.Client) (bool, error) {
		entries, err := client.Entries(ctx, tidings.EntryQuery{Channel: args[0]})
		return slices.ContainsFunc(entries, func(e tidings.Entry) bool { return e.Content.Title == args[1] }), err
	})
}
