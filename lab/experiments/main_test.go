package experiments

import (
	"testing"

	"tidings/lab/cluster/clustertest"
)

func TestMain(m *testing.M) { clustertest.Main(m) }
