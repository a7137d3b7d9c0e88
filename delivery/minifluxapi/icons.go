package minifluxapi

import "encoding/base64"

// icon names the picture of a feed; without one its number is 0.
type icon struct {
	Feed     int64  `json:"feed_id"`
	ID       int64  `json:"icon_id"`
	External string `json:"external_icon_id"`
}

// picture is an icon with its data in base64.
type picture struct {
	ID   int64  `json:"id"`
	Type string `json:"mime_type"`
	Data string `json:"data"`
}

func feedIcon(c *call) error {
	id, err := c.id("feed")
	if err != nil {
		return err
	}
	v, err := c.view()
	if err != nil {
		return err
	}
	f, err := v.find(id)
	if err != nil {
		return err
	}
	return c.sendIcon(f.Icon)
}

func oneIcon(c *call) error {
	id, err := c.id("id")
	if err != nil {
		return err
	}
	return c.sendIcon(id)
}

func (c *call) sendIcon(id int64) error {
	if id == 0 {
		return errNotFound
	}
	i, err := c.library.Icon(c.r.Context(), c.person, id)
	if err != nil {
		return err
	}
	return c.sendList(picture{id, i.Type, i.Type + ";base64," + base64.StdEncoding.EncodeToString(i.Bytes)})
}
