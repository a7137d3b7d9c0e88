package memory

import "tidings"

const (
	// Piece is how much text is read for a piece of an answer, in bytes. One row that is longer is a piece of its own.
	Piece = 64 << 10
	// Rows is how many rows are read for a piece at most.
	Rows = 50

	// copies is how often the text of a row is held: as it was read, and encoded in a buffer that grows by doubling.
	copies = 3
	// RowBytes is about what a row holds beside its text.
	RowBytes = 512
)

// OfUpdates returns about how much memory an answer with these updates holds.
func OfUpdates(updates []tidings.Update) (bytes int64) {
	for i := range updates {
		bytes += OfUpdate(updates[i])
	}
	return bytes
}

// OfUpdate returns about how much memory an answer with an update holds.
func OfUpdate(u tidings.Update) int64 {
	return sizeOf(len(u.Delta)+len(u.Title)+len(u.Channel)) + ofItems(u.Items)
}

// OfEntries returns about how much memory an answer with these entries holds.
func OfEntries(entries []tidings.Entry) (bytes int64) {
	for i := range entries {
		bytes += OfEntry(entries[i])
	}
	return bytes
}

// OfEntry returns about how much memory an answer with an entry holds.
func OfEntry(e tidings.Entry) int64 {
	bytes := sizeOf(len(e.Delta)+len(e.Snippet)) + ofItem(&e.Content)
	if e.Before != nil {
		bytes += ofItem(e.Before)
	}
	return bytes
}

// OfState returns about how much memory an answer with a channel's content holds.
func OfState(s tidings.State) int64 {
	text := 0
	for _, line := range s.Lines {
		text += len(line)
	}
	return sizeOf(text) + int64(len(s.Lines))*16 + ofItems(s.Items)
}

// OfChannels returns about how much memory an answer with these channels holds.
func OfChannels(channels []tidings.Subscription) (bytes int64) {
	for i := range channels {
		c := &channels[i]
		bytes += sizeOf(len(c.URL)+len(c.Title)+len(c.Site)+len(c.Icon)+len(c.Name)+len(c.Folder)) + RowBytes
	}
	return bytes
}

func ofItems(items []tidings.Item) (bytes int64) {
	for i := range items {
		bytes += ofItem(&items[i])
	}
	return bytes
}

func ofItem(i *tidings.Item) int64 {
	text := len(i.ID) + len(i.URL) + len(i.Title) + len(i.Author) + len(i.Summary) + len(i.Content)
	for _, c := range i.Categories {
		text += len(c) + 16
	}
	for j := range i.Enclosures {
		text += len(i.Enclosures[j].URL) + 64
	}
	if i.Chapters != nil {
		for _, c := range i.Chapters.List {
			text += len(c.Title) + len(c.URL) + 64
		}
	}
	if i.News != nil {
		text += RowBytes + 64*(len(i.News.Subjects)+len(i.News.Places))
	}
	return sizeOf(text)
}

func sizeOf(text int) int64 { return int64(text)*copies + RowBytes }
