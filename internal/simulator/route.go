package simulator

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/parleyhq/parley/internal/simulator/wire"
)

// call is a request being answered.
type call struct {
	*http.Request
	sim *Simulator
	w   http.ResponseWriter
	// prefix is the path below which the simulator is served, if there is one.
	prefix string
	path   string // without version and outer slashes
	id     string // the object that the path names
	token  token
	sent   []byte // the parameters as one JSON object, once decoded
	query  url.Values
	// visitor is the person who sees the signup page; nil for callers who may see all numbers.
	visitor *Visitor
}

type handler func(*call) (answer, *wire.Error)

// route is one entry of the routes, which are keyed by method and last part of the path; "*" is any id. Open routes
// need no token.
type route struct {
	handle handler
	open   bool
}

// ofNumber is the route to a function on the number that the path names.
func ofNumber(do func(*call, *number) (answer, *wire.Error)) route {
	return route{handle: func(c *call) (answer, *wire.Error) {
		n, err := c.number()
		if err != nil {
			return answer{}, err
		}
		return do(c, n)
	}}
}

// ofAccount is the route to a function on the account that the path names.
func ofAccount(do func(*call, *waba) (answer, *wire.Error)) route {
	return route{handle: func(c *call) (answer, *wire.Error) {
		w, err := c.waba()
		if err != nil {
			return answer{}, err
		}
		return do(c, w)
	}}
}

func (s *Simulator) routeTable() map[string]route {
	return map[string]route{
		"POST */messages": ofNumber(s.postMessage),

		"GET *":               {handle: s.getNode},
		"POST *":              {handle: s.postNode},
		"DELETE *":            {handle: s.deleteNode},
		"POST */register":     ofNumber(s.register),
		"POST */deregister":   ofNumber(s.deregister),
		"POST */request_code": ofNumber(s.requestCode),
		"POST */verify_code":  ofNumber(s.verifyCode),

		"GET */whatsapp_business_profile":  ofNumber(s.getProfile),
		"POST */whatsapp_business_profile": ofNumber(s.setProfile),

		"GET */message_templates":    ofAccount(s.listTemplates),
		"POST */message_templates":   ofAccount(s.createTemplate),
		"DELETE */message_templates": ofAccount(s.deleteTemplates),
		"POST */unpause":             {handle: s.unpauseTemplate},

		"POST */media":                        ofNumber(s.uploadMedia),
		"GET " + strings.Trim(mediaPath, "/"): {handle: s.download},

		"GET */phone_numbers":      ofAccount(s.listNumbers),
		"POST */phone_numbers":     ofAccount(s.createNumber),
		"GET */subscribed_apps":    ofAccount(s.subscribers),
		"POST */subscribed_apps":   ofAccount(s.subscribe),
		"DELETE */subscribed_apps": ofAccount(s.unsubscribe),
		"POST */uploads":           {handle: s.startUpload},
		"POST upload:*":            {handle: s.continueUpload},
		"GET upload:*":             {handle: s.uploadState},

		"POST */smb_app_data":              ofNumber(s.syncAppData),
		"GET dialog/oauth":                 {handle: s.dialog, open: true},
		"POST dialog/oauth":                {handle: s.dialog, open: true},
		"GET messaging/whatsapp/onboard":   {handle: s.dialog, open: true},
		"POST messaging/whatsapp/onboard":  {handle: s.dialog, open: true},
		"GET oauth/access_token":           {handle: s.accessToken, open: true},
		"POST oauth/access_token":          {handle: s.accessToken, open: true},
		"GET debug_token":                  {handle: s.debugToken},
		"POST */system_user_access_tokens": {handle: s.systemUserToken},

		"GET */subscriptions":  {handle: s.appCallback},
		"POST */subscriptions": {handle: s.setAppCallback},
	}
}

const maxBody = 1 << 20

func (s *Simulator) dispatch(c *call) answer {
	a, err := s.answerTo(c)
	if err != nil {
		return s.failure(err)
	}
	return a
}

func (s *Simulator) answerTo(c *call) (answer, *wire.Error) {
	key, found := s.match(c)
	if !found {
		return answer{}, unknownPath(c)
	}
	rt := s.routes[key]
	if !rt.open {
		tok, err := s.authenticate(c.Request)
		if err != nil {
			return answer{}, err
		}
		c.token = tok
	}
	return rt.handle(c)
}

// match finds the route: by the path as it is, or with its first segment as an object's id.
func (s *Simulator) match(c *call) (key string, found bool) {
	key = c.Method + " " + c.path
	if _, found = s.routes[key]; found {
		return key, true
	}
	id, edge, _ := strings.Cut(c.path, "/")
	c.id = id
	if kind, _, isUpload := strings.Cut(id, ":"); isUpload {
		key = c.Method + " " + kind + ":*"
	} else {
		key = c.Method + " *"
	}
	if edge == "" {
		_, found = s.routes[key]
		return key, found
	}
	key += "/" + edge
	_, found = s.routes[key]
	return key, found
}

func unknownPath(c *call) *wire.Error {
	if c.path == "" {
		return &wire.Error{Status: http.StatusBadRequest, Code: 100, Kind: "GraphMethodException", Message: "Unsupported request - method type: " + strings.ToLower(c.Method)}
	}
	return &wire.Error{
		Status: http.StatusBadRequest, Code: 2500, Kind: "OAuthException",
		Message: "Unknown path components: /" + c.path,
	}
}

func (c *call) param(name string) string {
	if c.query == nil {
		c.query = c.URL.Query()
	}
	return c.query.Get(name)
}

// number finds the number that the path names. It makes an unknown one up if that is allowed.
func (c *call) number() (*number, *wire.Error) {
	n := c.sim.provisionNumber(c.id, c.token)
	if n == nil || !c.token.maySee(n.waba.Load()) {
		return nil, wire.UnknownObject(c.Method, c.id)
	}
	return n, nil
}

func (c *call) waba() (*waba, *wire.Error) {
	w := c.sim.provisionWABA(c.id, c.token)
	if w == nil || !c.token.maySee(w) {
		return nil, wire.UnknownObject(c.Method, c.id)
	}
	return w, nil
}
