package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
)

const (
	pageLoads     = 10
	conversations = 30 // opened one after the other
	scrollTime    = 3 * time.Second
	pageDeadline  = 2 * time.Minute
)

// browser is a window in which the dashboard is open.
type browser struct {
	ctx    context.Context
	cancel []context.CancelFunc
}

func openBrowser(ctx context.Context, dir string) (*browser, error) {
	program := os.Getenv("CHROMIUM")
	if program == "" {
		var err error
		if program, err = exec.LookPath("chromium"); err != nil {
			return nil, errors.New("rows in a browser need Chromium: run scripts/ensure-chromium, or set CHROMIUM to its path")
		}
	}
	allocated, cancelBrowser := chromedp.NewExecAllocator(ctx, append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.UserDataDir(filepath.Join(dir, "chromium")))...)
	tab, cancelTab := chromedp.NewContext(allocated)
	b := &browser{ctx: tab, cancel: []context.CancelFunc{cancelTab, cancelBrowser}}
	if _, err := chromedp.Run(tab, chromedp.EmulateViewport(1440, 900)); err != nil {
		b.close()
		return nil, err
	}
	return b, nil
}

func (b *browser) close() {
	for _, cancel := range b.cancel {
		cancel()
	}
}

// visit opens an address.
func (b *browser) visit(url string) error {
	ctx, cancel := context.WithTimeout(b.ctx, pageDeadline)
	defer cancel()
	_, err := chromedp.Run(ctx, chromedp.Navigate(url))
	return err
}

// millis runs a JavaScript function that resolves to times.
func (b *browser) millis(script string) ([]float64, error) {
	ctx, cancel := context.WithTimeout(b.ctx, pageDeadline)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[[]float64]("(() => {"+pageHelpers+"return "+script+"})()", chromedp.EvalAwaitPromise))
}

// busy is the processor time that the page's main thread has used since the first call: everything it does, including
// layout and paint, but not the time in which other threads had the processor.
func (b *browser) busy() (time.Duration, error) {
	if _, err := chromedp.Call(b.ctx, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks}); err != nil {
		return 0, err
	}
	metrics, err := chromedp.Call(b.ctx, performance.GetMetrics, cdp.Empty{})
	if err != nil {
		return 0, err
	}
	for _, m := range metrics.Metrics {
		if m.Name == "TaskDuration" {
			return time.Duration(m.Value * float64(time.Second)), nil
		}
	}
	return 0, errors.New("the browser does not tell how busy it is")
}

// inBrowser makes a row of times that the browser measures.
func inBrowser(measure func(*office) ([]float64, error)) func(context.Context, *office) (figures, error) {
	return func(ctx context.Context, o *office) (f figures, err error) {
		if o.browser == nil {
			if err := o.openBrowser(ctx); err != nil {
				return f, err
			}
		}
		begin := time.Now()
		o.pageTime = 0
		millis, err := measure(o)
		if err != nil {
			return f, err
		}
		t := tally{elapsed: time.Since(begin)}
		for _, ms := range millis {
			t.latencies = append(t.latencies, time.Duration(ms*float64(time.Millisecond)))
		}
		f.count(&t)
		if len(millis) > 0 {
			f.CPUMicros = float64(o.pageTime.Microseconds()) / float64(len(millis))
		}
		return f, nil
	}
}

// openBrowser opens a window in which the user is signed in.
func (o *office) openBrowser(ctx context.Context) (err error) {
	if o.browser, err = openBrowser(ctx, o.tmp); err != nil {
		return err
	}
	if err := o.browser.visit(o.url("/login")); err != nil {
		return err
	}
	_, err = o.browser.millis(fmt.Sprintf(`(async () => {
		const answer = await fetch("/app/api/session", {
			method: "POST", headers: {"Content-Type": "application/json"},
			body: JSON.stringify({email: %q, password: %q}),
		});
		if (!answer.ok) throw new Error("sign-in: " + answer.status);
		return [];
	})()`, emailOf(0), userPassword))
	return err
}

// pageHelpers are functions that the scripts below use. until checks in every frame, like a person who waits in front
// of the screen.
const pageHelpers = `
const until = found => new Promise(done => {
	const look = () => { const it = found(); it ? done(it) : requestAnimationFrame(look); };
	look();
});
const rows = () => document.querySelectorAll('[aria-label="Conversations"] a');
const thread = () => document.querySelector('[role=log]');
`

// openInbox reloads the page each time, with its files from the browser's cache except for the first time. It measures
// from the navigation until the list is there.
func openInbox(o *office) (all []float64, err error) {
	_, err = chromedp.Call(o.browser.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{
		Source: "{" + pageHelpers + `until(() => rows().length > 5).then(() => { window.usable = performance.now(); }); }`,
	})
	if err != nil {
		return nil, err
	}
	for range pageLoads {
		if err := o.browser.visit(o.url("/inbox/all")); err != nil {
			return nil, err
		}
		took, err := o.browser.millis(`until(() => window.usable).then(took => [took])`)
		if err != nil {
			return nil, err
		}
		all = append(all, took...)
	}
	return all, nil
}

// openConversations measures from the press on a row until its messages are shown. The pointer comes to the row a tenth of
// a second before, as a person's does at least.
func openConversations(o *office) ([]float64, error) {
	return o.browser.millis(fmt.Sprintf(`(async () => {
		const times = [];
		for (let i = 0; i < %d; i++) {
			const row = await until(() => rows()[i %% 8]);
			const order = row.textContent.match(/\d{7}/)[0];
			row.dispatchEvent(new MouseEvent("mouseover", {bubbles: true}));
			await new Promise(done => setTimeout(done, 100));
			const begin = performance.now();
			row.click();
			await until(() => thread()?.textContent.includes(order));
			times.push(performance.now() - begin);
			await new Promise(done => setTimeout(done, 100));
		}
		return times;
	})()`, conversations))
}

// scrollList turns the wheel over the list. Pages of the list are fetched as needed.
func scrollList(o *office) ([]float64, error) {
	_, err := o.browser.millis(`(async () => {
		window.frameTimes = [];
		let last = 0;
		const frame = now => { if (last) window.frameTimes.push(now - last); last = now; requestAnimationFrame(frame); };
		requestAnimationFrame(frame);
		return [];
	})()`)
	if err != nil {
		return nil, err
	}
	tick := time.NewTicker(16 * time.Millisecond)
	defer tick.Stop()
	for begin := time.Now(); time.Since(begin) < scrollTime; <-tick.C {
		// A delta of exactly 0 would be omitted, which the browser refuses.
		_, err := chromedp.Call(o.browser.ctx, input.DispatchMouseEvent, input.DispatchMouseEventParams{
			Type: input.DispatchMouseEventTypeMouseWheel, X: 200, Y: 500, DeltaY: 120, DeltaX: 1e-9,
		})
		if err != nil {
			return nil, err
		}
	}
	return o.browser.millis("Promise.resolve(window.frameTimes)")
}
