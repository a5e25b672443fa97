package evidence

// Cut cuts a file into fragments.
func Cut(f File) ([]Fragment, error) {
	return cutWindows(f), nil
}
