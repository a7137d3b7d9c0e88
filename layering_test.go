package tidings_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"regexp"
	"strings"
	"testing"
)

// rule forbids packages to import others, for a reason.
type rule struct {
	from   []string // path prefixes below the module, "" for the root package
	but    []string // path prefixes, or helpersOfTests, that from does not mean
	never  []string // import paths, with all below them; "tidings/" is all but the root package
	except []string // import paths that are allowed all the same
	why    string
}

// helpersOfTests stands for packages that only tests import. They are called after the package
// that they are about: network/engine/enginetest.
const helpersOfTests = "*test"

const oneRouter = "a network carries updates by one router, so each works without the others; what several need stands beside them in network"

var rules = []rule{
	{from: []string{"", "markup", "charset", "egress"}, but: []string{helpersOfTests}, never: []string{"tidings/"},
		why: "the shared words, what strangers' HTML may hold, how their documents are encoded and where a node connects for others stand below everything"},
	{from: []string{"view"}, never: []string{"tidings/"},
		why: "what is shown is values of the shared words alone, whoever makes them"},
	{from: []string{"source", "network"}, never: []string{"tidings/view"},
		why: "what a layer below the node needs is not for display alone"},
	{from: []string{"source"}, never: []string{"tidings/store", "tidings/delivery", "tidings/node", "tidings/cmd",
		"tidings/lab"},
		why: "watching the web knows neither where versions rest nor who reads them"},
	{from: []string{"source/news", "source/query"}, never: []string{"tidings/source"},
		except: []string{"tidings/source/feed", "tidings/source/news"},
		why:    "news formats read what feeds read too, and queries know the items alone"},
	{from: []string{"source/fetch", "source/feed", "source/page", "source/delta"}, never: []string{"tidings/source"},
		except: []string{"tidings/source/delta", "tidings/source/feed/date", "tidings/source/feed/nearjson"},
		why:    "each package below source can be understood alone"},
	{from: []string{"store"}, never: []string{"tidings/"}, except: []string{"tidings/store"},
		why: "the store keeps what it is given and knows nobody"},
	{from: []string{"store/db"}, never: []string{"tidings/store"},
		except: []string{"tidings/store/layer", "tidings/store/onebyte", "tidings/store/salvage"},
		why:    "the database knows no table of those that keep something in it"},
	{from: []string{"store/known", "store/words"}, never: []string{"tidings/"},
		why: "what helps the parts of the store keeps nothing, and knows none of them"},
	{from: []string{"store/column", "store/content", "store/fulltext", "store/large", "store/outbox", "store/published",
		"store/pushed", "store/reader", "store/search", "store/shared"}, never: []string{"tidings/store"},
		except: []string{"tidings/store/column", "tidings/store/db", "tidings/store/known", "tidings/store/salvage",
			"tidings/store/words"},
		why: "a part of the store has tables of its own, and can be understood without the others; package store composes them"},
	{from: []string{"delivery"}, never: []string{"tidings/store", "tidings/source", "tidings/node", "tidings/cmd",
		"tidings/lab"},
		why: "an interface says what it needs as an interface; the node connects it"},
	{from: []string{"node"}, never: []string{"tidings/cmd", "tidings/lab"},
		why: "the node can be started by a test and by an experiment as well as by the command line"},
	{from: []string{"node/channels", "node/chat", "node/coop", "node/descriptors", "node/diskspace", "node/doctor",
		"node/filename", "node/files", "node/filters", "node/fulltext", "node/history", "node/identity",
		"node/backup", "node/keyring", "node/media", "node/member", "node/origins", "node/owner", "node/pictures",
		"node/publish", "node/push", "node/queries", "node/routing", "node/trust", "node/wholefile", "node/zones"},
		never: []string{"tidings/delivery", "tidings/node"},
		except: []string{"tidings/node/broadcast", "tidings/node/channels", "tidings/node/coop/sharing",
			"tidings/node/diskspace", "tidings/node/filename", "tidings/node/keyring",
			"tidings/node/owner", "tidings/node/wholefile", "tidings/node/workerpool"},
		why: "a part of the node says what it needs of it, and can be understood without the others; the node connects them"},
	{from: []string{"node/servers"}, never: []string{"tidings/node"},
		except: []string{"tidings/node/channels", "tidings/node/hub", "tidings/node/owner"},
		why:    "what serves the interfaces knows them, and of the node what they ask of it"},
	{from: []string{"node/phones"}, never: []string{"tidings/node", "tidings/source", "tidings/network"},
		except: []string{"tidings/node/phones"},
		why:    "what readers on phones see is made of the store, and of what channels are told to do"},
	{from: []string{"network"}, never: []string{"tidings/source", "tidings/delivery", "tidings/store"},
		why: "what nodes tell each other is not the network's business: the layers do not know one another"},
	{from: []string{"network"}, never: []string{"tidings/node", "tidings/cmd", "tidings/lab"},
		but: []string{helpersOfTests},
		why: "nodes and experiments are built on the network, which knows neither"},
	{from: []string{"network"}, never: []string{"net/http"},
		why: "nodes meet by the connections of network/live, and origins are asked by source/fetch alone"},
	{from: []string{"network/engine"}, never: []string{"tidings/network"}, except: []string{"tidings/network/engine"},
		why: "the engine is what all protocols stand on, so it stands on none of them"},
	{from: []string{"network"}, never: []string{"tidings/network/sim", "tidings/network/live"},
		but: []string{"network/sim", "network/live", "network/routers/routertest", helpersOfTests},
		why: "a protocol is handed its world as an Env, and cannot tell which it is"},
	{from: []string{"network"}, never: []string{"github.com/libp2p", "github.com/multiformats"},
		but: []string{"network/live"},
		why: "who else is there, and how to reach them, is for network/live alone to know"},
	{from: []string{"network/corona/version/report", "network/corona/version/believe",
		"network/corona/version/deliver"},
		never: []string{"tidings/network/corona/version"}, except: []string{"tidings/network/corona/version/update"},
		why: "a part of how versions are made gets values and returns values, and can be understood without the others; package version passes them on"},
	{from: []string{"network/routers/newswire"}, never: []string{"tidings/network/routers"},
		except: []string{"tidings/network/routers/newswire"},
		why:    oneRouter},
	{from: []string{"network/routers/rappel"}, never: []string{"tidings/network/routers"},
		except: []string{"tidings/network/routers/rappel"},
		why:    oneRouter},
	{from: []string{"network/routers/scribe"}, never: []string{"tidings/network/routers"},
		except: []string{"tidings/network/routers/scribe"},
		why:    oneRouter},
	{from: []string{"network/routers/spidercast"}, never: []string{"tidings/network/routers"},
		except: []string{"tidings/network/routers/spidercast"},
		why:    oneRouter},
	{from: []string{"network/sim"}, never: []string{"tidings/network/live"},
		why: "a simulated world needs no connections"},
	{from: []string{"network/live"}, never: []string{"tidings/network"},
		except: []string{"tidings/network/live", "tidings/network/engine"},
		why:    "connections serve every protocol alike, so they know none"},
	{from: []string{"lab"}, never: []string{"tidings/cmd"},
		why: "an experiment can be run by a test as well as by the command line"},
	{from: []string{"cluster"}, never: []string{"tidings/store", "tidings/source", "tidings/delivery", "tidings/cmd",
		"tidings/lab"},
		why: "many nodes in one process are for the demonstration and for experiments, and know neither"},
	{from: []string{"cmd"}, never: []string{"tidings/store", "tidings/source"},
		why: "the command line parses, calls and prints"},
	{from: []string{"cmd/cli", "cmd/console"}, never: []string{"tidings/"}, except: []string{"tidings/cmd/console"},
		why: "what all commands have in common belongs to none of them"},
	{from: []string{"cmd"}, but: []string{"cmd/tidings-lab"}, never: []string{"tidings/lab", "tidings/cmd/tidings-lab"},
		why: "the laboratory is a program of its own"},
}

func TestImportsPointDown(t *testing.T) {
	for _, pkg := range packages(t) {
		own := strings.TrimPrefix(strings.TrimPrefix(pkg.ImportPath, "tidings"), "/")
		for _, r := range rules {
			if !belongs(own, r.from) || belongs(own, r.but) {
				continue
			}
			for _, imported := range pkg.Imports {
				if hasPrefix(imported, r.never) && !hasPrefix(imported, r.except) {
					t.Errorf("%s imports %s: %s", pkg.ImportPath, imported, r.why)
				}
			}
		}
	}
}

// What people run has neither experiments nor helpers of tests in it, by whatever way.
func TestTheProductHasNoLaboratory(t *testing.T) {
	for _, pkg := range list(t, "-deps", "./cmd/tidings") {
		for _, imported := range pkg.Imports {
			if hasPrefix(imported, []string{"tidings/lab", "testing"}) {
				t.Errorf("%s imports %s, and is part of cmd/tidings", pkg.ImportPath, imported)
			}
		}
	}
}

// A change of a channel, whatever brings it, enters the node at one place: there it is stored, and readers are
// notified.
func TestChangesHaveOneEntrance(t *testing.T) {
	const entrance = "node/channels/apply.go"
	enters := regexp.MustCompile(`(?i)\bstore\.Apply\(ctx`)
	found := false
	walk(t, func(file string) {
		if path.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "store/") {
			return
		}
		text, err := os.ReadFile(file)
		switch {
		case err != nil:
			t.Fatalf("reading what stores changes: %v", err)
		case !enters.Match(text):
		case file == entrance:
			found = true
		default:
			t.Errorf("%s stores changes by itself: they enter by %s alone", file, entrance)
		}
	})
	if !found {
		t.Errorf("%s stores nothing", entrance)
	}
}

// Connections that strangers' URLs cause have one guard: a copy of it would miss what is mended there.
func TestConnectionsForOthersHaveOneGuard(t *testing.T) {
	copies := regexp.MustCompile(
		`\bControl(Context)?:|http\.(Default(Client|Transport)|Get|Post|Head)\b|ProxyFromEnvironment`)
	guarded := map[string]bool{"egress/egress.go": false, "source/fetch/client.go": false}
	walk(t, func(file string) {
		part, _, _ := strings.Cut(file, "/")
		helper := strings.HasSuffix(path.Dir(file), "test")
		if path.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") || helper || part == "lab" || part == "cmd" ||
			part == "network" {
			return
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatalf("reading what connects: %v", err)
		}
		if !copies.Match(text) {
			return
		}
		if _, ok := guarded[file]; !ok {
			t.Errorf("%s connects past the guard, or has a copy of it: use package egress", file)
		}
		guarded[file] = true
	})
	for file, found := range guarded {
		if !found {
			t.Errorf("%s guards nothing", file)
		}
	}
}

func belongs(own string, from []string) bool {
	for _, f := range from {
		switch {
		case f == helpersOfTests && path.Base(own) == path.Base(path.Dir(own))+"test":
			return true
		case own == f || f != "" && strings.HasPrefix(own, f+"/"):
			return true
		}
	}
	return false
}

func hasPrefix(imported string, prefixes []string) bool {
	for _, p := range prefixes {
		below := strings.TrimSuffix(p, "/") + "/"
		if imported == p || strings.HasPrefix(imported, below) {
			return true
		}
	}
	return false
}

type listed struct {
	ImportPath string
	Imports    []string
}

// packages lists the project's packages with their imports, tests left out.
func packages(t *testing.T) []listed {
	t.Helper()
	return list(t, "./...")
}

// list lists packages with their imports as go list does.
func list(t *testing.T, arguments ...string) []listed {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list", "-json=ImportPath,Imports"}, arguments...)...).Output()
	if err != nil {
		t.Fatalf("listing packages: %v", err)
	}
	var all []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("reading the list of packages: %v", err)
		}
		all = append(all, p)
	}
	if len(all) < 2 {
		t.Fatalf("only %d packages listed", len(all))
	}
	return all
}
