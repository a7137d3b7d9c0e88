package experiments

import (
	"fmt"

	"tidings/lab"
)

// sized names a figure of a world with n nodes: "mean hops, 10,000 nodes".
func sized(what string, n int) string { return fmt.Sprintf("%s, %s nodes", what, count(n)) }

// count writes n with commas.
func count(n int) string { return lab.Quantity(float64(n), "") }
