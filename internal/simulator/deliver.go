package simulator

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/parleyhq/parley/internal/simulator/wire"
)

// maxBatch is how many updates the upstream puts into one request.
const maxBatch = 1000

func (c *callbacks) batchSize() int {
	if n := c.sim.faults.Load().BatchSize; n > 0 {
		return min(n, maxBatch)
	}
	return maxBatch
}

// post sends a batch. reached is false if there was no answer at all.
func (c *callbacks) post(ctx context.Context, url string, batch []update) (reached, accepted bool) {
	f := c.sim.faults.Load()
	if f.ShuffleCallbacks {
		c.shuffle(batch)
	}
	body := renderBatch(batch, f.Grouping)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return false, false
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "facebookexternalua")
	req.Header.Set("X-Hub-Signature", "sha1="+signature(sha1.New, c.sim.cfg.AppSecret, body))
	req.Header.Set("X-Hub-Signature-256", "sha256="+signature(sha256.New, c.sim.cfg.AppSecret, body))
	c.sim.counters.posts.Add(1)
	resp, err := c.sim.cfg.Client.Do(req)
	if err != nil {
		if ctx.Err() == nil {
			c.sim.log.Debug("callback not answered", "url", url, "updates", len(batch), "error", err)
		}
		return false, false
	}
	drain(resp.Body)
	if resp.StatusCode != http.StatusOK {
		c.sim.log.Debug("callback refused", "url", url, "updates", len(batch), "status", resp.StatusCode)
	}
	return true, resp.StatusCode == http.StatusOK
}

func signature(h func() hash.Hash, secret string, body []byte) string {
	mac := hmac.New(h, []byte(secret))
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// drain reads the body to its end so that the connection can be reused.
func drain(body io.ReadCloser) {
	_, _ = io.Copy(io.Discard, io.LimitReader(body, 64<<10))
	body.Close()
}

func (c *callbacks) shuffle(batch []update) {
	for i := len(batch) - 1; i > 0; i-- {
		j := int(c.sim.ids.Next() % uint64(i+1))
		batch[i], batch[j] = batch[j], batch[i]
	}
}

// Ways to pack a batch. The protocol allows all of them, so a receiver should accept each.
const (
	groupChange = "change" // one change for each update, all in the account's entry
	groupValue  = "value"  // updates of one number share a value
	groupEntry  = "entry"  // one entry for each update
)

// renderBatch writes a callback's body.
func renderBatch(batch []update, grouping string) []byte {
	w := &wire.Writer{B: make([]byte, 0, 700*len(batch)+64)}
	w.Open('{').Field("object", "whatsapp_business_account").Key("entry").Open('[')
	for i := 0; i < len(batch); {
		n := 1
		for grouping != groupEntry && i+n < len(batch) && sameEntry(&batch[i], &batch[i+n]) {
			n++
		}
		appendEntry(w, batch[i:i+n], grouping)
		i += n
	}
	return w.Close(']').Close('}').B
}

func sameEntry(a, b *update) bool {
	return a.entry == b.entry && a.timed == b.timed && (!a.timed || a.at == b.at)
}

func appendEntry(w *wire.Writer, batch []update, grouping string) {
	w.Open('{').Field("id", batch[0].entry)
	if batch[0].timed {
		w.Key("time").Num(batch[0].at)
	}
	w.Key("changes").Open('[')
	for i := 0; i < len(batch); {
		n := 1
		for grouping == groupValue && i+n < len(batch) && sameValue(&batch[i], &batch[i+n]) {
			n++
		}
		w.Open('{').Key("value")
		appendValue(w, batch[i:i+n])
		w.Field("field", batch[i].changeField()).Close('}')
		i += n
	}
	w.Close(']').Close('}')
}

func sameValue(a, b *update) bool {
	return a.list() != "" && a.list() == b.list() && a.number == b.number && a.hasContact() == b.hasContact()
}

func appendValue(w *wire.Writer, batch []update) {
	first := &batch[0]
	if first.list() == "" {
		w.Raw(first.value)
		return
	}
	w.Open('{').Field("messaging_product", "whatsapp")
	first.number.appendMetadata(w)
	if first.hasContact() {
		w.Key("contacts").Open('[')
		for i := range batch {
			batch[i].appendContact(w)
		}
		w.Close(']')
	}
	w.Key(first.list()).Open('[')
	for i := range batch {
		batch[i].appendItem(w)
	}
	w.Close(']').Close('}')
}

const maxCallbackURL = 200

// verify asks an address whether it wants callbacks, as the upstream does before it sends any.
func (c *callbacks) verify(ctx context.Context, address, verifyToken string) *wire.Error {
	refused := func(why string) *wire.Error {
		return &wire.Error{
			Status: http.StatusBadRequest, Code: 2200, Message: "(#2200) Callback verification failed with the following errors: " + why,
		}
	}
	if !wire.IsWebURL(address) || len(address) > maxCallbackURL {
		return refused("the callback URL is not valid")
	}
	challenge := strconv.FormatUint(c.sim.ids.Next()%1e10, 10)
	q := url.Values{"hub.mode": {"subscribe"}, "hub.challenge": {challenge}, "hub.verify_token": {verifyToken}}
	separator := "?"
	if strings.Contains(address, "?") {
		separator = "&"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address+separator+q.Encode(), nil)
	if err != nil {
		return refused("the callback URL is not valid")
	}
	req.Header.Set("User-Agent", "facebookplatform/1.0")
	resp, err := c.sim.cfg.Client.Do(req)
	if err != nil {
		return refused("no answer")
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 1024))
	if resp.StatusCode != http.StatusOK || string(body) != challenge {
		return refused(fmt.Sprintf("HTTP Status Code = %d; the challenge was not repeated", resp.StatusCode))
	}
	return nil
}
