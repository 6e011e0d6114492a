package templates

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/netguard"
	"github.com/parleyhq/parley/internal/provider"
)

// sampleLimits are the types and the largest size of a header's file.
var sampleLimits = map[string]struct {
	types []string
	most  int64
}{
	"IMAGE":    {[]string{"image/jpeg", "image/png"}, 5 << 20},
	"VIDEO":    {[]string{"video/mp4", "video/3gpp"}, 16 << 20},
	"DOCUMENT": {[]string{"application/pdf"}, 100 << 20},
}

var sampleNames = map[string]string{
	"image/jpeg": "sample.jpg", "image/png": "sample.png", "video/mp4": "sample.mp4", "video/3gpp": "sample.3gp", "application/pdf": "sample.pdf",
}

// uploadSamples replaces the addresses and library ids of samples with the provider's handles, and returns the library
// files by their places. A file that several cards use is uploaded once.
func (s *Service) uploadSamples(ctx context.Context, account chat.Account, n provider.Number, parts []chat.TemplatePart) (files map[string]string, err error) {
	handles := map[string]string{}
	files = map[string]string{}
	return files, chat.ReplaceSamples(parts, func(sample chat.Sample) (string, error) {
		if sample.MediaID != "" {
			files[sample.Place] = sample.MediaID
		}
		if handle, done := handles[sample.Source()]; done {
			return handle, nil
		}
		upload := s.uploadFetched
		if sample.MediaID != "" {
			upload = func(ctx context.Context, n provider.Number, sample chat.Sample) (string, error) {
				return s.uploadStored(ctx, account, n, sample)
			}
		}
		handle, err := upload(ctx, n, sample)
		handles[sample.Source()] = handle
		return handle, err
	})
}

// uploadStored uploads a library file of the number's team to the provider.
func (s *Service) uploadStored(ctx context.Context, account chat.Account, n provider.Number, sample chat.Sample) (string, error) {
	media, err := core.LibraryMedia(s.Store.Read(ctx), account, sample.MediaID)
	if code, ours := chat.CodeOf(err); ours && code == chat.CodeResourceNotFound {
		return "", chat.Invalid(sample.Param, "There is no such file in the library of this number's team.")
	}
	if err != nil {
		return "", err
	}
	if most := sampleLimits[sample.Format].most; media.Size > most {
		return "", chat.Invalid(sample.Param, "The file is larger than %d MB.", most>>20)
	}
	file, err := s.Open(ctx, media.BlobKey)
	if err != nil {
		return "", err
	}
	defer file.Close()
	return s.handOver(ctx, n, sample, file, media.Size)
}

func (s *Service) uploadFetched(ctx context.Context, n provider.Number, sample chat.Sample) (string, error) {
	file, err := os.CreateTemp("", "parley-sample-*")
	if err != nil {
		return "", err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	size, err := s.fetch(ctx, sample, file)
	if err != nil {
		return "", err
	}
	return s.handOver(ctx, n, sample, file, size)
}

// handOver uploads a file, if a header of the format can have its type.
func (s *Service) handOver(ctx context.Context, n provider.Number, sample chat.Sample, file io.ReadSeeker, size int64) (string, error) {
	mimeType, err := sniff(file)
	if err != nil {
		return "", err
	}
	if !slices.Contains(sampleLimits[sample.Format].types, mimeType) {
		return "", chat.Invalid(sample.Param, "The file is not of a type that a header of format %s can have: %s.",
			sample.Format, strings.Join(sampleLimits[sample.Format].types, ", "))
	}
	handle, err := s.Provider.UploadSample(ctx, n, provider.File{Name: sampleNames[mimeType], MimeType: mimeType, Size: size, Body: file})
	if err != nil {
		return "", callFailed(err, sample.Param)
	}
	return handle, nil
}

// fetch downloads a sample into a file, up to the size limit.
func (s *Service) fetch(ctx context.Context, sample chat.Sample, to io.Writer) (int64, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, sample.URL, http.NoBody)
	if err != nil {
		return 0, chat.Invalid(sample.Param, "Must be an https address.")
	}
	req.Header.Set("User-Agent", "Svc-Fetch/1.0")
	earliest := time.After(s.RefuseAfter)
	res, err := s.Fetch.Do(req)
	if noPublicHost(err) {
		select {
		case <-earliest:
		case <-ctx.Done():
		}
	}
	if err != nil {
		return 0, chat.Invalid(sample.Param, "The file could not be fetched: %s.", unreachable(err))
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return 0, chat.Invalid(sample.Param, "The file could not be fetched: its server answered with status %d; redirects are not followed.", res.StatusCode)
	}
	most := sampleLimits[sample.Format].most
	size, err := io.Copy(to, io.LimitReader(res.Body, most+1))
	switch {
	case err != nil:
		return 0, chat.Invalid(sample.Param, "The file could not be fetched: %s.", unreachable(err))
	case size > most:
		return 0, chat.Invalid(sample.Param, "The file is larger than %d MB.", most>>20)
	case size == 0:
		return 0, chat.Invalid(sample.Param, "The file is empty.")
	}
	return size, nil
}

// noPublicHost reports whether a host cannot be reached from outside: it does not exist, or it is inside our network.
// The caller must not learn which of the two it is, neither from the text nor from the time of the answer.
func noPublicHost(err error) bool {
	return errors.Is(err, netguard.ErrBlocked) || errors.Is(err, netguard.ErrLookup)
}

// unreachable says why a download failed, without revealing what is inside our network.
func unreachable(err error) string {
	switch {
	case noPublicHost(err):
		return "its host has no public address; the operator can open a private network with --allow-network"
	case errors.Is(err, netguard.ErrPlain):
		return "its address must begin with https://; the operator can open a private network for http with --allow-network"
	case errors.Is(err, context.DeadlineExceeded):
		return "it took too long"
	default:
		return "the connection failed"
	}
}

// sniff detects a file's type from its first bytes, and rewinds it. The type that its server sends is not trusted.
func sniff(file io.ReadSeeker) (string, error) {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	head := make([]byte, 512)
	n, err := io.ReadFull(file, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", err
	}
	head = head[:n]
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	switch {
	case len(head) >= 12 && string(head[4:8]) == "ftyp" && bytes.HasPrefix(head[8:], []byte("3g")):
		return "video/3gpp", nil
	case len(head) >= 12 && string(head[4:8]) == "ftyp":
		return "video/mp4", nil
	default:
		return http.DetectContentType(head), nil
	}
}
