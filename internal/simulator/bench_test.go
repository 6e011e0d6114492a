package simulator

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// BenchmarkSend sends over real connections as fast as it can, with immediate statuses and signed, batched callbacks to
// a receiver that reads and acknowledges them. The client writes prepared bytes and only looks for the end of each
// answer, so that the simulator is what is measured. Run it with -cpu 1 to see what one core does, client and receiver
// included.
func BenchmarkSend(b *testing.B) {
	var updates atomic.Int64
	recv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		updates.Add(n)
	}))
	defer recv.Close()
	sim := New(Config{AppSecret: "s", CallbackURL: recv.URL, IgnoreWindow: true, Delays: &Delays{}})
	sim.Start(context.Background())
	defer sim.Stop(context.Background())
	srv := httptest.NewServer(sim)
	defer srv.Close()

	addr := strings.TrimPrefix(srv.URL, "http://")
	var next atomic.Int64
	b.SetParallelism(16)
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) { sendLoop(b, addr, &next, pb) })
	b.StopTimer()
	perSecond := float64(b.N) / b.Elapsed().Seconds()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := sim.Settle(ctx); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(perSecond, "sends/s")
	b.ReportMetric(float64(sim.counters.posted.Load())/float64(sim.counters.posts.Load()), "updates/post")
	if got := sim.counters.posted.Load(); got != int64(3*b.N) {
		b.Fatalf("%d callbacks for %d messages", got, b.N)
	}
}

func sendLoop(b *testing.B, addr string, next *atomic.Int64, pb *testing.PB) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		b.Error(err)
		return
	}
	defer conn.Close()
	in := bufio.NewReader(conn)
	for pb.Next() {
		n := next.Add(1)
		body := fmt.Sprintf(`{"messaging_product":"whatsapp","to":"+49155%08d","type":"text","text":{"body":"Hello, your order is on its way."},"biz_opaque_callback_data":"msg_%026d"}`, n%10_000_000, n)
		fmt.Fprintf(conn, "POST /v25.0/100200300400500/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer t\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		resp, err := http.ReadResponse(in, nil)
		if err != nil || resp.StatusCode != http.StatusOK {
			b.Error("send failed", err)
			return
		}
		_, _ = io.Copy(io.Discard, resp.Body)
	}
}
