package changeset

import (
	"fmt"
	"net/url"
	"slices"

	"tidings"
	"tidings/source/feed"
)

// Entries makes a change of a changeset that lists a part of a feed's items, all of them whole. It says nothing of the
// others. The change has what is new or changed against the items that are known here. The items are signed by their
// publisher, so that the texts of known ones come along as well.
func (p *Set) Entries(known []tidings.KnownItem, c feed.Config) (*tidings.Change, error) {
	if p.Kind != tidings.KindFeed || len(p.Items) == 0 {
		return nil, fmt.Errorf("a changeset of a %s with %d items, for some of a feed: %w", p.Kind, len(p.Items),
			ErrUnfit)
	}
	for i := range p.Items {
		if !p.Items[i].Whole {
			return nil, fmt.Errorf("a changeset of some items of a feed: item %d: %w", i, feed.ErrLacking)
		}
	}
	items, err := feed.MatchCarried(known, p.Items, true, c)
	if err == nil {
		err = feed.FillSigned(items, p.Items, c)
	}
	if err != nil {
		return nil, fmt.Errorf("a changeset of some items of a feed: %w", err)
	}
	f := &tidings.Change{Kind: tidings.KindFeed, Title: p.Title, Site: p.Site, Items: items, Partial: true,
		Files: p.Files()}
	for i := range known {
		f.KnownUpTo = max(f.KnownUpTo, known[i].Row)
	}
	return f, nil
}

// Files returns the files of the items whose bytes the publisher has signed. Only the items' own enclosures or pages
// count, at addresses of the web. The other fields of a file are as they came.
func (p *Set) Files() (files []tidings.File) {
	for i := range p.Items {
		for _, f := range p.Items[i].Files {
			own := f.URL == p.Items[i].URL ||
				slices.ContainsFunc(p.Items[i].Enclosures, func(e tidings.Enclosure) bool { return e.URL == f.URL })
			if own && f.Length > 0 && isWeb(f.URL) {
				files = append(files, f)
			}
		}
	}
	return files
}

func isWeb(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}
