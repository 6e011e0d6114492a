package server

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"os"
	"strings"
	"testing"
)

// operator calls the operator's address of a node, with the simulator's below it.
type operator struct {
	t   *testing.T
	url string
}

func newOperator(t *testing.T) operator {
	s, _ := open(t, settings(t))
	start(t, s)
	return operator{t, s.SimulatorURL()}
}

func (o operator) do(method, path, contentType string, body io.Reader) (status int, answer map[string]any, raw []byte) {
	o.t.Helper()
	if strings.HasPrefix(path, "/") {
		path = o.url + path
	}
	request, err := http.NewRequestWithContext(o.t.Context(), method, path, body)
	if err != nil {
		o.t.Fatal(err)
	}
	request.Header.Set("Content-Type", contentType)
	request.Header.Set("Authorization", "Bearer any")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		o.t.Fatal(err)
	}
	defer response.Body.Close()
	if raw, err = io.ReadAll(response.Body); err != nil {
		o.t.Fatal(err)
	}
	_ = json.Unmarshal(raw, &answer) // a file is no JSON
	return response.StatusCode, answer, raw
}

// TestControlsOnTheOperatorsAddress: the whole control API is there.
func TestControlsOnTheOperatorsAddress(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	_, answer, raw := o.do("GET", "/_sim", "", nil)
	controls, _ := answer["controls"].([]any)
	if len(controls) == 0 {
		t.Fatalf("the controls are %s", raw)
	}
	for _, control := range controls {
		method, path, _ := strings.Cut(control.(string), " ")
		status, _, raw := o.do(method, "/_sim/"+strings.ReplaceAll(path, "*", "1"), "", nil)
		if status != 200 && status != 400 && string(raw) != "{\n  \"error\": \"not found\"\n}\n" {
			t.Errorf("%s: %d %s", control, status, raw)
		}
	}
}

// TestDocumentedCommandsOnTheOperatorsAddress runs the commands of docs/simulator.md.
func TestDocumentedCommandsOnTheOperatorsAddress(t *testing.T) {
	t.Parallel()
	docs, err := os.ReadFile("../../docs/simulator.md")
	must(t, err)
	o, ran := newOperator(t), 0
	vars := strings.NewReplacer("$SIM", o.url, "$NUM", "100200300400500")
	for _, block := range strings.Split(string(docs), "```sh\n")[1:] {
		block, _, _ = strings.Cut(block, "```")
		for _, command := range strings.Split("\n"+block, "\ncurl ")[1:] {
			ran++
			method, url, contentType, body := curl(t, shellWords(vars.Replace(command)))
			if status, _, raw := o.do(method, url, contentType, strings.NewReader(body)); status != 200 {
				t.Errorf("curl %s\n%d %s", command, status, raw)
			}
		}
	}
	if ran < 15 {
		t.Errorf("only %d commands were found", ran)
	}
}

// shellWords splits a command as a shell does: quotes hold words together, and are dropped.
func shellWords(command string) (words []string) {
	word, inWord, quote := "", false, rune(0)
	for _, r := range command + "\n" {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word += string(r)
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case r == ' ' || r == '\n':
			if inWord {
				words = append(words, word)
			}
			word, inWord = "", false
		default:
			word, inWord = word+string(r), true
		}
	}
	return words
}

// curl reads the arguments that the documentation uses.
func curl(t *testing.T, words []string) (method, url, contentType, body string) {
	t.Helper()
	method, contentType = "GET", "application/x-www-form-urlencoded"
	for i := 0; i < len(words); i++ {
		switch word := words[i]; word {
		case "-X":
			i++
			method = words[i]
		case "-d":
			i++
			body = words[i]
			if method == "GET" {
				method = "POST"
			}
		case "-H":
			i++
			if kind, found := strings.CutPrefix(words[i], "Content-Type: "); found {
				contentType = kind
			}
		default:
			url = word
		}
	}
	if !strings.HasPrefix(url, "http") {
		t.Fatalf("no address in %q", words)
	}
	return method, url, contentType, body
}

// TestAddressesOfTheSimulatorFollowTheCaller: for the server, the simulator listens at an address that only this
// computer reaches. The operator gets addresses below the one that was called.
func TestAddressesOfTheSimulatorFollowTheCaller(t *testing.T) {
	t.Parallel()
	o := newOperator(t)
	_, page, raw := o.do("GET", "/v25.0/2001/message_templates?limit=1", "", nil)
	paging, _ := page["paging"].(map[string]any)
	next, _ := paging["next"].(string)
	if !strings.HasPrefix(next, o.url+"/v25.0/2001/message_templates?") {
		t.Fatalf("the next page is at %s: %s", next, raw)
	}
	if status, _, raw := o.do("GET", next, "", nil); status != 200 {
		t.Errorf("the next page: %d %s", status, raw)
	}
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreatePart(textproto.MIMEHeader{"Content-Disposition": {`form-data; name="file"; filename="a.txt"`}, "Content-Type": {"text/plain"}})
	if err == nil {
		_, err = part.Write([]byte("content"))
	}
	if err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	_, media, raw := o.do("POST", "/v25.0/100200300400500/media?messaging_product=whatsapp", w.FormDataContentType(), &form)
	id, _ := media["id"].(string)
	_, media, _ = o.do("GET", "/v25.0/"+id, "", nil)
	url, _ := media["url"].(string)
	if !strings.HasPrefix(url, o.url+"/") {
		t.Fatalf("the file is at %q: %s", url, raw)
	}
	if _, _, raw := o.do("GET", url, "", nil); string(raw) != "content" {
		t.Errorf("the file is %s", raw)
	}
}
