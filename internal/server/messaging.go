package server

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"time"

	"github.com/parleyhq/parley/internal/blob"
	"github.com/parleyhq/parley/internal/broadcast"
	"github.com/parleyhq/parley/internal/chat"
	"github.com/parleyhq/parley/internal/config"
	"github.com/parleyhq/parley/internal/core"
	"github.com/parleyhq/parley/internal/inbound"
	"github.com/parleyhq/parley/internal/media"
	"github.com/parleyhq/parley/internal/netguard"
	"github.com/parleyhq/parley/internal/node"
	"github.com/parleyhq/parley/internal/numbers"
	"github.com/parleyhq/parley/internal/part"
	"github.com/parleyhq/parley/internal/provider/cloud"
	"github.com/parleyhq/parley/internal/sender"
	"github.com/parleyhq/parley/internal/simulator"
	"github.com/parleyhq/parley/internal/store"
	"github.com/parleyhq/parley/internal/templates"
	"github.com/parleyhq/parley/internal/webhook"
)

const (
	callbackPath = "/provider/webhook"
	// simulatorPath is the operator's path of the built-in simulator, with its control API.
	simulatorPath = "/simulator"
	// sampleTimeout is how long the download of a template's sample may take.
	sampleTimeout = 20 * time.Second
	// refuseAfter is how long a refusal takes because a sample's host is not public.
	refuseAfter = time.Second
)

// messaging holds the parts between the store and the provider.
type messaging struct {
	client    *cloud.Client
	blobs     blob.Store
	node      *node.Node
	receiver  *inbound.Receiver
	mover     *media.Mover    // nil if the node is no worker
	sender    *sender.Sender  // likewise
	deliverer *webhook.Engine // likewise
	templates *templates.Service
	simulator *simulatedProvider // nil if the provider is a real one
}

// simulatedProvider is the simulated provider on its own loopback address, and the address to which it delivers
// callbacks. The connection itself is real.
type simulatedProvider struct {
	*simulator.Simulator
	listener net.Listener
	http     *http.Server
}

// Start starts the simulator and its HTTP server.
func (p *simulatedProvider) Start(ctx context.Context) error {
	go p.http.Serve(p.listener)
	return p.Simulator.Start(ctx)
}

// Stop stops the simulator and closes its address.
func (p *simulatedProvider) Stop(ctx context.Context) {
	p.Simulator.Stop(ctx)
	p.http.Close()
}

// openMedia opens the storage of files, and logs if it is a folder that other nodes may not see or that takes no files, or if
// none can pass through the folder for temporary ones.
func (s *Server) openMedia(ctx context.Context) (err error) {
	s.warnOfTemporaryFolder(os.TempDir())
	place := filepath.Join(s.cfg.Data, "media")
	s.messaging.blobs, err = blob.Open(ctx, place, s.cfg.MediaURL, s.log)
	if err == nil && s.cfg.MediaURL == "" && s.cfg.DatabaseURL != "" {
		s.log.Info("stored files are in a folder of this machine: with nodes on several machines, share it among them or set --media-url",
			"folder", place)
	}
	if folder, is := s.messaging.blobs.(*blob.Folder); is {
		s.warnOfMedia(place, folder.Try())
	}
	return err
}

// warnOfMedia tells the operator of a folder in which nothing can be stored. Messages without files do not need it.
func (s *Server) warnOfMedia(place string, err error) {
	if err == nil {
		return
	}
	who := strconv.Itoa(os.Geteuid())
	if known, unknown := user.Current(); unknown == nil {
		who = known.Username
	}
	s.log.Warn("the folder of stored files takes none: files that people send or attach are not stored until the user of the server may write to it",
		"folder", place, "user", who, "error", err)
}

// startMessaging builds and starts the parts. Each may depend on the ones before it.
func (s *Server) startMessaging(ctx context.Context) (err error) {
	m := &s.messaging
	if err := s.openMedia(ctx); err != nil {
		return err
	}
	if s.cfg.ProviderAppSecret == "" {
		s.cfg.ProviderAppSecret = hex.EncodeToString(s.vault.Derive("simulated app secret"))
		s.cfg.ProviderVerifyToken = hex.EncodeToString(s.vault.Derive("simulated verify token"))[:32]
	}
	baseURL := s.cfg.ProviderURL
	if baseURL == "" {
		if baseURL, err = s.newSimulator(); err != nil {
			return err
		}
	}
	if m.client, err = cloud.New(cloud.Options{BaseURL: baseURL, AppID: s.cfg.ProviderAppID, App: s.app()}); err != nil {
		return err
	}
	m.templates = &templates.Service{
		Store: s.store, Provider: m.client, Token: s.token, Fetch: netguard.New(s.cfg.AllowNetwork...).Client(sampleTimeout), RefuseAfter: refuseAfter,
		Open: m.blobs.Get,
	}
	m.node = node.New(s.store, s.registry, s.log)
	if err := s.parts.Start(ctx, m.node); err != nil {
		return err
	}
	s.store.HandTo(func(h *store.Hands) { h.Node = func() string { return m.node.Lease().Node } })
	parts, err := s.messagingParts()
	if err != nil {
		return err
	}
	return s.parts.Start(ctx, parts...)
}

// messagingParts makes the parts between the store and the provider, in the order in which they start: the deliverer
// before the others, because they cause events, and the simulator before those that call it.
func (s *Server) messagingParts() (parts []part.Part, err error) {
	m := &s.messaging
	if m.simulator != nil {
		parts = append(parts, m.simulator)
	}
	if s.cfg.Has("worker") {
		if m.deliverer, err = s.newDeliverer(); err != nil {
			return nil, err
		}
		parts = append(parts, m.deliverer)
		parts = append(parts, s.newWorkers()...)
	}
	m.receiver = inbound.New(inbound.Config{
		Store: s.store, Lease: m.node.Lease, PublicURL: s.cfg.PublicURL, Metrics: inbound.NewMetrics(s.registry), Log: s.log,
		AwaitRecorded: m.awaitRecorded(),
		CanSign:       cloud.CanSign,
		Verify: func(signature string, body []byte) bool {
			return cloud.Verify(s.cfg.ProviderAppSecret, signature, body)
		},
		Decode:      cloud.Decode,
		VerifyToken: s.cfg.ProviderVerifyToken,
	})
	return append(parts, m.receiver), nil
}

// awaitRecorded is the sender's, if this node has one.
func (m *messaging) awaitRecorded() func(context.Context, []string) {
	if m.sender == nil {
		return nil
	}
	return m.sender.AwaitRecorded
}

// newWorkers makes the parts that carry messages and files to the provider and from it.
func (s *Server) newWorkers() []part.Part {
	m := &s.messaging
	m.mover = media.New(media.Config{
		Store: s.store, Lease: m.node.Lease, Provider: m.client, Token: s.token, Blobs: m.blobs, PublicURL: s.cfg.PublicURL, Log: s.log,
	})
	m.sender = sender.New(sender.Config{
		Store: s.store, Lease: m.node.Lease, Provider: m.client, Token: s.token, Media: m.mover.Upload, ForgetMedia: m.mover.Forget,
		PerSecond: float64(s.cfg.MessagesPerSecond), Lateness: sender.ProcessorLateness(), Metrics: sender.NewMetrics(s.registry), Tracer: s.tracer, Log: s.log,
	})
	s.store.HandTo(func(h *store.Hands) { h.Send, h.Fetch = m.sender.Enqueue, m.mover.Fetch })
	known := &numbers.Service{Store: s.store, Provider: m.client, Token: s.token}
	return []part.Part{m.mover, m.sender, templates.NewSyncer(m.templates, s.log), broadcast.New(broadcast.Config{
		Store: s.store, Lease: m.node.Lease, PerSecond: float64(s.cfg.MessagesPerSecond), Rate: known.Rate, Metrics: s.registry, Log: s.log,
	})}
}

// ears listen to notifications of other nodes, and wake this node's parts.
type ears struct {
	part.Life
	server *Server
}

func newEars(s *Server) *ears { return &ears{part.NewLife(), s} }

// Start begins to listen.
func (e *ears) Start(context.Context) error {
	e.Go(func(ctx context.Context) { e.server.store.Listen(ctx, e.server.hear) })
	return nil
}

// hear wakes the parts that a topic is for.
func (s *Server) hear(topic store.Topic) {
	if s.live != nil && s.live.Hear(topic) || s.messaging.sender == nil { // not a worker
		return
	}
	wakers := map[store.Topic]part.Waker{
		store.TopicSends: s.messaging.sender, store.TopicDeliveries: s.messaging.deliverer,
		store.TopicFiles: s.messaging.mover, store.TopicNumbers: s.onboarding.worker,
	}
	for about, waker := range wakers {
		if topic == about || topic == store.TopicAny {
			waker.Wake()
		}
	}
	if queue, ok := topic.SendQueue(); ok {
		s.messaging.sender.Recall(queue)
	}
}

// token decrypts an account's sealed token.
func (s *Server) token(a chat.Account) (string, error) {
	return s.vault.Open(a.Token, core.TokenContext(a.ID))
}

func (s *Server) newSimulator() (baseURL string, err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("start the provider simulator: %w", err)
	}
	origin := "http://" + listener.Addr().String()
	s.cfg.ProviderAppID = cmp.Or(s.cfg.ProviderAppID, simulator.DefaultAppID)
	sim := simulator.New(simulator.Config{
		AppID: s.cfg.ProviderAppID, AppSecret: s.cfg.ProviderAppSecret,
		CallbackURL: origin + callbackPath, BaseURL: origin, Known: s.connectedNumber, Log: s.log.With("part", "simulator"),
		Folder: s.simulatorFolder(),
	})
	mux := http.NewServeMux()
	mux.Handle(callbackPath, s.tracer.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.messaging.receiver.ServeHTTP(w, r) }), s.traceName))
	mux.Handle("/", sim)
	p := &simulatedProvider{Simulator: sim, listener: listener, http: s.httpServer(s.guardOps(mux))}
	s.messaging.simulator = p
	return origin + "/v24.0", nil
}

// simulatorFolder is where the simulated phones survive a restart. Empty: without a data folder the node forgets them.
func (s *Server) simulatorFolder() string {
	if s.cfg.Data == "" {
		return ""
	}
	return filepath.Join(s.cfg.Data, "simulator")
}

// providerName is the provider's name in the log.
func (s *Server) providerName() string {
	if s.messaging.simulator != nil {
		return "simulator"
	}
	return s.cfg.ProviderURL
}

// SimulatorURL is the operator's address of the built-in simulator. Empty: there is none.
func (s *Server) SimulatorURL() string {
	if s.messaging.simulator == nil {
		return ""
	}
	return config.LocalURL(s.ops.listener.Addr().String()) + simulatorPath
}

// connectedNumber describes a number to the simulator that a command has connected without it.
func (s *Server) connectedNumber(id string) (simulator.NumberSpec, bool) {
	account, err := s.store.Read(context.Background()).AccountForCallback(id)
	if err != nil {
		if !errors.Is(err, store.ErrNotFound) {
			s.log.Warn("the simulator cannot ask for a number", "phone_number_id", id, "error", err)
		}
		return simulator.NumberSpec{}, false
	}
	spec := simulator.NumberSpec{ID: id, WABAID: account.WABAID}
	if account.PhoneNumber != nil {
		spec.Phone = *account.PhoneNumber
	}
	if account.Name != nil {
		spec.Name = *account.Name
	}
	return spec, true
}
