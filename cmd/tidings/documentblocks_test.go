package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// block is a block of a document that is no prose.
type block struct {
	kind blockKind
	line int // of its first line
	text string
}

type blockKind int

const (
	commandBlock  blockKind = iota // commands for a shell, or a session of commands after $ and what they print
	jsonBlock                      // JSON, perhaps only fields of an object
	requestBlock                   // requests to the API
	settingsBlock                  // TOML
	pathBlock                      // names of files
)

// kinds are what blocks begin with.
var kinds = []struct {
	begin *regexp.Regexp
	kind  blockKind
}{
	{regexp.MustCompile(`^(\$ )?(tidings|curl|go|docker|\./test)\b`), commandBlock},
	{regexp.MustCompile(`^[{"]`), jsonBlock},
	{regexp.MustCompile(`^(GET|POST|PUT|PATCH|DELETE) `), requestBlock},
	{regexp.MustCompile(`^\[\w+\]\n`), settingsBlock},
	{regexp.MustCompile(`^public/`), pathBlock},
}

// blocksOf returns the blocks of a document in Markdown. One of which nobody knows what it is is an error: its commands
// would never be tried.
func blocksOf(text string) (all []block, err error) {
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		begin, inner := i+1, []string(nil)
		language, fenced := strings.CutPrefix(lines[i], "```")
		switch {
		case fenced:
			for i++; i < len(lines) && lines[i] != "```"; i++ {
				inner = append(inner, lines[i])
			}
		case strings.HasPrefix(lines[i], "    ") && (i == 0 || strings.TrimSpace(lines[i-1]) == ""):
			for ; i < len(lines) && (strings.HasPrefix(lines[i], "    ") || lines[i] == "" && i+1 < len(lines) &&
				strings.HasPrefix(lines[i+1], "    ")); i++ {
				inner = append(inner, strings.TrimPrefix(lines[i], "    "))
			}
			i--
		default:
			continue
		}
		b := block{line: begin, text: strings.Join(inner, "\n") + "\n"}
		switch {
		case language == "sh" && fenced:
		case language == "json" && fenced:
			b.kind = jsonBlock
		case language == "lua" && fenced: // of an XMPP server: TestTheDocumentedConfiguration of node tries it
			continue
		case language == "xml" && fenced:
			if err := xml.NewDecoder(strings.NewReader(b.text)).Decode(new(struct{})); err != nil &&
				!errors.Is(err, io.EOF) {
				return nil, fmt.Errorf("line %d: %w", begin, err)
			}
			continue
		default:
			known := false
			for _, k := range kinds {
				if known = k.begin.MatchString(b.text); known {
					b.kind = k.kind
					break
				}
			}
			if !known {
				return nil, fmt.Errorf("line %d: nobody knows what this block is: %s", begin, b.text)
			}
		}
		all = append(all, b)
	}
	return all, nil
}

// wholeScript finds blocks that are one script, with lines that continue each other.
var wholeScript = regexp.MustCompile(`(?m)^tidings up & node=\$!$`)

// commands returns the commands of a block: each line, with those that belong to it.
func (b block) commands(t *testing.T) (all []string) {
	if wholeScript.MatchString(b.text) {
		return []string{b.text}
	}
	session := strings.HasPrefix(b.text, "$ ")
	open := ""
	for line := range strings.Lines(b.text) {
		command, entered := strings.CutPrefix(line, "$ ")
		if session && !entered || strings.TrimSpace(line) == "" {
			continue // printed
		}
		if open += command; exec.Command("sh", "-n", "-c", open).Run() == nil {
			all = append(all, strings.TrimSpace(open))
			open = ""
		}
	}
	if open != "" {
		t.Errorf("line %d: the block ends within a command: %s", b.line, open)
	}
	return all
}

// left is what documents leave out of JSON: values, and members of objects and arrays.
var left = regexp.MustCompile(`([\[{,:])\s*…`)

// parseDocumented parses JSON of a document, which may be a part of an object and leave things out.
func parseDocumented(text string) error {
	text = strings.TrimSuffix(strings.TrimSpace(text), ",")
	if !strings.HasPrefix(text, "{") && !strings.HasPrefix(text, "[") {
		text = "{" + text + "}"
	}
	text = left.ReplaceAllStringFunc(text, func(s string) string {
		if s[0] == ':' {
			return `:null`
		}
		return strings.TrimSuffix(s, "…")
	})
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	for {
		var v any
		if err := d.Decode(&v); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

var (
	inlineCommand = regexp.MustCompile("(?s)`(tidings(?:-lab)? [^`]+)`")
	// codeBlock is what inline does not read.
	codeBlock = regexp.MustCompile("(?ms)^```.*?^```$|^    .*?$")
	shellEnd  = regexp.MustCompile(`\s(>|<|\||&|#).*`)
	// wanting is the error where a value or an argument is left out, or a file is not there.
	wanting = regexp.MustCompile(`^expected |: a value is missing$|but got "EOL"|: no such file or directory$`)
	// placeholder is a word for a value that the command line checks beyond being a text.
	placeholder = regexp.MustCompile(`\b(BITS|N)\b`)
)

// inline holds that the command line understands the commands within the prose of a document, which are not run.
func (r *trial) inline(text string) {
	for _, m := range inlineCommand.FindAllStringSubmatch(codeBlock.ReplaceAllString(text, ""), -1) {
		if why := misunderstood(r, m[1]); why != nil {
			r.Errorf("%s: %v", m[1], why)
		}
	}
}

// misunderstood says what the command line does not understand of a command; nil: nothing. Arguments may be missing.
func misunderstood(t testing.TB, command string) error {
	command = shellEnd.ReplaceAllString(strings.Join(strings.Fields(command), " "), "")
	command = strings.NewReplacer("ZONE", "/eu", "[", "", "]", "", "…",
		"").Replace(placeholder.ReplaceAllString(command, "8"))
	program, rest, _ := strings.Cut(command, " ")
	out, err := exec.Command("sh", "-c", `printf '%s\n' `+rest).Output()
	if err != nil {
		return fmt.Errorf("it is no command: %w", err)
	}
	defer func() { _ = recover() }() // --help ends the program
	_, err = parsersOf(t)[program].Parse(strings.Split(strings.TrimSuffix(string(out), "\n"), "\n"))
	if err != nil && (wanting.MatchString(err.Error())) {
		return nil
	}
	return err
}

// What cannot be understood is found, in prose and in blocks.
func TestDocumentsAreRead(t *testing.T) {
	for command, want := range map[string]bool{
		"tidings trust URL FINGERPRINT [--third-party]": true, "tidings zone authority /eu > authority.txt": true,
		"tidings publish":     true,
		"tidings key network": true, "tidings-lab run pastry --seeds 3": true, "tidings-lab report": true,
		"tidings up --help":         true,
		"tidings publish --watches": false, "tidings lab": false, "tidings-lab list all": false, "tidings lst": false,
		"tidings list all": false, "tidings up --port many": false,
	} {
		if err := misunderstood(t, command); (err == nil) != want {
			t.Errorf("%s: %v", command, err)
		}
	}
	for text, want := range map[string]bool{
		`{"a":…,"b":[…],"c":{…}}`: true, `"push":{"since":"…"}`: true, `{"a":1}` + "\n" + `{"b":2}`: true,
		`{"a":1,}`: false, `"a":"b`: false,
	} {
		if err := parseDocumented(text); (err == nil) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
	blocks, err := blocksOf(
		"a\n\n    $ tidings list   # all\n    CHANNEL\n\n```sh\ntidings key list\ncurl -d " +
			"'{\n  1\n}' x\n```\n\n    {\"a\":1}\n")
	if err != nil || len(blocks) != 3 || blocks[1].line != 6 || blocks[2].kind != jsonBlock {
		t.Fatalf("%+v, %v", blocks, err)
	}
	if got := fmt.Sprintf("%q", append(blocks[0].commands(t),
		blocks[1].commands(t)...)); got != `["tidings list   # all" "tidings key list" "curl -d '{\n  1\n}' x"]` {
		t.Errorf("commands %s", got)
	}
	if _, err := blocksOf("a\n\n    frobnicate --all\n"); err == nil {
		t.Error("a block that nobody knows is passed over")
	}
}
