package scene

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"tidings/network/engine"
	"tidings/network/sim"
)

// Scene is one script as it is played.
type Scene struct {
	file     string
	lines    []string // of the script
	stage    Stage
	commands map[string]Command

	world   *sim.World
	epoch   time.Time
	codec   *engine.Codec
	latency *latency
	cast    []*Node // in the order of their coming; a Node's number is its index
	names   names
	rules   rules
	dropped func(sim.Delivery) // hears of messages that are lost
	backups map[string]*sim.Disk
	log     filter
	out     strings.Builder
	counted map[engine.Kind]sim.Count // at the last "show counts"
}

func newScene(t testing.TB, file, text string, stage Stage) *Scene {
	t.Helper()
	if guards(text) == "" {
		t.Fatalf("%s:1: a scene begins with a comment that says what it guards", file)
	}
	s := &Scene{
		file: file, lines: strings.Split(text, "\n"), stage: stage, commands: maps.Clone(own),
		codec: engine.NewCodec(stage.Vocabularies...), latency: newLatency(), names: newNames(),
		log: everything(), backups: make(map[string]*sim.Disk), counted: make(map[engine.Kind]sim.Count),
	}
	for name, c := range stage.Commands {
		if s.commands[name] != nil {
			t.Fatalf("%s: the command %q is the harness's own", file, name)
		}
		s.commands[name] = c
	}
	config := sim.Default(s.codec)
	config.Wire = true
	config.Latency = s.latency
	if stage.Configure != nil {
		stage.Configure(&config)
	}
	s.epoch = config.Epoch
	s.world = sim.New(config)
	s.dropped = s.printDropped
	s.world.Tap(func(p sim.Delivery) {
		if p.Fate >= sim.Lost {
			s.dropped(p)
		}
	})
	return s
}

// World returns the world that the scene plays in.
func (s *Scene) World() *sim.World { return s.world }

// Codec returns the codec of the stage's vocabularies.
func (s *Scene) Codec() *engine.Codec { return s.codec }

// Cast returns the scene's nodes in the order of their coming.
func (s *Scene) Cast() []*Node { return s.cast }

// play runs one block of a script: commands, one a line, up to the line of dashes.
func (s *Scene) play(t testing.TB, d *datadriven.TestData) string {
	t.Helper()
	s.out.Reset()
	for number := lineOf(d.Pos); number <= len(s.lines); number++ {
		line := s.lines[number-1]
		if line == "----" {
			break
		}
		s.do(t, number, line)
	}
	if s.out.Len() == 0 {
		return "ok\n"
	}
	return s.out.String()
}

// lineOf reads the line's number off the end of "file:line".
func lineOf(pos string) (line int) {
	if _, err := fmt.Sscanf(pos[strings.LastIndexByte(pos, ':')+1:], "%d", &line); err != nil {
		panic("scene: no position: " + pos)
	}
	return line
}

// do runs the command on one line of the script.
func (s *Scene) do(t testing.TB, number int, line string) {
	t.Helper()
	line, _, _ = strings.Cut(" "+line, " #")
	pos := fmt.Sprintf("%s:%d", s.file, number)
	name, args, err := datadriven.ParseLine(line)
	if err != nil {
		t.Fatalf("%s: %v", pos, err)
	}
	if name == "" {
		return
	}
	command := s.commands[name]
	if len(args) > 0 && s.commands[name+" "+args[0].Key] != nil {
		name += " " + args[0].Key
		args = args[1:]
		command = s.commands[name]
	}
	if command == nil {
		t.Fatalf("%s: unknown command %q", pos, name)
	}
	call := newCall(s, t, pos, name, args)
	command(call)
	call.finish()
}

// print prints a line of what happens now, with the node that it concerns in the first column.
func (s *Scene) print(node, what string) {
	fmt.Fprintf(&s.out, "%10s %-8s %s\n", stamp(s.world.Now()), node, what)
}

// stamp writes a time to the millisecond.
func stamp(at time.Duration) string { return fmt.Sprintf("%.3fs", at.Seconds()) }
