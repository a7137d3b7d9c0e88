package dataset

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

// readSessions reads the sessions of a trace, NAME-sessions.csv.gz, in the order of Up.
func readSessions(file string) (sessions []Session, err error) {
	columns := []string{"node", "up_s", "down_s", "left_censored", "right_censored"}
	err = readTable(file, columns, func(fields []string) error {
		n, err := numbers(fields)
		if err != nil {
			return err
		}
		s := Session{
			Node: n[0], Up: seconds(n[1]), Down: seconds(n[2]), UpBefore: n[3] != 0, UpAfter: n[4] != 0,
		}
		if s.Down < s.Up || len(sessions) > 0 && s.Up < sessions[len(sessions)-1].Up {
			return errors.New("a session out of order")
		}
		sessions = append(sessions, s)
		return nil
	})
	return sessions, err
}

// readPopulation reads the observations of a trace, NAME-population.csv.gz, in the order of time.
func readPopulation(file string) (population []Population, err error) {
	err = readTable(file, []string{"t_s", "up_nodes"}, func(fields []string) error {
		n, err := numbers(fields)
		if err != nil {
			return err
		}
		population = append(population, Population{At: seconds(n[0]), Up: n[1]})
		return nil
	})
	return population, err
}

// numbers reads fields that are whole numbers from 0 up to a billion.
func numbers(fields []string) ([]int, error) {
	n := make([]int, len(fields))
	for i, field := range fields {
		v, err := strconv.Atoi(field)
		if err != nil || v < 0 || v > 1e9 {
			return nil, fmt.Errorf("no number: %q", field)
		}
		n[i] = v
	}
	return n, nil
}

// The recorded traces are what the readers assume.
func TestRecordedSessionsAddUpToThePopulation(t *testing.T) {
	folder := filepath.Join(NeedDir(t), "churn")
	for name, want := range map[string]struct{ nodes, sessions, observations int }{
		"tor-relays-2019": {63170, 214385, 2741},
		"open-proxies-a":  {58843, 182748, 0},
		"bt-trackers-a":   {732, 7075, 0},
	} {
		sessions, population := readTrace(t, filepath.Join(folder, name))
		nodes := make(map[int]bool)
		for _, s := range sessions {
			nodes[s.Node] = true
		}
		if len(sessions) != want.sessions || len(nodes) != want.nodes || want.observations > 0 &&
			len(population) != want.observations {
			t.Errorf("%s: %d sessions of %d nodes, %d observations; want %v", name, len(sessions), len(nodes),
				len(population), want)
		}
		checkPopulation(t, sessions, population)
	}
}

func readTrace(t *testing.T, file string) ([]Session, []Population) {
	t.Helper()
	sessions, err := readSessions(file + "-sessions.csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	population, err := readPopulation(file + "-population.csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	return sessions, population
}

func TestAMissingOrWrongTableIsRefused(t *testing.T) {
	folder := filepath.Join(NeedDir(t), "churn")
	if _, err := readSessions(filepath.Join(folder, "nobody-sessions.csv.gz")); err == nil {
		t.Error("a missing trace is read")
	}
	if _, err := readSessions(filepath.Join(folder, "tor-relays-2019-population.csv.gz")); err == nil {
		t.Error("a population is read as sessions")
	}
}

// The trace that the project carries is the recorded one.
func TestTheTorTraceIsTheRecordedOne(t *testing.T) {
	sessions, population := readTrace(t, filepath.Join(NeedDir(t), "churn", "tor-relays-2019"))
	if rewrite(t, "tor-relays-2019", traceColumns(sessions, population)...) {
		return
	}
	if got := TorSessions(); !slices.Equal(got, sessions) {
		t.Errorf("%d sessions, not the %d recorded ones; %s", len(got), len(sessions), rewriteHint)
	}
	if got := TorPopulation(); !slices.Equal(got, population) {
		t.Errorf("%d observations, not the %d recorded ones; %s", len(got), len(population), rewriteHint)
	}
}

// traceColumns is the contrary of TorSessions and TorPopulation.
func traceColumns(sessions []Session, population []Population) [][]int {
	c := make([][]int, churnColumns)
	observation := make(map[int]int) // by second
	for i, p := range population {
		s := int(p.At.Seconds())
		observation[s] = i
		c[churnTimes], c[churnUp] = append(c[churnTimes], s), append(c[churnUp], p.Up)
	}
	byNode := slices.Clone(sessions)
	slices.SortStableFunc(byNode, func(a, b Session) int { return a.Node - b.Node })
	gone := 0
	for _, s := range byNode {
		if s.Node == len(c[churnSessions]) {
			c[churnSessions], gone = append(c[churnSessions], 0), 0
		}
		up, down := observation[int(s.Up.Seconds())], observation[int(s.Down.Seconds())]
		if s.UpAfter {
			down = len(population)
		}
		c[churnSessions][s.Node]++
		c[churnAway], c[churnStayed] = append(c[churnAway], up-gone), append(c[churnStayed], down-up)
		gone = down
	}
	c[churnTimes], c[churnUp] = differences(c[churnTimes]), differences(c[churnUp])
	return c
}
