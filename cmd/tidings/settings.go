package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"tidings"
)

// settingsName is the file's name in the data directory and among the person's settings.
const settingsName = "tidings.toml"

// maxSettings bounds a settings file in bytes.
const maxSettings = 1 << 20

// settings gives flags that the command line does not name: from the environment, else
// from files. It is one kong resolver, because kong's own reading of the environment
// would come after a resolver's.
type settings struct {
	env     func(string) string
	files   []settingsFile // the stronger first
	sources map[string]string
}

// settingsFile is the values of one file, by command and flag: "up http", or " http" for a flag at the top, which holds
// for every command that has it.
type settingsFile struct {
	path   string
	values map[string]any
}

// load finds and reads the files before kong resolves flags.
func (s *settings) load(ctx *kong.Context) error {
	s.sources = map[string]string{}
	ctx.AddResolver(s)
	if given := s.early(ctx, "config"); given != "" {
		return s.read(ctx, given, true)
	}
	if own := configFile(s.env); own != "" {
		if err := s.read(ctx, own, false); err != nil {
			return err
		}
	}
	data := s.early(ctx, "data")
	for _, file := range s.files {
		if text, ok := file.values[" data"].(string); ok && data == "" {
			data = text
		}
	}
	dir, err := dataDir(data, s.env)
	if err != nil {
		return nil // reported when it is needed
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return failure("the data directory "+dir+" is a file", "name a directory with --data")
	}
	return s.read(ctx, filepath.Join(dir, settingsName), false)
}

// early reads a flag of the root from the command line or the environment.
func (s *settings) early(ctx *kong.Context, name string) string {
	for _, step := range ctx.Path {
		if step.Flag != nil && step.Flag.Name == name {
			if text, ok := ctx.FlagValue(step.Flag).(string); ok {
				return text
			}
		}
	}
	return s.env(variable(name))
}

func (s *settings) read(ctx *kong.Context, path string, must bool) error {
	values, err := readSettings(ctx.Model, path)
	switch {
	case err == nil:
		s.files = slices.Insert(s.files, 0, settingsFile{path, values})
		return nil
	case errors.Is(err, fs.ErrNotExist) && !must:
		return nil
	}
	if errors.As(err, new(*tidings.Failure)) {
		return err
	}
	return tidings.WithHint(fmt.Errorf("reading settings: %w", err),
		cmp.Or(closedHint(err, filepath.Dir(path)), "name another file with --config"))
}

// variable is the environment's name for a flag.
func variable(flag string) string {
	return "TIDINGS_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// Validate is part of kong.Resolver; files were checked when they were read.
func (s *settings) Validate(*kong.Application) error { return nil }

// Resolve is part of kong.Resolver.
func (s *settings) Resolve(ctx *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	if flag.Name == "help" {
		return nil, nil
	}
	if text := s.env(variable(flag.Name)); text != "" {
		s.sources[flag.Name] = variable(flag.Name)
		if flag.IsSlice() {
			return anySlice(strings.Split(strings.TrimSpace(text), "\n")), nil
		}
		return text, nil
	}
	for _, file := range s.files {
		for _, key := range keysOf(ctx.Selected(), flag) {
			if value, ok := file.values[key]; ok {
				s.sources[flag.Name] = file.path
				return scalar(value), nil
			}
		}
	}
	return nil, nil
}

// keysOf is where a file may have a command's flag, the stronger first. The doctor looks
// at how the node would be started.
func keysOf(command *kong.Node, flag *kong.Flag) []string {
	keys := []string{commandPath(command) + " " + flag.Name}
	if commandPath(command) == "doctor" {
		keys = append(keys, "up "+flag.Name)
	}
	return append(keys, " "+flag.Name)
}

// scalar gives kong every single value as text, which all its flags can read.
func scalar(value any) any {
	if many, ok := value.([]any); ok {
		return many
	}
	return fmt.Sprint(value)
}

func anySlice(texts []string) []any {
	all := make([]any, len(texts))
	for i, text := range texts {
		all[i] = text
	}
	return all
}

// blame finds where a value came from that was not understood.
func (s *settings) blame(err error, otherwise string) string {
	for name, source := range s.sources {
		if strings.HasPrefix(err.Error(), "--"+name+":") || strings.HasPrefix(err.Error(), "--"+name+"=") {
			return "it is set by " + source
		}
	}
	return otherwise
}

// readSettings reads a TOML file, with flags as top-level keys and commands as tables. A key that the model does not
// have is an error that names it and its line.
func readSettings(model *kong.Application, path string) (map[string]any, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Size() > maxSettings {
		return nil, fmt.Errorf("%s is larger than %d bytes", path, maxSettings)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parseSettings(model, path, text)
}

// parseSettings reads the text of a file of settings.
func parseSettings(model *kong.Application, path string, text []byte) (map[string]any, error) {
	document := map[string]any{}
	if err := toml.Unmarshal(text, &document); err != nil {
		var where *toml.DecodeError
		if errors.As(err, &where) {
			row, _ := where.Position()
			return nil, failure(fmt.Sprintf("%s, line %d: %s", path, row, strings.TrimPrefix(err.Error(), "toml: ")),
				"settings are written in TOML")
		}
		return nil, err
	}
	values := map[string]any{}
	collect(document, nil, values)
	known := knownSettings(model)
	for key := range values {
		if !known[key] {
			return nil, unknownSetting(path, text, known)
		}
	}
	return values, nil
}

// collect flattens tables into values.
func collect(table map[string]any, under []string, values map[string]any) {
	for key, value := range table {
		if inner, ok := value.(map[string]any); ok {
			collect(inner, append(slices.Clone(under), key), values)
			continue
		}
		values[strings.Join(under, " ")+" "+key] = value
	}
}

// knownSettings is every key that a file may have, as values has them.
func knownSettings(model *kong.Application) map[string]bool {
	known := map[string]bool{}
	var visit func(node *kong.Node)
	visit = func(node *kong.Node) {
		for _, flags := range node.AllFlags(false) {
			for _, flag := range flags {
				if flag.Name != "help" && flag.Name != "config" {
					known[commandPath(node)+" "+flag.Name] = true
					known[" "+flag.Name] = true
				}
			}
		}
		for _, child := range node.Children {
			visit(child)
		}
	}
	visit(model.Node)
	return known
}

// commandPath is the words of a command, such as "token new"; empty for the program itself.
func commandPath(node *kong.Node) string {
	if node == nil || node.Parent == nil {
		return ""
	}
	return strings.TrimSpace(commandPath(node.Parent) + " " + node.Name)
}

// unknownSetting names the first key of the file that is not known, and its line.
func unknownSetting(path string, text []byte, known map[string]bool) error {
	var parser unstable.Parser
	parser.Reset(text)
	var table []string
	for parser.NextExpression() {
		node := parser.Expression()
		if node.Kind != unstable.KeyValue {
			table, _ = keyOf(&parser, node)
			continue
		}
		if key, line := unknownKey(&parser, node, table, known); key != nil {
			return failure(
				fmt.Sprintf("%s, line %d: there is no setting %q", path, line, strings.Join(key, ".")),
				"settings are the flags of tidings --help, those of one command in a table of its name",
			)
		}
	}
	return failure(path+" has a setting that there is not", "settings are the flags of tidings --help")
}

// unknownKey is the first unknown key of a value, or of a table in one line.
func unknownKey(parser *unstable.Parser, node *unstable.Node, under []string, known map[string]bool) (full []string,
	line int) {
	key, line := keyOf(parser, node)
	full = append(slices.Clone(under), key...)
	if node.Value().Kind != unstable.InlineTable {
		last := len(full) - 1
		if known[strings.Join(full[:last], " ")+" "+full[last]] {
			return nil, 0
		}
		return full, line
	}
	for it := node.Value().Children(); it.Next(); {
		if inner, at := unknownKey(parser, it.Node(), full, known); inner != nil {
			return inner, at
		}
	}
	return nil, 0
}

// keyOf is the parts of an expression's key and the line of the first.
func keyOf(parser *unstable.Parser, node *unstable.Node) (key []string, line int) {
	for it := node.Key(); it.Next(); {
		part := it.Node()
		if line == 0 {
			line = parser.Shape(part.Raw).Start.Line
		}
		key = append(key, string(part.Data))
	}
	return key, line
}
