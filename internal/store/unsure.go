package store

import "errors"

// unsureError is an error after which nobody knows whether a transaction was committed.
type unsureError struct{ cause error }

func (e *unsureError) Error() string { return e.cause.Error() }

func (e *unsureError) Unwrap() error { return e.cause }

func unsure(err error) error { return &unsureError{err} }

// Unsure reports whether a transaction that returned the error may have been committed all the same: the connection was lost
// with the COMMIT, or the disk failed behind it.
func Unsure(err error) bool {
	_, is := errors.AsType[*unsureError](err)
	return is
}
