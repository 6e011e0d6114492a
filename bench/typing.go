package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/chromedp"
)

const (
	besideTyping = 50 * time.Millisecond // the time between two inbound messages while a person types
	typedText    = "Your order left our house this morning, and should be with you tomorrow. "
	typedTimes   = 3
	rowsOnPage   = 250 // rows of a long thread: the page keeps at most 300
)

// typeInShortThread types below a conversation of ordinary length.
func typeInShortThread(o *office) ([]float64, error) {
	if err := o.browser.visit(o.url("/inbox/all/" + seededConversation)); err != nil {
		return nil, err
	}
	return typeText(o)
}

// typeText types into the composer. A keystroke is timed from the key's event until the page has done all its work for
// it, before it paints.
func typeText(o *office) ([]float64, error) {
	_, err := o.browser.millis(`(async () => {
		(await until(() => [...document.querySelectorAll('[role=tab]')].find(tab => tab.textContent === "Note"))).click();
		const field = await until(() => document.querySelector('textarea[aria-label="Message"]'));
		field.focus();
		window.keystrokes = [];
		if (window.keysAreTimed) return [];
		window.keysAreTimed = true;
		let begin = 0;
		const done = new MessageChannel();
		done.port1.onmessage = () => window.keystrokes.push(performance.now() - begin);
		document.addEventListener("keydown", event => { begin = event.timeStamp; }, true);
		document.addEventListener("input", () => done.port2.postMessage(0), true);
		return [];
	})()`)
	if err != nil {
		return nil, err
	}
	text := strings.Repeat(typedText, typedTimes)
	before, err := o.browser.busy()
	if err != nil {
		return nil, err
	}
	for _, letter := range text {
		if _, err := chromedp.Run(o.browser.ctx, chromedp.KeyEvent(string(letter))); err != nil {
			return nil, err
		}
	}
	times, err := o.browser.millis(fmt.Sprintf(`(async () => {
		await until(() => window.keystrokes.length >= %d);
		return window.keystrokes;
	})()`, len(text)))
	if err != nil {
		return nil, err
	}
	after, err := o.browser.busy()
	o.pageTime = after - before
	return times, err
}

// typeInLongThread has as many rows of a long thread on the page as the page keeps, with the middle on the screen.
func typeInLongThread(o *office) ([]float64, error) {
	if err := o.openLongThread(); err != nil {
		return nil, err
	}
	return typeText(o)
}

func (o *office) openLongThread() error {
	if err := o.browser.visit(o.url("/inbox/all/" + longThread)); err != nil {
		return err
	}
	_, err := o.browser.millis(fmt.Sprintf(`(async () => {
		const pause = () => new Promise(done => setTimeout(done, 100));
		await until(() => thread()?.querySelector("[data-key]"));
		while (thread().querySelectorAll("[data-key]").length < %d) {
			thread().scrollTop = 0;
			await pause();
		}
		thread().scrollTop = thread().scrollHeight / 2;
		await pause();
		return [];
	})()`, rowsOnPage))
	return err
}

// typeBesideMessages types there while messages arrive for other conversations, which move in the list.
func typeBesideMessages(ctx context.Context, o *office) (figures, error) {
	row := inBrowser(func(o *office) ([]float64, error) {
		if err := o.openLongThread(); err != nil {
			return nil, err
		}
		stop := make(chan struct{})
		var failed error
		var coming sync.WaitGroup
		coming.Go(func() { failed = o.receive(ctx, stop) })
		times, err := typeText(o)
		close(stop)
		coming.Wait()
		if err == nil {
			err = failed
		}
		return times, err
	})
	return row(ctx, o)
}

// receive makes messages arrive until it is told to stop.
func (o *office) receive(ctx context.Context, stop <-chan struct{}) error {
	c, err := dial(ctx, o.target.addr, time.Now().Add(5*time.Minute))
	if err != nil {
		return err
	}
	defer c.Close()
	callback := inboundText(o.target)
	tick := time.NewTicker(besideTyping)
	defer tick.Stop()
	for i := int(time.Now().UnixMilli()); ; i++ { // ids that no other row uses
		select {
		case <-stop:
			return nil
		case <-tick.C:
		}
		h, body, err := c.roundTrip(callback(nil, 0, i), http.StatusOK)
		if err != nil {
			return err
		}
		if h.status != http.StatusOK {
			return fmt.Errorf("callback: status %d: %s", h.status, body)
		}
	}
}
