package large

// PiecesAtOnce is how many pieces are removed in one transaction, for tests.
const PiecesAtOnce = piecesAtOnce
