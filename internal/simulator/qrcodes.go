package simulator

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/parleyhq/parley/internal/simulator/names"
	"github.com/parleyhq/parley/internal/simulator/templates"
	"github.com/parleyhq/parley/internal/simulator/wire"
)

// qrCode is a link that opens a chat with a number, with a prefilled text.
type qrCode struct {
	code    string
	message string
	created time.Time
}

const (
	maxQRCodes   = 2000
	maxPrefilled = 140
)

var (
	qrDefaults = []string{"code", "prefilled_message", "deep_link_url"}
	qrFormats  = []string{"PNG", "SVG"}
)

func (q qrCode) node() node {
	return node{kind: "WhatsAppMessageQRCode", id: q.code, anonymous: true, defaults: qrDefaults, fields: map[string]any{
		"code": q.code, "prefilled_message": q.message, "deep_link_url": "https://wa.me/message/" + q.code,
		"qr_image_url": q.imageURL(), "creation_time": q.created.Unix(),
	}}
}

// imageURL leads nowhere, because no pictures are drawn.
func (q qrCode) imageURL() string {
	return fmt.Sprintf("https://%s/m1/v/t6/%d", templates.SampleHost, names.HashString(q.code))
}

// newQRCode is 14 letters and digits, as in the upstream.
func (s *Simulator) newQRCode() string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	b := make([]byte, 0, 14)
	for n := s.ids.Next(); len(b) < 12; n >>= 5 {
		b = append(b, alphabet[n%32])
	}
	return string(b) + "P1"
}

func (s *Simulator) listQRCodes(c *call, n *number) (answer, *wire.Error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	nodes := make([]node, len(n.qrCodes))
	for i, q := range n.qrCodes {
		nodes[i] = q.node()
	}
	return listAnswer(c, nodes, 25)
}

func (s *Simulator) getQRCode(c *call, n *number) (answer, *wire.Error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	i, err := n.qrCode(c.item)
	if err != nil {
		return answer{}, err
	}
	return listAnswer(c, []node{n.qrCodes[i].node()}, 1)
}

// qrCode finds a code; the caller must hold the number's lock.
func (n *number) qrCode(code string) (int, *wire.Error) {
	i := slices.IndexFunc(n.qrCodes, func(q qrCode) bool { return q.code == code })
	if i < 0 {
		return 0, wire.BadParam("The QR code %s does not exist.", code)
	}
	return i, nil
}

type qrInput struct {
	Code    string  `json:"code"`
	Message *string `json:"prefilled_message"`
	Image   string  `json:"generate_qr_image"`
}

// setQRCode makes a code, or changes the one named by the path or the body.
func (s *Simulator) setQRCode(c *call, n *number) (answer, *wire.Error) {
	var in qrInput
	if err := c.decode(&in); err != nil {
		return answer{}, err
	}
	if c.item != "" {
		in.Code = c.item
	}
	if err := in.check(); err != nil {
		return answer{}, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	i := len(n.qrCodes)
	var err *wire.Error
	if in.Code == "" {
		err = n.addQRCode(qrCode{code: s.newQRCode(), message: *in.Message, created: s.now()})
	} else if i, err = n.qrCode(in.Code); err == nil {
		n.qrCodes[i].message = *in.Message
	}
	if err != nil {
		return answer{}, err
	}
	shown := n.qrCodes[i].node()
	if in.Image != "" {
		shown.defaults = append(slices.Clone(qrDefaults), "qr_image_url")
	}
	out, err := shown.pick("")
	return ok(out), err
}

func (in qrInput) check() *wire.Error {
	if in.Message == nil || *in.Message == "" {
		return wire.BadParam("The parameter prefilled_message is required.")
	}
	if in.Image != "" {
		if err := wire.OneOf("generate_qr_image", qrFormats, strings.ToUpper(in.Image)); err != nil {
			return err
		}
	}
	return wire.TooLong("prefilled_message", *in.Message, maxPrefilled)
}

func (n *number) addQRCode(q qrCode) *wire.Error {
	if len(n.qrCodes) >= maxQRCodes {
		return wire.Refuse(100, "A number can have at most "+strconv.Itoa(maxQRCodes)+" QR codes")
	}
	n.qrCodes = append(n.qrCodes, q)
	return nil
}

func (s *Simulator) deleteQRCode(c *call, n *number) (answer, *wire.Error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	i, err := n.qrCode(c.item)
	if err != nil {
		return answer{}, err
	}
	n.qrCodes = slices.Delete(n.qrCodes, i, i+1)
	return success, nil
}
