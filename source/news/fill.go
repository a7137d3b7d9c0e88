package news

// fill copies from a body all that it states and the item around it does not.
func (p *parser) fill(it, body *Item) {
	n, b := &it.News, &body.News
	for _, f := range []struct{ to, from *string }{
		{&n.Publisher, &b.Publisher}, {&n.Language, &b.Language}, {&n.Genre, &b.Genre}, {&n.Headline, &b.Headline},
		{&n.Slugline, &b.Slugline}, {&n.Byline, &b.Byline}, {&n.Note, &b.Note},
		{&it.Summary, &body.Summary}, {&it.Content, &body.Content}, {&it.URL, &body.URL},
	} {
		if *f.to == "" {
			*f.to = *f.from
		}
	}
	if n.Created.IsZero() {
		n.Created = b.Created
	}
	if n.Revised.IsZero() {
		n.Revised = b.Revised
	}
	if n.Embargo.IsZero() {
		n.Embargo = b.Embargo
	}
	if n.Expires.IsZero() {
		n.Expires = b.Expires
	}
	if n.Version == 0 {
		n.Version = b.Version
	}
	if n.Urgency == 0 {
		n.Urgency = b.Urgency
	}
	if n.Signal == "" {
		n.Signal = b.Signal
	}
	if n.Status == "" {
		n.Status = b.Status
	}
	for _, s := range b.Subjects {
		p.add(&n.Subjects, s)
	}
	for _, s := range b.Places {
		p.add(&n.Places, s)
	}
}
