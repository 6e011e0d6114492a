package simulator

import (
	"bytes"
	"encoding/json"
	"mime"
	"net/http"
	"net/url"
	"strings"
)

// call is a request on its way to an answer.
type call struct {
	*http.Request
	sim   *Simulator
	w     http.ResponseWriter
	path  string // without version and outer slashes
	id    string // the object that the path names
	token token
	body  []byte
	query url.Values
}

type handler func(*call) (answer, *graphError)

// routes are method, then the last part of the path; "*" is any id. Open ones need no token.
type route struct {
	handle handler
	open   bool
}

func (s *Simulator) routeTable() map[string]route {
	return map[string]route{
		"POST */messages": {handle: s.postMessage},

		"GET *":               {handle: s.getNode},
		"POST *":              {handle: s.postNode},
		"DELETE *":            {handle: s.deleteNode},
		"POST */register":     {handle: s.register},
		"POST */deregister":   {handle: s.deregister},
		"POST */request_code": {handle: s.requestCode},
		"POST */verify_code":  {handle: s.verifyCode},

		"GET */message_templates":    {handle: s.listTemplates},
		"POST */message_templates":   {handle: s.createTemplate},
		"DELETE */message_templates": {handle: s.deleteTemplates},
		"POST */unpause":             {handle: s.unpauseTemplate},

		"POST */media":                        {handle: s.uploadMedia},
		"GET " + strings.Trim(mediaPath, "/"): {handle: s.download},

		"GET */phone_numbers":      {handle: s.listNumbers},
		"POST */phone_numbers":     {handle: s.createNumber},
		"GET */subscribed_apps":    {handle: s.subscribers},
		"POST */subscribed_apps":   {handle: s.subscribe},
		"DELETE */subscribed_apps": {handle: s.unsubscribe},
		"POST */uploads":           {handle: s.startUpload},
		"POST upload:*":            {handle: s.continueUpload},
		"GET upload:*":             {handle: s.uploadState},

		"POST */smb_app_data":              {handle: s.syncAppData},
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

func (s *Simulator) answerTo(c *call) (answer, *graphError) {
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

// match finds the route: the path as it is, or with its first segment taken as an object's id.
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
	if edge != "" {
		key += "/" + edge
	}
	_, found = s.routes[key]
	return key, found
}

func unknownPath(c *call) *graphError {
	if c.path == "" {
		return &graphError{status: http.StatusBadRequest, code: 100, kind: "GraphMethodException", message: "Unsupported request - method type: " + strings.ToLower(c.Method)}
	}
	return &graphError{
		status: http.StatusBadRequest, code: 2500, kind: "OAuthException",
		message: "Unknown path components: /" + c.path,
	}
}

func (c *call) param(name string) string {
	if c.query == nil {
		c.query = c.URL.Query()
	}
	return c.query.Get(name)
}

// object reads the body as one JSON object. Forms are accepted too: their values become strings,
// or JSON where they hold some.
func (c *call) object() ([]byte, *graphError) {
	body, err := readBody(c.Request, maxBody)
	if err != nil {
		return nil, badParam("The request body could not be read")
	}
	c.body = body
	kind := c.Header.Get("Content-Type")
	if strings.HasPrefix(kind, "application/x-www-form-urlencoded") || strings.HasPrefix(kind, "multipart/form-data") {
		return formObject(kind, body)
	}
	if body = bytes.TrimSpace(body); len(body) == 0 {
		return []byte("{}"), nil
	}
	return body, nil
}

func formObject(kind string, body []byte) ([]byte, *graphError) {
	mediaType, params, _ := mime.ParseMediaType(kind)
	form := url.Values{}
	if mediaType == "multipart/form-data" {
		f, err := multipartValues(body, params["boundary"])
		if err != nil {
			return nil, badParam("The form could not be read")
		}
		form = f
	} else if f, err := url.ParseQuery(string(body)); err == nil {
		form = f
	}
	fields := map[string]json.RawMessage{}
	for k := range form {
		v := form.Get(k)
		if strings.HasPrefix(v, "{") || strings.HasPrefix(v, "[") {
			if json.Valid([]byte(v)) {
				fields[k] = json.RawMessage(v)
				continue
			}
		}
		quoted, _ := json.Marshal(v)
		fields[k] = quoted
	}
	out, _ := json.Marshal(fields)
	return out, nil
}

// decode reads the body into v; a value of the wrong type is named in the upstream's way.
func (c *call) decode(v any) *graphError {
	body, err := c.object()
	if err != nil {
		return err
	}
	return decodeParams(body, v)
}

// number finds the number that the path names, making it up where that is allowed.
func (c *call) number() (*number, *graphError) {
	n := c.sim.provisionNumber(c.id, c.token)
	if n == nil || !c.token.maySee(n.waba.Load()) {
		return nil, unknownObject(c.Method, c.id)
	}
	return n, nil
}

func (c *call) waba() (*waba, *graphError) {
	w := c.sim.provisionWABA(c.id, c.token)
	if w == nil || !c.token.maySee(w) {
		return nil, unknownObject(c.Method, c.id)
	}
	return w, nil
}
