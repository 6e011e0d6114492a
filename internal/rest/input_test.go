package rest

import (
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/parleyhq/parley/internal/chat"
)

// nothing is an empty description.
var nothing = Description{About: func(*huma.OpenAPI) {}}

type embeddingInput struct {
	AccountPath
	ID    string     `path:"id" pattern:"^x[0-9]$"`
	Since *time.Time `query:"since"`
	Name  string     `query:"name" maxLength:"3"`
}

func bindEmbedding(t *testing.T, path pathValues, query string) (embeddingInput, error) {
	t.Helper()
	b := newInputBinder[embeddingInput](newDocument("/", nothing))
	var in embeddingInput
	c := &Call{path: path, R: httptest.NewRequest(http.MethodGet, "/?"+query, nil)}
	err := b.bind(c, reflect.ValueOf(&in).Elem())
	return in, err
}

func TestBindReachesEmbeddedFields(t *testing.T) {
	t.Parallel()
	in, err := bindEmbedding(t, pathValues{"123456", "x1"}, "since=2026-01-02T03:04:05.5%2B02:00&name=abc")
	if err != nil {
		t.Fatal(err)
	}
	if in.PhoneNumberID != "123456" || in.ID != "x1" || in.Name != "abc" {
		t.Errorf("got %+v", in)
	}
	if want := time.Date(2026, 1, 2, 1, 4, 5, 5e8, time.UTC); in.Since == nil || !in.Since.Equal(want) {
		t.Errorf("since is %v, want %v", in.Since, want)
	}
}

func TestBindReadsInstantsAsWritten(t *testing.T) {
	t.Parallel()
	want := time.Date(2026, 1, 2, 1, 4, 5, 0, time.UTC)
	for _, text := range []string{"2026-01-02T03:04:05+02:00", "2026-01-02t03:04:05%2b02:00", "2026-01-02t01:04:05z"} {
		in, err := bindEmbedding(t, pathValues{"123456", "x1"}, "since="+text)
		if err != nil || in.Since == nil || !in.Since.Equal(want) {
			t.Errorf("%s is %v, %v", text, in.Since, err)
		}
	}
}

// People read what an id looks like, and no expression.
func TestMismatchInWords(t *testing.T) {
	t.Parallel()
	for pattern, want := range map[string]string{
		chat.KindMessage.Pattern():  "Must be a message id, such as msg_01ARZ3NDEKTSV4RRFFQ69G5FAV.",
		chat.KindTemplate.Pattern(): "Must be a template id, such as tmpl_01ARZ3NDEKTSV4RRFFQ69G5FAV.",
		chat.KindView.Pattern():     "Must be an id, such as " + string(chat.KindView) + "_01ARZ3NDEKTSV4RRFFQ69G5FAV.",
		"^[a-z]{2,3}$":              "Must match ^[a-z]{2,3}$.",
	} {
		if got := mismatch(pattern); got != want {
			t.Errorf("%s: got %s, want %s", pattern, got, want)
		}
	}
}

func TestBindChecksEmbeddedFieldsFirst(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		path  pathValues
		query string
		want  string
	}{
		{pathValues{"12345", "y"}, "", "phone_number_id: Must be the id of a business number, which is 6 to 20 digits. GET /v1/accounts lists yours as phone_number_id."},
		{pathValues{"123456", "y"}, "since=yesterday", "id: Must match ^x[0-9]$."},
		{pathValues{"123456", "x1"}, "since=yesterday", "since: Must be a valid date-time, such as 2026-01-31T12:00:00Z."},
		{pathValues{"123456", "x1"}, "since=", "since: Must be a valid date-time, such as 2026-01-31T12:00:00Z."},
		{pathValues{"123456", "x1"}, "since=2026-01-02T03:04:05%2B24:00", "since: Must be a valid date-time, such as 2026-01-31T12:00:00Z."},
		{pathValues{"123456", "x1"}, "since=2026-01-02T03:04:05-02:60", "since: Must be a valid date-time, such as 2026-01-31T12:00:00Z."},
		{pathValues{"123456", "x1"}, "since=2026-01-02T03:04:05,5Z", "since: Must be a valid date-time, such as 2026-01-31T12:00:00Z."},
		{pathValues{"123456", "x1"}, "since=2026-01-02T3:04:05Z", "since: Must be a valid date-time, such as 2026-01-31T12:00:00Z."},
		{pathValues{"123456", "x1"}, "since=9999-12-31T23:59:59-00:01", "since: Must be a valid date-time, such as 2026-01-31T12:00:00Z."},
		{pathValues{"123456", "x1"}, "since=0000-01-01T00:00:00%2B00:01", "since: Must be a valid date-time, such as 2026-01-31T12:00:00Z."},
	} {
		if _, err := bindEmbedding(t, test.path, test.query); err == nil || err.Error() != test.want {
			t.Errorf("%v %q: got %v, want %s", test.path, test.query, err, test.want)
		}
	}
}
