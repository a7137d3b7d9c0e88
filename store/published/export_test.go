package published

// MaxPublications is the bound, for tests.
const MaxPublications = maxPublications
