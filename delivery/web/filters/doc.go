// Package filters is the room of the page in which people make filters. It has a list in the order of application, and
// a form. The form builds a condition, tries it on the last articles, and saves it only then.
//
// Nothing needs a script. The button that saves a filter comes with what the filter would have done.
package filters
