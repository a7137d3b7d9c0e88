package dataset

import (
	"errors"
	"fmt"
	"strconv"
	"time"
)

// Session is one time that a node was up, in a trace of who was up when.
type Session struct {
	Node     int           // an arbitrary number
	Up, Down time.Duration // since the start of the trace: first seen up, first seen gone

	// UpBefore: it was up already when the trace began. UpAfter: it still was when the
	// trace ended, at Down.
	UpBefore, UpAfter bool
}

// Population is how many nodes were up at one observation.
type Population struct {
	At time.Duration // since the start of the trace
	Up int
}

// ReadSessions reads the sessions of a trace, NAME-sessions.csv.gz, in the order of Up.
func ReadSessions(file string) (sessions []Session, err error) {
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

// ReadPopulation reads the observations of a trace, NAME-population.csv.gz, in the order of time.
func ReadPopulation(file string) (population []Population, err error) {
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

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }

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
