package shell

import "html/template"

// The icons are drawn on a grid of 20 with round strokes of 1.6, which suits text of one rem. They are never the only
// sign of anything.
var iconPaths = map[string]string{
	"river":   `<path d="M2.5 6c2.5 0 2.5 1.6 5 1.6S10 6 12.5 6s2.5 1.6 5 1.600M2.5 10.400c2.5 0 2.5 1.6 5 1.600s2.5-1.6 5-1.6 2.5 1.6 5 1.600M2.5 14.800c2.5 0 2.5 1.6 5 1.600s2.5-1.6 5-1.6 2.5 1.6 5 1.6" transform="translate(0 -1.2)"/>`,
	"unread":  `<circle cx="10" cy="10" r="6.7"/><circle cx="10" cy="10" r="2.4" fill="currentColor" stroke="none"/>`,
	"star":    `<path d="m10 2.8 2.2 4.6 5 .7-3.6 3.5.9 5-4.5-2.4-4.5 2.4.9-5L2.8 8.100l5-.7z"/>`,
	"list":    `<path d="M7.5 5h9.500M7.5 10h9.500M7.5 15h9.5"/><circle cx="3.7" cy="5" r=".6"/><circle cx="3.7" cy="10" r=".6"/><circle cx="3.7" cy="15" r=".6"/>`,
	"search":  `<circle cx="8.8" cy="8.8" r="5.3"/><path d="m12.8 12.8 4 4"/>`,
	"plus":    `<path d="M10 4v12M4 10h12"/>`,
	"network": `<circle cx="10" cy="10" r="6.2"/><g fill="currentColor" stroke="none"><circle cx="10" cy="3.8" r="2.1"/><circle cx="15.4" cy="13.1" r="2.1"/><circle cx="4.6" cy="13.1" r="2.1"/></g>`,
	"copy":    `<rect x="7" y="7" width="9.5" height="9.5" rx="1.8"/><path d="M13 7V5.300a1.8 1.8 0 0 0-1.8-1.800H5.300a1.8 1.8 0 0 0-1.8 1.800v5.900A1.8 1.8 0 0 0 5.300 13H7"/>`,
	"gear":    `<path d="M3 6h7.500M14.5 6H17M3 14h2.500M9.5 14H17"/><circle cx="12.5" cy="6" r="2"/><circle cx="7.5" cy="14" r="2"/>`,
	"check":   `<path d="m4 10.5 4 4 8-9"/>`,
	"ring":    `<circle cx="10" cy="10" r="5.2"/>`,
	"out":     `<path d="M8 4.500H5a1.5 1.5 0 0 0-1.5 1.500v9A1.5 1.5 0 0 0 5 16.500h9a1.5 1.5 0 0 0 1.5-1.500v-3M11.5 3.500h5v5M16 4l-7 7"/>`,
	"refresh": `<path d="M16.5 9.500a6.5 6.5 0 1 0-1.3 4.400M16.8 5v4.600h-4.6"/>`,
	"up":      `<path d="M10 16V4.500M5.2 9.2 10 4.400l4.8 4.8"/>`,
	"down":    `<path d="m5 7.5 5 5 5-5"/>`,
	"left":    `<path d="M12.5 5 7.5 10l5 5"/>`,
	"right":   `<path d="m7.5 5 5 5-5 5"/>`,
	"sort":    `<path d="M6 4v12M3 13l3 3 3-3M11.5 5H17M11.5 10h4M11.500 15h2.5"/>`,
	"history": `<circle cx="10" cy="10" r="6.7"/><path d="M10 6v4.200l2.8 1.8"/>`,
	"tag":     `<path d="M3.500 4.800v4.600a1.500 1.500 0 0 0 .45 1.060l6 6a1.500 1.500 0 0 0 2.120 0l4.400-4.400a1.500 1.500 0 0 0 0-2.120l-6-6A1.500 1.500 0 0 0 9.400 3.500H4.800A1.300 1.300 0 0 0 3.500 4.800z"/><circle cx="7" cy="7" r="1"/>`,
	"look":    `<path d="M3 5.500h14M3 10h14M3 14.500h8"/>`,
	"folder":  `<path d="M2.8 6A1.5 1.5 0 0 1 4.3 4.500h3.200l1.8 2h6.400A1.5 1.5 0 0 1 17.2 8v6.500a1.5 1.5 0 0 1-1.5 1.500H4.300a1.5 1.5 0 0 1-1.5-1.500z"/>`,
}

func icon(name string) template.HTML {
	return template.HTML(`<svg class="icon icon-` + name +
		`" viewBox="0 0 20 20" width="20" height="20" fill="none" stroke="currentColor" ` +
		`stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true" focusable="false">` +
		iconPaths[name] + `</svg>`)
}
