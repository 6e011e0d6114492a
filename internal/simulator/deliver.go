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
)

// maxBatch is how many updates the upstream puts into one request.
const maxBatch = 1000

func (c *callbacks) batchSize() int {
	if n := c.sim.faults.Load().BatchSize; n > 0 {
		return min(n, maxBatch)
	}
	return maxBatch
}

// post sends a batch. reached is false when there was no answer at all.
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

// drain lets the connection be used again.
func drain(body io.ReadCloser) {
	_, _ = io.Copy(io.Discard, io.LimitReader(body, 64<<10))
	body.Close()
}

func (c *callbacks) shuffle(batch []update) {
	for i := len(batch) - 1; i > 0; i-- {
		j := int(c.sim.ids.next() % uint64(i+1))
		batch[i], batch[j] = batch[j], batch[i]
	}
}

// Ways to pack a batch. All are allowed by the protocol, so a receiver should take each.
const (
	groupChange = "change" // one change for each update, all in the account's entry
	groupValue  = "value"  // updates of one number share a value
	groupEntry  = "entry"  // one entry for each update
)

// renderBatch writes a callback's body.
func renderBatch(batch []update, grouping string) []byte {
	w := &jsonWriter{b: make([]byte, 0, 700*len(batch)+64)}
	w.open('{').field("object", "whatsapp_business_account").key("entry").open('[')
	for i := 0; i < len(batch); {
		n := 1
		for grouping != groupEntry && i+n < len(batch) && sameEntry(&batch[i], &batch[i+n]) {
			n++
		}
		appendEntry(w, batch[i:i+n], grouping)
		i += n
	}
	return w.close(']').close('}').b
}

func sameEntry(a, b *update) bool {
	return a.entry == b.entry && a.timed == b.timed && (!a.timed || a.at == b.at)
}

func appendEntry(w *jsonWriter, batch []update, grouping string) {
	w.open('{').field("id", batch[0].entry)
	if batch[0].timed {
		w.key("time").num(batch[0].at)
	}
	w.key("changes").open('[')
	for i := 0; i < len(batch); {
		n := 1
		for grouping == groupValue && i+n < len(batch) && sameValue(&batch[i], &batch[i+n]) {
			n++
		}
		w.open('{').key("value")
		appendValue(w, batch[i:i+n])
		w.field("field", batch[i].changeField()).close('}')
		i += n
	}
	w.close(']').close('}')
}

func sameValue(a, b *update) bool {
	return a.list() != "" && a.list() == b.list() && a.number == b.number && a.hasContact() == b.hasContact()
}

func appendValue(w *jsonWriter, batch []update) {
	first := &batch[0]
	if first.list() == "" {
		w.raw(first.value)
		return
	}
	w.open('{').field("messaging_product", "whatsapp")
	first.number.appendMetadata(w)
	if first.hasContact() {
		w.key("contacts").open('[')
		for i := range batch {
			batch[i].appendContact(w)
		}
		w.close(']')
	}
	w.key(first.list()).open('[')
	for i := range batch {
		batch[i].appendItem(w)
	}
	w.close(']').close('}')
}

const maxCallbackURL = 200

// verify asks an address whether it wants callbacks, as the upstream does before it sends any.
func (c *callbacks) verify(ctx context.Context, address, verifyToken string) *graphError {
	refused := func(why string) *graphError {
		return &graphError{
			status: http.StatusBadRequest, code: 2200, message: "(#2200) Callback verification failed with the following errors: " + why,
		}
	}
	if !isWebURL(address) || len(address) > maxCallbackURL {
		return refused("the callback URL is not valid")
	}
	challenge := strconv.FormatUint(c.sim.ids.next()%1e10, 10)
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
