package shell

import (
	"slices"

	"tidings"
)

// nav is what stands beside every page.
type nav struct {
	Unread int
	Tree   *branch // of all folders; nil if nothing is followed
	Tags   []tagged
	Others int    // tags that are left out
	Here   string // folder or channel that the page is about
	Icons  ChannelIcons
}

// tagged is a tag with what is unread in the channels that have it.
type tagged struct {
	Name   string
	Unread int
	Here   bool // the page is about it
}

// branch is a folder with what is in it, or the whole of what is followed.
type branch struct {
	Path     string // as of tidings.FolderPath; "": the whole
	Name     string
	Unread   int // with what is in the folders within
	Folders  []*branch
	Channels []tidings.Subscription
	More     int  // channels that are left out
	Others   int  // folders that are left out
	Here     bool // the page is about this folder
	Open     bool // the page is about something in it
}

// Folder is the channels of one folder; Path is empty for those in none.
type Folder struct {
	Path     string
	Unread   int
	Channels []tidings.Subscription
}

// Up to maxNavChannels channels, all stand beside a page. If there are more, those in the folder of the page stand
// there, and as many that are in no folder. All are on the page of channels.
const maxNavChannels = 60

// Up to maxNavFolders folders, all stand beside a page. If there are more, an open folder shows that many and those
// that are open, and a closed one shows none. A folder is open if the page is about it or something in it.
const maxNavFolders = 60

// maxNavTags is how many tags stand beside a page, besides that of the page. All are on the page of channels.
const maxNavTags = 60

// branchAt is a folder, on a page that is about a folder or channel.
type branchAt struct {
	*branch
	Here  string
	Icons ChannelIcons
}

// hereOf returns the folder or the channel that a page is about.
func hereOf(r Request) string {
	switch r.URL.Path {
	case "/":
		return r.FormValue("folder")
	case "/channel":
		return r.FormValue("url")
	}
	return ""
}

// tagHere returns the tag that a page is about.
func tagHere(r Request) string {
	if r.URL.Path == "/" {
		return r.FormValue("tag")
	}
	return ""
}

// tag lists the tags of channels, sorted.
func (n *nav) tag(channels []tidings.Subscription, here string) {
	at := make(map[string]int)
	for _, c := range channels {
		for _, name := range c.Tags {
			if _, ok := at[name]; !ok {
				at[name] = len(n.Tags)
				n.Tags = append(n.Tags, tagged{Name: name, Here: name == here})
			}
			n.Tags[at[name]].Unread += c.Unread
		}
	}
	slices.SortFunc(n.Tags, func(a, b tagged) int { return tidings.CompareNames(a.Name, b.Name) })
	all := n.Tags
	n.Tags = nil
	for i, t := range all {
		if i < maxNavTags || t.Here {
			n.Tags = append(n.Tags, t)
		}
	}
	n.Others = len(all) - len(n.Tags)
}

// once counts items once that are unread in two channels: in the sum of all, in folders that have both, and in tags
// that both have.
func (n *nav) once(channels []tidings.Subscription, doubled []tidings.Doubled) {
	if len(doubled) == 0 || n.Tree == nil {
		return
	}
	byURL := make(map[string]*tidings.Subscription, len(channels))
	for i := range channels {
		byURL[channels[i].URL] = &channels[i]
	}
	for _, d := range doubled {
		a, b := byURL[d.Query], byURL[d.Of]
		if a == nil || b == nil {
			continue
		}
		n.Unread -= d.Unread
		in, names, others := n.Tree, tidings.FolderNames(a.Folder), tidings.FolderNames(b.Folder)
		for i := 0; i < min(len(names), len(others)) && names[i] == others[i]; i++ {
			in = in.within(tidings.FolderPath(names[:i+1]...), names[i])
			in.Unread -= d.Unread
		}
		for i := range n.Tags {
			if slices.Contains(a.Tags, n.Tags[i].Name) && slices.Contains(b.Tags, n.Tags[i].Name) {
				n.Tags[i].Unread -= d.Unread
			}
		}
	}
}

// navOf makes a tree of channels, which are sorted by folder.
func navOf(channels []tidings.Subscription, here string) nav {
	n := nav{Here: here}
	if len(channels) == 0 {
		return n
	}
	n.Tree = &branch{Open: true}
	for _, c := range channels {
		n.Unread += c.Unread
		in := n.Tree
		names := tidings.FolderNames(c.Folder)
		for i := range names {
			in = in.within(tidings.FolderPath(names[:i+1]...), names[i])
			in.Unread += c.Unread
		}
		in.Channels = append(in.Channels, c)
	}
	n.Tree.mark(here)
	if len(channels) > maxNavChannels {
		n.Tree.prune()
	}
	if n.Tree.size()-1 > maxNavFolders {
		n.Tree.thin()
	}
	return n
}

// size returns the number of folders in b, and b.
func (b *branch) size() int {
	n := 1
	for _, f := range b.Folders {
		n += f.size()
	}
	return n
}

// thin leaves out folders, as maxNavFolders says.
func (b *branch) thin() {
	all := b.Folders
	b.Folders = nil
	for _, f := range all {
		if f.Open || b.Open && len(b.Folders) < maxNavFolders {
			b.Folders = append(b.Folders, f)
			f.thin()
		} else {
			b.Others++
		}
	}
}

// within returns the folder of a path in b, which is made if it is not there.
func (b *branch) within(path, name string) *branch {
	for _, f := range slices.Backward(b.Folders) {
		if f.Path == path {
			return f
		}
	}
	f := &branch{Path: path, Name: name}
	b.Folders = append(b.Folders, f)
	return f
}

// mark notes which folders the page is about. It reports whether b is among them.
func (b *branch) mark(here string) bool {
	b.Here = here != "" && b.Path == tidings.CleanFolder(here)
	b.Open = b.Open || b.Here ||
		slices.ContainsFunc(b.Channels, func(c tidings.Subscription) bool { return c.URL == here })
	for _, f := range b.Folders {
		b.Open = f.mark(here) || b.Open
	}
	return b.Open
}

// prune leaves out the channels of folders that the page is not about, and the excess of the others.
func (b *branch) prune() {
	most := maxNavChannels
	if !b.Open {
		most = 0
	}
	if n := len(b.Channels); n > most {
		b.More, b.Channels = n-most, b.Channels[:most]
	}
	for _, f := range b.Folders {
		f.prune()
	}
}

// FoldersOf groups channels, which are sorted by folder.
func FoldersOf(channels []tidings.Subscription) []Folder {
	var all []Folder
	for _, c := range channels {
		if len(all) == 0 || all[len(all)-1].Path != c.Folder {
			all = append(all, Folder{Path: c.Folder})
		}
		f := &all[len(all)-1]
		f.Channels = append(f.Channels, c)
		f.Unread += c.Unread
	}
	return all
}

// TagsOf returns the tags of channels, sorted.
func TagsOf(channels []tidings.Subscription) []string {
	var tags []string
	for _, c := range channels {
		tags = append(tags, c.Tags...)
	}
	slices.SortFunc(tags, tidings.CompareNames)
	return slices.Compact(tags)
}

// FolderPaths returns the paths of all folders, sorted as the channels are.
func FolderPaths(channels []tidings.Subscription) []string {
	var paths []string
	for _, c := range channels {
		if c.Folder != "" {
			paths = append(paths, c.Folder)
		}
	}
	return slices.Compact(paths)
}
