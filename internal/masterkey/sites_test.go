package masterkey

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parleyhq/parley/internal/store"
)

// sites are the functions that seal, each with the column in which the sealed values end up; nil: in none. Values in a
// column that Change does not know would be lost with the old key.
var sites = map[string]*store.SealedColumn{
	"app know":             nil, // a cookie; without it a browser is a stranger's again
	"app setWay":           nil, // a cookie of some minutes
	"cli changeSealing":    &store.SealedTokens,
	"core BeginSecondStep": &store.SealedSecondSteps,
	"core mintSecret":      &store.SealedWebhookSecrets,
	"demo Seed":            &store.SealedSettings,
	"demo openSales":       &store.SealedTokens,
	"demo plantDemoNumber": &store.SealedTokens,
	"masterkey change":     &store.SealedSettings,
	"masterkey reseal":     nil, // where they were
	"onboard complete":     &store.SealedTokens,
	"rest keep":            &store.SealedAnswers,
	"server newOnboarding": &store.SealedTokens,
}

// Whoever seals something says here where it is kept, and Change seals that anew.
func TestEverySealHasItsColumn(t *testing.T) {
	t.Parallel()
	known, used, found := map[store.SealedColumn]bool{}, map[store.SealedColumn]bool{}, sealing(t)
	for _, s := range sealedBy {
		known[s.column] = true
	}
	for site := range found {
		column, named := sites[site]
		if !named {
			t.Errorf("%s seals something: name its column in internal/store/sealed.go and here", site)
		} else if column != nil {
			used[*column] = true
		}
	}
	for site := range sites {
		if !found[site] {
			t.Errorf("%s seals nothing", site)
		}
	}
	for column := range used {
		if !known[column] {
			t.Errorf("Change leaves out %+v", column)
		}
	}
	for column := range known {
		if !used[column] {
			t.Errorf("nobody seals %+v", column)
		}
	}
}

// sealing are the functions of the program that call a Seal with a text and a context.
func sealing(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, declared := range file.Decls {
			if function, ok := declared.(*ast.FuncDecl); ok && seals(function) {
				found[file.Name.Name+" "+function.Name.Name] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func seals(function *ast.FuncDecl) (found bool) {
	ast.Inspect(function, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && len(call.Args) == 2 {
			method, is := call.Fun.(*ast.SelectorExpr)
			found = found || is && method.Sel.Name == "Seal"
		}
		return true
	})
	return found
}
