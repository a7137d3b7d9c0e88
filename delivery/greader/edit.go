package greader

import (
	"slices"
	"strings"

	"tidings"
	"tidings/delivery/sync"
)

// changeOf reads what is to be done to items. What this server has no state for, clients may set in vain.
func (c *call) changeOf() sync.Change {
	var change sync.Change
	yes, no := true, false
	unread := false
	for _, name := range c.form.All("a") {
		switch s, _ := parseStream(name); {
		case s.label != "":
			change.AddLabels = append(change.AddLabels, s.label)
		case s.state == "read":
			change.Read = &yes
		case s.state == "starred":
			change.Starred = &yes
		case s.state == "kept-unread" || s.state == "unread":
			unread = true
		}
	}
	for _, name := range c.form.All("r") {
		switch s, _ := parseStream(name); {
		case s.label != "":
			change.RemoveLabels = append(change.RemoveLabels, s.label)
		case s.state == "read":
			unread = true
		case s.state == "unread":
			change.Read = &yes
		case s.state == "starred":
			change.Starred = &no
		}
	}
	if unread { // what a client says both of is to be read again
		change.Read = &no
	}
	return change
}

// editTag marks items. A label that is added to none makes a folder: one client does so.
func editTag(c *call) error {
	change, numbers := c.changeOf(), c.numbers()
	switch {
	case len(numbers) > 0:
		if err := c.library.Mark(c.r.Context(), c.person, numbers, change); err != nil {
			return err
		}
	case !c.form.Has("i"):
		for _, name := range change.AddLabels {
			if _, err := c.folder(name); err != nil {
				return err
			}
		}
	}
	return c.done()
}

// markAll marks what is in a stream and had arrived at the time ts as read.
func markAll(c *call) error {
	name := c.form.Get("s")
	s, ok := parseStream(name)
	if !ok { // none at all is no stream either: it would mark everything
		return noStream(name)
	}
	v, err := c.view()
	if err != nil {
		return err
	}
	var f filter
	f.include(s, v)
	if text := c.form.Get("ts"); text != "" {
		last, ok := sync.ParseMoment(text)
		if !ok {
			return tidings.Invalidf("%q is no time", tidings.Quote(text))
		}
		f.ArrivedBefore = last.Until()
	}
	yes := true
	if !f.none {
		if err := c.library.MarkAll(c.r.Context(), c.person, f.Query, sync.Change{Read: &yes}); err != nil {
			return err
		}
	}
	return c.done()
}

// renameTag renames a folder, a tag of feeds, or a label. One that does not exist is renamed in vain.
func renameTag(c *call) error {
	to, ok := parseStream(c.form.Get("dest"))
	to.label = strings.TrimSpace(to.label)
	if !ok || to.label == "" {
		return tidings.Invalidf("the new name is missing")
	}
	folder, label, err := c.named("s")
	switch {
	case err != nil:
		return err
	case folder != nil:
		err = c.renameFolder(*folder, to.label)
	case label != "" && label != to.label && c.isTag(label):
		err = c.retag(label, tidings.TagChange{Add: []string{to.label}, Remove: []string{label}})
	case label != "" && label != to.label:
		err = c.library.RenameLabel(c.r.Context(), c.person, label, to.label)
	}
	if err != nil {
		return err
	}
	return c.done()
}

// isTag reports whether feeds have a tag. The view has been read before.
func (c *call) isTag(name string) bool { return c.seen != nil && c.seen.tagged(name) != nil }

// retag changes the tags of all feeds that have one.
func (c *call) retag(name string, change tidings.TagChange) error {
	for _, id := range c.seen.tagged(name) {
		if err := c.library.ChangeFeed(c.r.Context(), c.person, id, sync.Naming{Tags: &change}); err != nil {
			return err
		}
	}
	return nil
}

// renameFolder renames a folder; if there is another of that name, the feeds go there.
func (c *call) renameFolder(f sync.Folder, name string) error {
	v, err := c.view()
	if err != nil {
		return err
	}
	other := v.folder(name)
	if other == nil {
		return c.library.RenameFolder(c.r.Context(), c.person, f.ID, name)
	}
	if other.ID == f.ID {
		return nil
	}
	for _, id := range v.feedsIn(f.ID) {
		if err := c.library.ChangeFeed(c.r.Context(), c.person, id, sync.Naming{Folder: &other.ID}); err != nil {
			return err
		}
	}
	return c.library.RemoveFolder(c.r.Context(), c.person, f.ID)
}

// disableTag removes a folder, a tag of feeds, or a label, not what is in it. One that does not exist is gone already.
func disableTag(c *call) error {
	folder, label, err := c.named("s")
	if err == nil && folder == nil && label == "" {
		folder, label, err = c.named("t")
	}
	switch {
	case err != nil:
		return err
	case folder != nil:
		err = c.library.RemoveFolder(c.r.Context(), c.person, folder.ID)
	case label != "" && c.isTag(label):
		err = c.retag(label, tidings.TagChange{Remove: []string{label}})
	case label != "":
		err = c.library.RemoveLabel(c.r.Context(), c.person, label)
	}
	if err != nil {
		return err
	}
	return c.done()
}

// named returns the folder, or the tag or label, that a parameter names; neither if there is none such. That of feeds
// in no folder cannot be named.
func (c *call) named(parameter string) (*sync.Folder, string, error) {
	v, err := c.view()
	if err != nil {
		return nil, "", err
	}
	labels, err := c.library.Labels(c.r.Context(), c.person)
	if err != nil {
		return nil, "", err
	}
	for _, reading := range c.form.Readings(parameter) {
		name := strings.TrimSpace(reading)
		if s, ok := parseStream(reading); ok && s.label != "" {
			name = s.label
		}
		if f := v.folder(name); f != nil && f.ID != sync.NoFolder {
			return f, "", nil
		}
		if slices.Contains(labels, name) || v.tagged(name) != nil {
			return nil, name, nil
		}
	}
	return nil, "", nil
}

// folder returns the folder of a name, and makes it if need be.
func (c *call) folder(name string) (int64, error) {
	v, err := c.view()
	if err != nil {
		return 0, err
	}
	if f := v.folder(name); f != nil {
		return f.ID, nil
	}
	f, err := c.library.AddFolder(c.r.Context(), c.person, name)
	if err != nil {
		return 0, err
	}
	v.folders = append(v.folders, f)
	return f.ID, nil
}
