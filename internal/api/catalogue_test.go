package api_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/api/apitest"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/rest"
)

// declaredCodes reads the constants from the source, so that none can be forgotten here.
func declaredCodes(t *testing.T, name string) map[string]chat.Code {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../chat/"+name, nil, 0)
	must(t, err)
	codes := map[string]chat.Code{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(spec.Names[0].Name, "Code") {
			return true
		}
		literal, ok := spec.Values[0].(*ast.BasicLit)
		if !ok || len(spec.Names) != 1 {
			t.Fatalf("%s is not declared as one literal", spec.Names[0].Name)
		}
		text, err := strconv.Unquote(literal.Value)
		must(t, err)
		codes[spec.Names[0].Name] = chat.Code(text)
		return true
	})
	return codes
}

func TestCatalogueHoldsEveryCodeOfTheContract(t *testing.T) {
	t.Parallel()
	declared, dashboard := declaredCodes(t, "error.go"), declaredCodes(t, "user.go")
	seen := map[chat.Code]string{}
	for name, code := range declared {
		if other, twice := seen[code]; twice {
			t.Errorf("%s and %s are the same code", name, other)
		}
		seen[code] = name
		status, kind, ok := rest.StatusOf(code)
		if got := (apitest.Code{Status: status, Type: kind}); !ok || got != apitest.Codes[string(code)] {
			t.Errorf("%s is %v in the catalogue, want %v", code, got, apitest.Codes[string(code)])
		}
	}
	for code := range apitest.Codes {
		if seen[chat.Code(code)] == "" {
			t.Errorf("the contract's %s has no constant", code)
		}
	}
	for _, code := range dashboard {
		if _, _, ok := rest.StatusOf(code); !ok {
			t.Errorf("%s is not in the catalogue", code)
		}
	}
	if n := len(declared) + len(dashboard); rest.Codes() != n {
		t.Errorf("the catalogue holds %d codes, and %d are declared", rest.Codes(), n)
	}
}
