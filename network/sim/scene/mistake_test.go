package scene

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"tidings/network/engine"
)

// recorder is a testing.TB that keeps what a test dies of.
type recorder struct {
	testing.TB
	fatal string
}

func (r *recorder) Helper()             {}
func (r *recorder) Failed() bool        { return r.fatal != "" }
func (r *recorder) Logf(string, ...any) {}
func (r *recorder) Fatalf(f string, args ...any) {
	r.fatal = fmt.Sprintf(f, args...)
	runtime.Goexit()
}

// dies plays a script and returns what it died of.
func dies(text string, stage Stage) string {
	r := &recorder{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		playText(r, text, stage)
	}()
	<-done
	return r.fatal
}

func TestMistakesNameTheLine(t *testing.T) {
	const start = "# Guards nothing.\nadd a3 b7\nlog off\n"
	for _, c := range []struct{ line, want string }{
		{"dance a3", `<string>:4: unknown command "dance"`},
		{"show", `<string>:4: unknown command "show"`},
		{"ping c1 to=b7 key=a4", `<string>:4: ping: there is no node "c1"`},
		{"ping a3 to=c1 key=a4", `<string>:4: ping: there is no node "c1"`},
		{"ping a3 key=a4", "<string>:4: ping: to= is missing"},
		{"ping", "<string>:4: ping: too few arguments"},
		{"ping a3 to=b7 key=xy", `<string>:4: ping: "xy" is neither a node nor the start of an ID`},
		{"ping a3 to=b7 key=a4 nmber=3", `<string>:4: ping: what is "nmber=3"?`},
		{"ping a3 b7 to=b7 key=a4", `<string>:4: ping: what is "b7"?`},
		{"ping a3 to=b7 key=a4 number=x", "<string>:4: ping: number=x is no number"},
		{"ping a3 to=(b7, a3) key=a4", "<string>:4: ping: to has one value"},
		{"\n# a comment\n\n  dance", `<string>:7: unknown command "dance"`},
		{"run soon", `<string>:4: run: "soon" is no length of time`},
		{"run 2s\nrun until=1s", "<string>:5: run: it is 2.000s already"},
		{"add", "<string>:4: add: which node?"},
		{"add a3", `<string>:4: add: there is a node "a3" already`},
		{"add bob", `<string>:4: add: "bob" is not the start of an ID in hexadecimal digits`},
		{"add c1 role=saint", `<string>:4: add: there is no role "saint"; there are ["liar"]`},
		{"crash a3\ncrash a3", "<string>:5: crash: a3 is down"},
		{"crash", "<string>:4: crash: which node?"},
		{"crash a3\nshow heard a3", "<string>:5: show heard: a3 is down"},
		{"restart a3 with=luck", "<string>:4: restart: with=state, with=nothing or with=backup?"},
		{"restart a3 address=old", "<string>:4: restart: address=same or address=new?"},
		{"drop a3 b7 kind=pastry.*", `<string>:4: drop: no message is called "pastry.*"`},
		{"drop a3", "<string>:4: drop: too few arguments"},
		{"delay a3 b7", "<string>:4: delay: by= is missing"},
		{"delay a3 b7 by=0s", "<string>:4: delay: by=0s is no delay"},
		{"restart a3 with=backup", "<string>:4: restart: there is no backup of a3"},
		{"pause a3", "<string>:4: pause: for= is missing"},
		{"pause a3 for=0s", "<string>:4: pause: for=0s is no time"},
		{"suspend c1 for=1s", `<string>:4: suspend: there is no node "c1"`},
		{"clock a3 rate=0", "<string>:4: clock: rate=0 does not lie between 1/1024 and 1024"},
		{"clock a3 wall=early", `<string>:4: clock: "early" is no length of time`},
		{"partition a3 flap=0s", "<string>:4: partition: flap=0s is no time"},
		{"partition a3 |", "<string>:4: partition: a group without nodes"},
		{"partition a3 | b7,a3", "<string>:4: partition: a3 is named twice"},
		{"partition a3 | c1", `<string>:4: partition: there is no node "c1"`},
		{"cut a3 b7", "<string>:4: cut: from whom to whom?"},
		{"log loud", "<string>:4: log: on or off?"},
		{"run until=(1s", "<string>:4: cannot parse directive at column 11: run until=(1s"},
	} {
		if got := dies(start+c.line+"\n----\nok\n", toyStage()); got != c.want {
			t.Errorf("%q: died of %q, want %q", c.line, got, c.want)
		}
	}
}

func TestScriptSaysWhatItGuards(t *testing.T) {
	for _, text := range []string{"add a3\n----\nok\n", "#\nadd a3\n----\nok\n", "\n# Guards.\nadd a3\n----\nok\n"} {
		if got, want := dies(text, toyStage()),
			"<string>:1: a scene begins with a comment that says what it guards"; got != want {
			t.Errorf("%q: died of %q, want %q", text, got, want)
		}
	}
}

func TestOtherOutputFails(t *testing.T) {
	if flag.Lookup("rewrite").Value.String() == "true" {
		t.Skip("-rewrite accepts any output")
	}
	got := dies("# Guards nothing.\nadd a3 b7\nping a3 to=b7 key=a4\n----\nok\n", toyStage())
	if !strings.Contains(got, "toy.ping") {
		t.Errorf("died of %q, want the difference", got)
	}
}

func TestStageAcceptsNoCommandOfTheHarness(t *testing.T) {
	stage := toyStage()
	stage.Commands = map[string]Command{"run": func(*Call) {}}
	if got, want := dies("# Guards nothing.\nadd a3\n----\nok\n", stage),
		`<string>: the command "run" is the harness's own`; got != want {
		t.Errorf("died of %q, want %q", got, want)
	}
}

func TestOtherProtocolFails(t *testing.T) {
	stage := toyStage()
	stage.Commands["stack"] = func(c *Call) { On[*engine.Stack](c, c.Node(0)) }
	got := dies("# Guards nothing.\nadd a3\nstack a3\n----\nok\n", stage)
	if want := "<string>:3: stack: a3 runs *scene.toy, not *engine.Stack"; got != want {
		t.Errorf("died of %q, want %q", got, want)
	}
}

// The example of the package's documentation is a scene that holds.
func TestDocumentationHolds(t *testing.T) {
	source, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(source), "//\t#")
	example, _, found := strings.Cut("//\t#"+rest, "// A test plays")
	if !found {
		t.Fatal("no example in doc.go")
	}
	example = strings.ReplaceAll(strings.ReplaceAll(example, "//\t", ""), "//\n", "\n")
	if strings.Count(example, "----") != 2 {
		t.Fatalf("the example has not two blocks:\n%s", example)
	}
	playText(t, example, toyStage())
}
