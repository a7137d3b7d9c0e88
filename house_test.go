package tidings_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// rule forbids packages to import others, for a reason.
type rule struct {
	from   []string // path prefixes below the module, "" for the root package
	never  []string // import paths, with all below them; "tidings/" is all but the root package
	except []string // import paths that are allowed all the same
	why    string
}

var house = []rule{
	{from: []string{""}, never: []string{"tidings/"},
		why: "the shared words stand below everything"},
	{from: []string{"source"}, never: []string{"tidings/store", "tidings/delivery", "tidings/node", "tidings/cmd", "tidings/lab"},
		why: "watching the web knows neither where versions rest nor who reads them"},
	{from: []string{"source/fetch", "source/feed", "source/page", "source/delta"}, never: []string{"tidings/source"},
		except: []string{"tidings/source/delta"},
		why:    "each room of the source floor can be understood alone"},
	{from: []string{"store"}, never: []string{"tidings/"}, except: []string{"tidings/store"},
		why: "the store keeps what it is given and knows nobody"},
	{from: []string{"delivery"}, never: []string{"tidings/store", "tidings/source", "tidings/node", "tidings/cmd", "tidings/lab"},
		why: "a door says what it needs as an interface; the node connects it"},
	{from: []string{"node"}, never: []string{"tidings/cmd"},
		why: "the node can be started by a test as well as by the command line"},
	{from: []string{"network"}, never: []string{"tidings/store", "tidings/delivery", "tidings/node", "net/http"},
		why: "protocols speak to their Env alone"},
	{from: []string{"cmd"}, never: []string{"tidings/store", "tidings/source"},
		why: "the command line parses, calls and prints"},
}

func TestImportsPointDown(t *testing.T) {
	for _, pkg := range packages(t) {
		own := strings.TrimPrefix(strings.TrimPrefix(pkg.ImportPath, "tidings"), "/")
		for _, r := range house {
			if !belongs(own, r.from) {
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

func belongs(own string, from []string) bool {
	for _, f := range from {
		if own == f || f != "" && strings.HasPrefix(own, f+"/") {
			return true
		}
	}
	return false
}

func hasPrefix(path string, prefixes []string) bool {
	for _, p := range prefixes {
		below := strings.TrimSuffix(p, "/") + "/"
		if path == p || strings.HasPrefix(path, below) {
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
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "./...").Output()
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
