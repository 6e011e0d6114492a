# Works with GNU make 3.81, which macOS ships.

VERSION     := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS     := -s -w -X github.com/parleyhq/parley/internal/cli.version=$(VERSION)
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZTIME    ?= 20s
KILLS       ?= 1000
SLOW_CLIENTS ?= 10000
PICTURES    ?= bin/pictures
PREFIX      ?= /usr/local
ONLY        ?= linux_amd64

# SQLite is C translated to Go. It does not use Go's memory, so the race detector finds nothing in it, but makes
# it many times slower.
RACE := -race -gcflags=modernc.org/...=-race=false

# These packages start no goroutines that share memory. The packages they call do, and have their own tests. The
# race detector would more than double the time of all tests; make race-test uses it for these packages too.
ALONE := ./e2e ./bench ./client ./docs ./examples/... ./internal/api/... ./internal/app/... ./internal/chat ./internal/cli ./internal/core

# It begins first, so that the others run beside it and not before it.
LONGEST := ./internal/store

# npm packages may contain Go files that are not ours.
GO_FILES = $(shell find . -name node_modules -prune -o -name '*.go' -print)

check_format = unformatted=$$(gofmt -s -l $(GO_FILES)) || exit; \
	if [ -n "$$unformatted" ]; then echo "not formatted, run make fmt:"; echo "$$unformatted"; exit 1; fi

.DEFAULT_GOAL := help
.PHONY: run build install check test lint fmt web web-check browser-test long-test torture race-test screenshots bench bench-all fuzz generate licences release release-check clean help

run: build ## build, then serve with demo data
	./bin/parley serve --demo

build: ## build ./bin/parley
	go build -trimpath -ldflags "$(LDFLAGS)" -o bin/parley .

install: build ## put the program into PREFIX/bin (/usr/local/bin)
	install -d "$(DESTDIR)$(PREFIX)/bin"
	install -m 755 bin/parley "$(DESTDIR)$(PREFIX)/bin/parley"

# One recipe instead of prerequisites, so that the order is kept under make -j.
test: ## everything a change must pass: lint, then all tests on SQLite and PostgreSQL
	scripts/ensure-postgres
	scripts/ensure-chromium
	$(MAKE) lint
	scripts/web-test
	go build -o bin/pgtest-run ./internal/pgtest/run
	bin/pgtest-run -- sh -ec 'go test -timeout 20m $(ALONE); go test $(RACE) -timeout 20m $$(go list $(LONGEST) ./... | grep -vxF "$$(go list $(ALONE))")'
	@echo PASS

# For the inner loop: no race detector, no PostgreSQL, no end-to-end runs.
check: ## what to run while you work: format, vet, and the tests on SQLite, in under two minutes
	@$(check_format)
	go vet ./...
	PARLEY_TEST_DATABASE_URL=none go test $$(go list ./... | grep -v -e /e2e -e /pgtest -e /storetest)

lint: ## check formatting, suspicious code and go.mod
	@$(check_format)
	go vet ./...
	go run $(STATICCHECK) ./...
	go mod tidy -diff

fmt: ## format the Go code
	gofmt -s -w $(GO_FILES)

web/node_modules/.package-lock.json: web/package-lock.json
	cd web && npm ci
	touch $@

web: web/node_modules/.package-lock.json ## build the dashboard's pages anew (needs Node 20.19 or newer); commit web/dist
	cd web && npm run build

web-check: web/node_modules/.package-lock.json ## check and test the dashboard's pages, and that web/dist is what the sources give
	scripts/web-test
	cd web && npm run --silent lint
	rm -rf bin/web-dist && mkdir -p bin && cp -R web/dist bin/web-dist
	cd web && npm run build
	diff -r bin/web-dist web/dist
	@echo PASS

browser-test: ## run all browser tests, of which make test runs the main ones
	go build -o bin/pgtest-run ./internal/pgtest/run
	bin/pgtest-run -- go test -tags browser -count=1 -timeout 40m ./e2e \
		-run "$$(grep -ho '^func Test[A-Za-z]*' e2e/*_browser_test.go | cut -d' ' -f2 | paste -s -d '|' -)"

long-test: ## run the tests that go on for long
	go build -o bin/pgtest-run ./internal/pgtest/run
	bin/pgtest-run -- go test -tags long -count=1 ./internal/broadcast ./internal/blob

torture: ## kill the server KILLS (1000) times on each engine, and do worse to it; print the ledger
	go build -o bin/pgtest-run ./internal/pgtest/run
	PARLEY_TORTURE_KILLS=$(KILLS) PARLEY_TORTURE_CLIENTS=$(SLOW_CLIENTS) \
		bin/pgtest-run -- go test -tags torture -count=1 -v -timeout 6h ./e2e -run 'TestTorture|TestLedger|TestBroadcastCrashes|TestImportIsKilled|TestWorkIsKilled|TestNodesDie|TestDatabase'

race-test: ## run every test with the race detector
	go build -o bin/pgtest-run ./internal/pgtest/run
	bin/pgtest-run -- go test $(RACE) -timeout 40m ./...

screenshots: ## take pictures of every page of the dashboard, into PICTURES
	mkdir -p $(PICTURES)
	PARLEY_TEST_DATABASE_URL=none go test -tags pictures -count=1 ./e2e -run TestPictures -args -pictures $(abspath $(PICTURES))

bench: ## measure speed in two or three minutes: the rows that need little preparation
	go run ./bench -short

bench-all: ## measure everything, in about fifteen minutes
	go run ./bench

fuzz: ## run every fuzz target for FUZZTIME (20s) each
	@list=$$(go test -list '^Fuzz' ./...) || { echo "$$list"; exit 1; }; \
	echo "$$list" | awk '/^Fuzz/ { names[n++] = $$1 } /^ok/ { for (i = 0; i < n; i++) print $$2, names[i]; n = 0 }' | \
	while read -r package target; do \
		echo "$$package $$target"; \
		go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "$$package" </dev/null || exit; \
	done

generate: ## rewrite generated files
	go generate ./...

licences: ## write docs/licences.md anew: what others made, and under which licence
	go run ./scripts/release -licences docs/licences.md

# Static programs in archives with checksums, a list of their contents (CycloneDX), and the texts of licences.
release: web/node_modules/.package-lock.json ## build what is published, into bin/release
	rm -rf bin/release
	go run ./scripts/release -version $(VERSION) -out bin/release
	cd bin/release && sha256sum -c SHA256SUMS

# The second build runs in another folder with its own build cache, so that nothing can come from the first.
release-check: web/node_modules/.package-lock.json ## build a release twice, in two places, and compare the bytes
	rm -rf bin/release-one bin/release-two bin/elsewhere
	go run ./scripts/release -version $(VERSION) -out bin/release-one -only $(ONLY)
	git clone -q . bin/elsewhere/src
	ln -s "$(CURDIR)/web/node_modules" bin/elsewhere/src/web/node_modules
	cd bin/elsewhere/src && GOCACHE="$(CURDIR)/bin/elsewhere/cache" go run ./scripts/release -version $(VERSION) -out "$(CURDIR)/bin/release-two" -only $(ONLY)
	diff -r bin/release-one bin/release-two
	rm -rf bin/elsewhere
	@echo PASS

clean: ## remove what make built
	rm -rf bin

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-10s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))
