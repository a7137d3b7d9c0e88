package dataset

import "time"

// Unmeasured stands in a matrix of round-trip times where nobody measured.
const Unmeasured time.Duration = -1

// PlanetLab returns the round-trip times between 294 nodes of PlanetLab, measured at six times, the earliest first.
// Cell [i][j] is the one from node i to node j; the diagonal is 0. They are exact to 10 µs.
func PlanetLab() [][][]time.Duration { return matrices("planetlab-294", 10*time.Microsecond) }

// WonderProxy returns the mean round-trip times between 150 servers in data centres over a day, and their mean
// deviations, to 1 µs. Some are [Unmeasured].
func WonderProxy() (mean, deviation [][]time.Duration) {
	return matrices("wonderproxy-150-mean", time.Microsecond)[0],
		matrices("wonderproxy-150-deviation", time.Microsecond)[0]
}

// Seattle returns the round-trip times between 59 personal devices of the Seattle testbed. Each is the median of a
// pair's measurements at 688 times, to 1 ms.
func Seattle() [][]time.Duration { return matrices("seattle-59", time.Millisecond)[0] }

// matrices decodes round-trip times in a unit. A column is a matrix, row by row. The first has the differences of cells
// below the diagonal from their mirror images, the others those of each cell from the matrix before.
func matrices(name string, unit time.Duration) (all [][][]time.Duration) {
	var before []int
	for _, cells := range table(name) {
		n := side(len(cells))
		for i := range cells {
			if before != nil {
				cells[i] += before[i]
			} else if row, column := i/n, i%n; column < row {
				cells[i] += cells[column*n+row]
			}
		}
		before = cells
		all = append(all, matrix(cells, n, unit))
	}
	return all
}

// side returns how many rows and columns a matrix of so many cells has.
func side(cells int) (n int) {
	for n*n < cells {
		n++
	}
	return n
}

// matrix makes rows of cells.
func matrix(cells []int, n int, unit time.Duration) [][]time.Duration {
	m := make([][]time.Duration, n)
	for i := range m {
		m[i] = make([]time.Duration, n)
		for j := range m[i] {
			m[i][j] = Unmeasured
			if cell := cells[i*n+j]; cell >= 0 {
				m[i][j] = time.Duration(cell) * unit
			}
		}
	}
	return m
}
