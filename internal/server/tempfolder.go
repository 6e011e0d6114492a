package server

import "os"

// warnOfTemporaryFolder warns the operator if no file can be made in the folder for temporary ones: an image or a unit
// may have none, and everything but the files would work.
func (s *Server) warnOfTemporaryFolder(dir string) {
	f, err := os.CreateTemp(dir, "parley-try-*")
	if err != nil {
		s.log.Warn("no temporary files can be made: files cannot be put into object storage, nor samples of templates be fetched, "+
			"until the folder can be written to (in a read-only container: --tmpfs /tmp) or TMPDIR names another", "folder", dir, "error", err)
		return
	}
	f.Close()
	os.Remove(f.Name())
}
