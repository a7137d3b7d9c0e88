package console

import "strings"

// Column describes one column of a table.
type Column struct {
	Title string
	Right bool // aligned to the right: numbers
	Least int  // may be cut down to so many columns where the terminal is narrow; 0: never
	Spare bool // left out altogether where even that does not help, or where it has nothing to say
}

// Cell is a neutral text with its style.
type Cell struct {
	Text  string
	Style Style
}

const columnGap = 2

// Table prints rows under the titles of the columns, aligned, and on a terminal no wider
// than it. Without a width nothing is cut. It reports whether every column that has
// something to say was printed.
func (c *Console) Table(columns []Column, rows [][]Cell) (complete bool) {
	widths := widthsOf(columns, rows)
	complete = true
	if c.Width > 0 {
		complete = fit(columns, widths, c.Width)
	}
	titles := make([]Cell, len(columns))
	for i, column := range columns {
		titles[i] = Cell{column.Title, Dim}
	}
	c.row(columns, widths, titles)
	for _, row := range rows {
		c.row(columns, widths, row)
	}
	return complete
}

// widthsOf is how wide columns are by their content; 0: left out.
func widthsOf(columns []Column, rows [][]Cell) []int {
	widths := make([]int, len(columns))
	for i, column := range columns {
		for _, row := range rows {
			widths[i] = max(widths[i], Columns(row[i].Text))
		}
		if widths[i] > 0 || !column.Spare {
			widths[i] = max(widths[i], Columns(column.Title))
		}
	}
	return widths
}

// fit narrows widths until a line fits into total, cutting the widest column that may be
// cut first. It reports whether no column had to be left out.
func fit(columns []Column, widths []int, total int) (complete bool) {
	complete = true
	for lineWidth(widths) > total {
		widest := -1
		for i, column := range columns {
			if column.Least > 0 && widths[i] > column.Least && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest >= 0 {
			widths[widest]--
			continue
		}
		if !leaveOut(columns, widths) {
			break
		}
		complete = false
	}
	return complete
}

// leaveOut drops the last spare column that is still there.
func leaveOut(columns []Column, widths []int) bool {
	for i := len(columns) - 1; i >= 0; i-- {
		if columns[i].Spare && widths[i] > 0 {
			widths[i] = 0
			return true
		}
	}
	return false
}

func lineWidth(widths []int) int {
	n := -columnGap
	for _, w := range widths {
		if w > 0 {
			n += w + columnGap
		}
	}
	return n
}

func (c *Console) row(columns []Column, widths []int, cells []Cell) {
	var line strings.Builder
	for i, cell := range cells {
		if widths[i] == 0 {
			continue
		}
		if line.Len() > 0 {
			line.WriteString(strings.Repeat(" ", columnGap))
		}
		text := Cut(cell.Text, widths[i])
		padded := pad(text, widths[i], columns[i].Right)
		line.WriteString(strings.Replace(padded, text, c.Paint(cell.Style, text), 1))
	}
	c.Printf("%s\n", strings.TrimRight(line.String(), " "))
}
