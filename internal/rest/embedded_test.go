package rest

import "testing"

type innerBody struct {
	Password string `json:"password" minLength:"1"`
}

type outerBody struct {
	Name string `json:"name"`
	innerBody
}

// The fields of a struct that a body embeds are decoded with its own.
func TestEmbeddedFieldsAreDecoded(t *testing.T) {
	t.Parallel()
	binder := newInputBinder[struct{ Body outerBody }](newDocument("/", nothing))
	var body outerBody
	if err := binder.body.decode([]byte(`{"name":"Ada","password":"secret"}`), &body); err != nil {
		t.Fatal(err)
	}
	if body.Name != "Ada" || body.Password != "secret" {
		t.Errorf("got %+v", body)
	}
}
