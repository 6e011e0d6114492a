package netguard_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/parleyhq/parley/internal/netguard"
	"github.com/parleyhq/parley/internal/netguard/netguardtest"
)

// Every range with its first and last address, and the neighbouring public addresses if there are any.
var ranges = []struct{ first, last, before, after string }{
	{"0.0.0.0", "0.255.255.255", "", "1.0.0.0"},
	{"10.0.0.0", "10.255.255.255", "9.255.255.255", "11.0.0.0"},
	{"100.64.0.0", "100.127.255.255", "100.63.255.255", "100.128.0.0"},
	{"127.0.0.0", "127.255.255.255", "126.255.255.255", "128.0.0.0"},
	{"168.63.129.16", "168.63.129.16", "168.63.129.15", "168.63.129.17"},
	{"169.254.0.0", "169.254.255.255", "169.253.255.255", "169.255.0.0"},
	{"172.16.0.0", "172.31.255.255", "172.15.255.255", "172.32.0.0"},
	{"192.0.0.0", "192.0.0.255", "191.255.255.255", "192.0.1.0"},
	{"192.0.2.0", "192.0.2.255", "192.0.1.255", "192.0.3.0"},
	{"192.88.99.0", "192.88.99.255", "192.88.98.255", "192.88.100.0"},
	{"192.168.0.0", "192.168.255.255", "192.167.255.255", "192.169.0.0"},
	{"198.18.0.0", "198.19.255.255", "198.17.255.255", "198.20.0.0"},
	{"198.51.100.0", "198.51.100.255", "198.51.99.255", "198.51.101.0"},
	{"203.0.113.0", "203.0.113.255", "203.0.112.255", "203.0.114.0"},
	{"224.0.0.0", "239.255.255.255", "223.255.255.255", ""},
	{"240.0.0.0", "255.255.255.255", "", ""},

	{"::", "ff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "", ""},
	{"64:ff9b::", "64:ff9b::ffff:ffff", "", ""},
	{"64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", "", ""},
	{"100::", "100::ffff:ffff:ffff:ffff", "", ""},
	{"2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff", "2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", ""},
	{"2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "", "2001:200::"},
	{"2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db9::"},
	{"2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2003::"},
	{"3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff:1000::"},
	{"5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "", ""},
	{"fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "", ""},
	{"fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "", ""},
	{"fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "", ""},
	{"ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "", ""},
}

func TestRanges(t *testing.T) {
	t.Parallel()
	g := netguard.New()
	for _, r := range ranges {
		for _, text := range []string{r.first, r.last} {
			refused(t, g, netip.MustParseAddr(text))
		}
		for _, text := range []string{r.before, r.after} {
			if text == "" {
				continue
			}
			a := netip.MustParseAddr(text)
			if !g.Allowed(a) || !g.Allowed(netip.AddrFrom16(a.As16())) {
				t.Errorf("%s is refused", text)
			}
			if !a.Is4() {
				refused(t, g, a.WithZone("eth0"))
			}
		}
	}
	refused(t, g, netip.Addr{})
}

// refused checks an address, and all other forms of an IPv4 address.
func refused(t *testing.T, g *netguard.Guard, a netip.Addr) {
	t.Helper()
	forms := []netip.Addr{a}
	if a.Is4() {
		b := a.As4()
		for _, form := range []string{
			"::ffff:%02x%02x:%02x%02x",   // mapped
			"::%02x%02x:%02x%02x",        // compatible
			"64:ff9b::%02x%02x:%02x%02x", // NAT64
			"64:ff9b:1::%02x%02x:%02x%02x",
			"2002:%02x%02x:%02x%02x::1", // 6to4
		} {
			forms = append(forms, netip.MustParseAddr(fmt.Sprintf(form, b[0], b[1], b[2], b[3])))
		}
	}
	for _, form := range forms {
		if g.Allowed(form) {
			t.Errorf("%s is allowed", form)
		}
	}
}

func TestOpenedRange(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"10.1.0.0/16", "::ffff:10.1.0.0/112"} {
		g := netguard.New(netip.MustParsePrefix(text))
		for address, want := range map[string]bool{
			"10.1.0.0": true, "10.1.255.255": true, "::ffff:10.1.2.3": true, "10.0.255.255": false, "10.2.0.0": false, "127.0.0.1": false,
		} {
			if got := g.Allowed(netip.MustParseAddr(address)); got != want {
				t.Errorf("with %s opened, Allowed(%s) = %t", text, address, got)
			}
			if got := g.Opened(netip.MustParseAddr(address)); got != want {
				t.Errorf("with %s opened, Opened(%s) = %t", text, address, got)
			}
		}
		if g.Opened(netip.MustParseAddr("8.8.8.8")) {
			t.Error("a public address counts as opened")
		}
	}
}

// addresses resolves names of this test.
func addresses(table map[string]string) func(string) []netip.Addr {
	return func(host string) (addrs []netip.Addr) {
		for text := range strings.FieldsSeq(table[host]) {
			addrs = append(addrs, netip.MustParseAddr(text))
		}
		return addrs
	}
}

func TestCheckURL(t *testing.T) {
	t.Parallel()
	g := netguard.New(netip.MustParsePrefix("10.9.0.0/16")).WithResolver(netguardtest.Resolver(addresses(map[string]string{
		"public.test": "93.184.215.14 2606:2800:21f:cb07:6820:80da:af6b:8b2c", "xn--bcher-kva.test": "93.184.215.14", "private.test": "10.0.0.1", "mixed.test": "93.184.215.14 fd00::1",
		"mapped.test": "::ffff:127.0.0.1", "localhost": "127.0.0.1", "opened.test": "10.9.1.1", "half.test": "10.9.1.1 93.184.215.14",
	})))
	for rawURL, want := range map[string]error{
		"https://public.test/hook":             nil,
		"https://public.test./hook":            nil,
		"https://PUBLIC.test:8443/hook":        nil,
		"https://93.184.215.14/":               nil,
		"https://[2606:2800:21f:cb07::1]/":     nil,
		"https://opened.test/":                 nil,
		"http://opened.test/":                  nil,
		"http://10.9.0.1:8080/":                nil,
		"http://public.test/":                  netguard.ErrPlain,
		"http://93.184.215.14/":                netguard.ErrPlain,
		"http://half.test/":                    netguard.ErrPlain,
		"https://private.test/":                netguard.ErrBlocked,
		"https://mixed.test/":                  netguard.ErrBlocked,
		"https://mapped.test/":                 netguard.ErrBlocked,
		"https://localhost/":                   netguard.ErrBlocked,
		"https://localhost./":                  netguard.ErrBlocked,
		"https://127.0.0.1/":                   netguard.ErrBlocked,
		"https://127.0.0.1./":                  netguard.ErrBlocked,
		"https://127.1/":                       netguard.ErrBlocked,
		"https://2130706433/":                  netguard.ErrBlocked,
		"https://0x7f000001/":                  netguard.ErrBlocked,
		"https://0X7F.0.0.0x1/":                netguard.ErrBlocked,
		"https://0177.0.0.01/":                 netguard.ErrBlocked,
		"https://public.test.0x7f/":            netguard.ErrBlocked,
		"https://[::1]/":                       netguard.ErrBlocked,
		"https://[::ffff:10.0.0.1]/":           netguard.ErrBlocked,
		"https://[64:ff9b::7f00:1]/":           netguard.ErrBlocked,
		"https://[fe80::1%25eth0]/":            netguard.ErrBlocked,
		"https://[2606:2800:21f:cb07::1%25x]/": netguard.ErrBlocked,
		"https:///":                            netguard.ErrBlocked,
		"https://[":                            netguard.ErrBlocked,
		"https://①②⑦.⓪.⓪.①/":                   netguard.ErrBlocked, // digits that a client converts to ASCII
		"https://１２７.0.0.1/":                   netguard.ErrBlocked,
		"https://127。0。0。1/":                   netguard.ErrBlocked, // and other dots
		"https://１２７．１/":                       netguard.ErrBlocked,
		"https://%E2%91%A0%E2%91%A1⑦.0.0.1/":   netguard.ErrBlocked,
		"https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/":                   netguard.ErrBlocked,
		"https://ｐｒｉｖａｔｅ.test/":                netguard.ErrBlocked,
		"https://printer.ｌｏｃａｌ/":               netguard.ErrBlocked,
		"https://\u00ad127.0.0.1/":             netguard.ErrBlocked, // an invisible hyphen
		"https://a\u202eb.test/":               netguard.ErrBlocked, // no client can reach it
		"https://ｐｕｂｌｉｃ.test/":                 nil,
		"https://bücher.test/":                 nil,
		"https://unknown.test/":                netguard.ErrLookup,
		"http://unknown.test/":                 netguard.ErrPlain,
		"https://intranet/":                    netguard.ErrBlocked,
		"https://printer.LOCAL./":              netguard.ErrBlocked,
		"https://unknown.invalid/":             netguard.ErrBlocked,
	} {
		if err := g.CheckURL(t.Context(), rawURL); err != want { // the bare error, without further text
			t.Errorf("CheckURL(%q) = %v, want %v", rawURL, err, want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := g.CheckURL(ctx, "https://public.test/"); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
}

// sink is a server on this machine.
func sink(t *testing.T) (server *httptest.Server, port string) {
	t.Helper()
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/moved" {
			http.Redirect(w, r, "/", http.StatusFound)
		}
	}))
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return server, port
}

func TestDialRefusesTheConcreteAddress(t *testing.T) {
	t.Parallel()
	_, port := sink(t)
	g := netguard.New().WithResolver(netguardtest.Resolver(addresses(map[string]string{
		"private.test": "127.0.0.1", "mapped.test": "::ffff:127.0.0.1", "both.test": "127.0.0.1 ::1",
	})))
	for _, host := range []string{"private.test", "mapped.test", "both.test", "localhost", "127.0.0.1", "[::ffff:127.0.0.1]", "0.0.0.0", "[::]", "[::1]", "[::1%lo]"} {
		conn, err := g.DialContext(t.Context(), "tcp", host+":"+port)
		if err != netguard.ErrBlocked {
			t.Errorf("dial %s: %v", host, err)
		}
		if conn != nil {
			t.Errorf("dial %s: connected", host)
		}
	}
	if _, err := g.DialContext(t.Context(), "tcp", "unknown.test:443"); err != netguard.ErrLookup {
		t.Errorf("dial an unknown name: %v", err)
	}
}

// A name that is public when it is checked and private when it is used.
func TestRebinding(t *testing.T) {
	t.Parallel()
	_, port := sink(t)
	var private atomic.Bool
	g := netguard.New().WithResolver(netguardtest.Resolver(func(string) []netip.Addr {
		if private.Load() {
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}
		}
		return []netip.Addr{netip.MustParseAddr("93.184.215.14")}
	}))
	rawURL := "https://rebind.test:" + port + "/"
	if err := g.CheckURL(t.Context(), rawURL); err != nil {
		t.Fatal(err)
	}
	private.Store(true)
	_, err := g.Client(time.Second).Get(rawURL)
	if !errors.Is(err, netguard.ErrBlocked) {
		t.Fatalf("fetch: %v", err)
	}
	if strings.Contains(err.Error(), "127.") {
		t.Errorf("the error tells the address: %v", err)
	}
}

func TestDialOpened(t *testing.T) {
	t.Parallel()
	_, port := sink(t)
	g := netguard.New(netip.MustParsePrefix("127.0.0.1/32"))
	conn, err := g.DialOpened(t.Context(), "tcp", "127.0.0.1:"+port)
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	for address, want := range map[string]error{"127.0.0.2:80": netguard.ErrBlocked, "93.184.215.14:80": netguard.ErrPlain} {
		if _, err := g.DialOpened(t.Context(), "tcp", address); err != want {
			t.Errorf("dial %s: %v, want %v", address, err, want)
		}
	}
}

func TestClient(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1")
	server, _ := sink(t)
	client := netguard.New(netip.MustParsePrefix("127.0.0.0/8")).Client(5 * time.Second)
	response, err := client.Get(server.URL + "/moved")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusFound {
		t.Errorf("the redirect was followed: %d", response.StatusCode)
	}
	if _, err := netguard.New().Client(time.Second).Get(server.URL); !errors.Is(err, netguard.ErrBlocked) {
		t.Errorf("without the range opened: %v", err)
	}
	if _, err := client.Get("http://93.184.215.14/"); !errors.Is(err, netguard.ErrPlain) {
		t.Errorf("in the clear to everyone: %v", err)
	}
}

func TestClientRefusesHugeHeaders(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		if _, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
			fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nX-Long: %s\r\n\r\n", strings.Repeat("x", 64<<10))
		}
	}()
	response, err := netguard.New(netip.MustParsePrefix("127.0.0.0/8")).Client(5 * time.Second).Get("http://" + listener.Addr().String())
	if err == nil {
		response.Body.Close()
		t.Fatal("an answer with huge headers was taken")
	}
}

// The check sees the same address that an HTTP client dials, in any spelling.
func TestCheckSeesWhatAClientDials(t *testing.T) {
	t.Parallel()
	g := netguard.New().WithResolver(netguardtest.Resolver(func(string) []netip.Addr { return nil }))
	spellings := map[rune][]rune{
		'.': []rune(".。．｡"), '0': []rune("0０⓪⁰₀𝟎𝟘"), '1': []rune("1１①¹₁𝟏𝟙"), '2': []rune("2２②²₂𝟐𝟚"), '6': []rune("6６⑥⁶₆𝟔𝟞"),
		'7': []rune("7７⑦⁷₇𝟕𝟟"), '8': []rune("8８⑧⁸₈𝟖𝟠"), '9': []rune("9９⑨⁹₉𝟗𝟡"),
	}
	var dialled string
	client := &http.Client{Transport: &http.Transport{DialContext: func(_ context.Context, _, address string) (net.Conn, error) {
		dialled, _, _ = net.SplitHostPort(address)
		return nil, netguard.ErrBlocked
	}}}
	rapid.Check(t, func(t *rapid.T) {
		host := ""
		for _, r := range rapid.SampledFrom([]string{"127.0.0.1", "10.8.1.2", "192.168.0.17", "127.1", "0.0.0.0"}).Draw(t, "address") {
			host += string(rapid.SampledFrom(spellings[r]).Draw(t, "spelling"))
		}
		if _, err := client.Get("http://" + host + "/"); err == nil {
			t.Fatal("connected")
		}
		err := g.CheckURL(context.Background(), "https://"+host+"/")
		if strings.Trim(dialled, "0123456789.") == "" && err != netguard.ErrBlocked {
			t.Fatalf("%s is dialled as %s: %v", host, dialled, err)
		}
	})
}
