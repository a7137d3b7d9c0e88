package queries

// maxVersions is of how many channels is remembered which version came last.
const maxVersions = 4096

// versions is which version of each channel came last by the network. Those learned of first are removed first.
type versions struct {
	of    map[string]uint64
	order []string
}

// overtaken notes that a version has come, and returns whether a later one came before.
func (v *versions) overtaken(channel string, version uint64) bool {
	last, known := v.of[channel]
	if known && version < last {
		return true
	}
	if !known {
		if len(v.order) >= maxVersions {
			delete(v.of, v.order[0])
			v.order = v.order[1:]
		}
		if v.of == nil {
			v.of = make(map[string]uint64)
		}
		v.order = append(v.order, channel)
	}
	v.of[channel] = version
	return false
}
